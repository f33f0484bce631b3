"""The job: excuse a person from one day to another, of everything that falls due meanwhile; four clicks at most."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from compliance.interfaces.console.who_may import COMPLIANCE_MANAGER
from tests.interfaces.console.jobs.walking import Walk

pytestmark = pytest.mark.browser


def test_a_person_is_excused_while_away_by_at_most_four_clicks(full, desk) -> None:
    page = desk(COMPLIANCE_MANAGER)
    walk = Walk(page, full.company.organization_id)
    today = timezone.now().date()
    walk.click(page.locator("nav.side").get_by_role("link", name="Excuse while away"))
    walk.type("Person", "Person 003")
    walk.type("From", (today + timedelta(days=2)).isoformat())
    walk.type("To", (today + timedelta(days=40)).isoformat())
    walk.button("Show what will change")
    expect(page.locator("dl.pairs")).to_contain_text("Away")
    walk.type("Why you do this", "Leave, as agreed with her team")
    walk.button("Excuse while away")
    expect(page.get_by_role("status").first).to_contain_text("The person is excused")
    assert walk.clicks <= 4
