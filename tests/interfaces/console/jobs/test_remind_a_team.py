"""The job: from a team's page, remind everybody in it who is overdue, of courses and policies alike."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from compliance.interfaces.console.permissions import OPERATOR
from compliance.interfaces.console.understand import refreshing
from tests.interfaces.console.jobs.walking import Walk

pytestmark = pytest.mark.browser


def test_everybody_overdue_in_a_team_is_reminded_by_at_most_four_clicks(full, desk):
    organization_id = full.company.organization_id
    refreshing.refresh(organization_id, timezone.now())
    page = desk(OPERATOR)
    walk = Walk(page, organization_id)
    walk.link("Teams")
    walk.link("Sales")
    walk.button("Remind everybody overdue")
    expect(page.locator("main")).to_contain_text("Letters")
    walk.type("Why you do this", "Before the audit")
    walk.click(page.locator("main button[value=confirm]"))
    expect(page.locator("main")).to_contain_text("Waits for the worker")
    assert walk.clicks <= 4
