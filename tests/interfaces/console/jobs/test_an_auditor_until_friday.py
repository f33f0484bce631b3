"""The job: give an auditor read access to one company until a day; and what the auditor then sees."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from tests.companies import make_present_company
from tests.interfaces.accessibility import axe
from tests.interfaces.console.jobs.walking import Walk

pytestmark = pytest.mark.browser
LONG = "several words that do not belong together"


def test_an_auditor_is_invited_by_at_most_five_clicks_and_comes_in_to_read(full, desk, browser, served):
    organization_id = full.company.organization_id
    page = desk(COMPLIANCE_MANAGER)
    walk = Walk(page, organization_id)
    walk.link("Auditors")
    walk.link("Invite an auditor")
    walk.type("Name", "Ada Auditor")
    walk.type("Email address", "ada@audit.example")
    walk.type("May look until", (timezone.now() + timedelta(days=4)).date().isoformat())
    walk.button("Show what will change")
    expect(page.locator("main")).to_contain_text("Ada Auditor")
    assert axe.findings(page) == []
    walk.type("Why you do this", "The yearly audit")
    walk.button("Invite an auditor Ada Auditor")
    link = page.locator("#secret").inner_text()
    assert walk.clicks <= 5
    auditor = browser.new_context(base_url=served).new_page()
    auditor.goto(link.partition("/console/")[1] + link.partition("/console/")[2])
    auditor.get_by_label("New password", exact=True).fill(LONG)
    auditor.get_by_label("New password again").fill(LONG)
    auditor.get_by_role("button", name="Go on").click()
    expect(auditor.get_by_role("heading", name="Turn on your second factor")).to_be_visible()
    auditor.goto(f"/console/companies/{organization_id}/teams/")
    expect(auditor.get_by_role("heading", name="Teams")).to_be_visible()
    expect(auditor.get_by_role("link", name="Create a team")).to_have_count(0)
    other = make_present_company("Other").organization_id
    auditor.goto(f"/console/companies/{other}/teams/")
    expect(auditor.get_by_role("heading", name="Nothing there")).to_be_visible()
    auditor.context.close()
    page.get_by_role("link", name="Done").click()
    expect(page.locator("main")).to_contain_text("May look")
