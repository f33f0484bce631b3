"""A compliance manager records a completion that happened elsewhere, and declares one void: five clicks each."""

from datetime import timedelta

from playwright.sync_api import expect

from compliance.facts.training.models import Completion
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.interfaces.console.understand.refreshing import refresh
from compliance.tenancy import context
from tests.interfaces.console.companies import Full
from tests.interfaces.console.jobs.walking import Walk


def _completions(full: Full) -> list[tuple[object, object]]:
    organization_id = full.company.organization_id
    with context.company(organization_id):
        found = Completion.objects.filter(organization_id=organization_id).order_by("id")
        return list(found.values_list("learner_profile_id", "voided_at"))


def _pick(walk: Walk, name: str) -> None:
    """Types a name and chooses the offered person, which does not count as a click."""
    expect(walk.page.get_by_role("combobox", name="Person", exact=True)).to_be_visible()  # the script has loaded
    walk.type("Person", name)
    walk.page.get_by_role("option", name=name).click()


def test_a_completion_is_recorded_in_five_clicks(desk, full):
    refresh(full.company.organization_id, full.company.now)
    walk = Walk(desk(COMPLIANCE_MANAGER), full.company.organization_id)
    walk.link("Courses")
    walk.link("Fire safety")
    walk.link("Record a completion")
    _pick(walk, "Person 003")
    walk.type("Completed on", (full.company.start + timedelta(days=2)).date().isoformat())
    walk.button("Show what will change")
    walk.type("Why you do this", "Done on paper in the workshop")
    walk.button("Record a completion")
    expect(walk.page.get_by_role("status").first).to_contain_text("The completion is recorded.")
    assert walk.clicks <= 5
    assert _completions(full)[-1] == (full.people[3].learner_profile_id, None)


def test_a_completion_is_declared_void_in_five_clicks(desk, full):
    refresh(full.company.organization_id, full.company.now)
    walk = Walk(desk(COMPLIANCE_MANAGER), full.company.organization_id)
    walk.link("Courses")
    walk.link("Fire safety")
    walk.link("Void a completion")
    _pick(walk, "Person 000")
    walk.button("Show what will change")
    walk.type("Why you do this", "Somebody else sat the test")
    walk.button("Void a completion")
    expect(walk.page.get_by_role("status").first).to_contain_text("The completion is void.")
    assert walk.clicks <= 5
    assert all(voided_at is not None for _, voided_at in _completions(full))
