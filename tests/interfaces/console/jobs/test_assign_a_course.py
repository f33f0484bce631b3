"""The job: assign a course to a team with a deadline; and the picker when used by keyboard."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from compliance.facts.shares.models import ShareStep
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.tenancy import context
from tests.interfaces.accessibility import axe
from tests.interfaces.console.jobs.walking import Walk

pytestmark = pytest.mark.browser


def _choose(page: Page, label: str, words: str, option: str) -> None:
    """Types into a picker and chooses, which does not count as a click."""
    page.get_by_role("combobox", name=label, exact=True).press_sequentially(words)
    page.get_by_role("option", name=option).click()
    expect(page.get_by_role("listitem").filter(has_text=option)).to_be_visible()


def test_a_course_is_given_to_a_team_by_a_day_by_at_most_seven_clicks(full, desk):
    company = full.company
    team = company.team("Night shift, Ávila")
    anna = company.join("Anna Árbol", team_ids=(team,))
    company.course("Lifting safely")
    page = desk(COMPLIANCE_MANAGER)
    walk = Walk(page, company.organization_id)
    walk.link("Assign a course or policy")
    walk.button("Show what will change")
    expect(page.get_by_role("alert")).to_be_focused()
    assert axe.findings(page) == []
    walk.clicks -= 1  # the click that caused the error is not part of the job
    page.get_by_role("link", name="Choose a course or a policy.").press("Enter")
    expect(page.get_by_role("combobox", name="Course or policy")).to_be_focused()
    _choose(page, "Course or policy", "lifting", "Lifting safely")
    page.get_by_role("combobox", name="Teams", exact=True).press_sequentially("avila")
    expect(page.get_by_role("option", name="Night shift, Ávila")).to_have_attribute("aria-selected", "true")
    assert axe.findings(page) == []  # with the list open
    page.keyboard.press("Enter")
    walk.type("To be done by", (timezone.now() + timedelta(days=30)).date().isoformat())
    walk.button("Show what will change")
    expect(page.locator("main")).to_contain_text("1 person: Anna Árbol")
    assert axe.findings(page) == []
    walk.type("Why you do this", "New in the yearly plan")
    walk.button("Assign a course or policy")
    expect(page.get_by_role("status").first).to_be_focused()
    expect(page.get_by_role("status").first).to_contain_text("It is assigned. It reaches 1 person today.")
    assert walk.clicks <= 7
    assert walk.clicks == 3
    with context.company(company.organization_id):
        step = ShareStep.objects.get(organization_id=company.organization_id, team_ids=[team])
    assert step.deadline_basis == "share_deadline"
    assert anna.learner_profile_id not in (step.learner_profile_ids or [])


def test_a_picker_is_worked_by_keyboard_and_what_was_picked_is_taken_back(full, desk):
    company = full.company
    for name in ("Anna Berg", "Anna Cole"):
        company.join(name)
    page = desk(COMPLIANCE_MANAGER, 390, "dark")
    page.goto(f"/console/companies/{company.organization_id}/act/assign/")
    box = page.get_by_role("combobox", name="People", exact=True)
    box.press_sequentially("anna")
    expect(page.locator("[role=option]")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", name="Anna Cole")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")  # wraps around from the last to the first
    expect(page.get_by_role("option", name="Anna Berg")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(box).to_have_value("")
    expect(page.get_by_role("listitem").filter(has_text="Anna Berg")).to_be_visible()
    box.press_sequentially("anna")
    expect(page.locator("[role=option]")).to_have_count(1)  # a picked team is not offered again
    page.keyboard.press("Escape")
    expect(page.locator("[role=option]")).to_have_count(0)
    page.get_by_role("button", name="Remove: Anna Berg").press("Enter")
    expect(page.get_by_role("listitem").filter(has_text="Anna Berg")).to_have_count(0)
    expect(box).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_a_button_that_is_pressed_twice_sends_once(full, desk):
    company = full.company
    anna = company.join("Anna Árbol")
    page = desk(COMPLIANCE_MANAGER)
    page.goto(f"/console/companies/{company.organization_id}/act/suspend/?learner_profile_id={anna.learner_profile_id}")
    page.get_by_role("button", name="Show what will change").click()
    page.get_by_label("Why you do this").fill("A double click")
    page.get_by_role("button", name="Suspend").dblclick()
    expect(page.get_by_role("status").first).to_contain_text("The person is suspended.")
    expect(page.get_by_text("This was done already")).to_have_count(0)
