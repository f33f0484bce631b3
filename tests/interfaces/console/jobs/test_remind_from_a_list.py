"""The job: remind everybody in a team who is overdue, from Today via the list of rows; four clicks at most."""

import pytest
from playwright.sync_api import expect

from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.interfaces.console.understand import refreshing
from tests.interfaces.console.jobs.walking import Walk

pytestmark = pytest.mark.browser


def test_everybody_overdue_in_a_team_is_reminded_by_at_most_four_clicks(full, desk) -> None:
    refreshing.refresh(full.company.organization_id, full.company.now)
    page = desk(COMPLIANCE_MANAGER)
    walk = Walk(page, full.company.organization_id)
    walk.click(page.locator("main a[href*='team=']").first)
    expect(page.get_by_role("heading", name="Work list")).to_be_visible()
    walk.click(page.locator("input[name='everything']"))
    expect(page.locator("tr.chosen")).to_have_count(3)
    walk.button("Remind")
    expect(page.get_by_text("Person 003").first).to_be_visible()
    walk.type("Why you do this", "The fire drill is next week")
    walk.click(page.locator("button[value=confirm]"))
    expect(page.get_by_role("heading", name="Remind", exact=True)).to_be_visible()
    expect(page.get_by_text("Waits for the worker.")).to_be_visible()
    assert walk.clicks <= 4
