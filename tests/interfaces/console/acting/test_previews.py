"""A preview says what the act will do and nothing else, and is made anew once somebody has changed what it is about."""

import pytest

from compliance.facts.people import queries
from compliance.interfaces.console.acting import four_eyes
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.interfaces.console.acting.test_spreadsheet import Page, pairs
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.test_acting import REASON, _package, confirm, do, facts, preview
from tests.provisioning.spreadsheets.exports import employees, personio

pytestmark = pytest.mark.django_db
CHANGED = "Somebody changed something about this since you looked"
OTHER = {"words/en.json": (b"Fire", b"Flame")}


@pytest.fixture
def company():
    return make_present_company("Previewed")


@pytest.mark.parametrize("named", [False, True], ids=["the package's own course", "a chosen course"])
def test_a_version_that_somebody_else_published_since_is_seen_before_the_next_one(named, staff, company):
    first, second = staff(COMPLIANCE_MANAGER), staff(COMPLIANCE_MANAGER)
    course = {"course_id": str(company.course("Fire safety").course_id)} if named else {}
    _, mine = preview(first, company, "publish-course", package=_package("fire-safety"), **course)
    do(second, company, "publish-course", package=_package("fire-safety", OTHER), **course)
    published = facts(company).count("release_published")
    page = confirm(first, company, "publish-course", mine)
    assert CHANGED in page.content.decode()
    assert facts(company).count("release_published") == published
    assert confirm(first, company, "publish-course", mine).status_code == 302
    assert facts(company).count("release_published") == published + 1


def test_a_version_that_somebody_else_published_since_is_seen_before_the_one_before_is_withdrawn(staff, company):
    course, client = company.course("Fire safety"), staff(COMPLIANCE_MANAGER)
    _, mine = preview(client, company, "withdraw-course", course_release_id=str(course.course_release_id))
    company.publish(course, 2, at=company.now)
    assert CHANGED in confirm(client, company, "withdraw-course", mine).content.decode()
    assert "release_withdrawn" not in facts(company)
    assert confirm(client, company, "withdraw-course", mine).status_code == 302
    assert "release_withdrawn" in facts(company)


def test_a_version_that_somebody_else_withdrew_since_is_refused_in_the_form(staff, company):
    version = {"course_release_id": str(company.course("Fire safety").course_release_id)}
    first, second = staff(COMPLIANCE_MANAGER), staff(COMPLIANCE_MANAGER)
    _, mine = preview(first, company, "withdraw-course", **version)
    do(second, company, "withdraw-course", **version)
    assert "errorlist" in confirm(first, company, "withdraw-course", mine).content.decode()
    assert facts(company).count("release_withdrawn") == 1


def test_the_second_person_is_told_that_a_spreadsheets_plan_is_outdated_and_can_only_decline(company, settings):
    settings.FOUR_EYES = True
    page = Page(signed_in(make_staff("hr", OPERATOR)), company)
    page.upload(personio(employees(2)))
    assert page.confirm().status_code == 302
    with context.company(company.organization_id):
        job = Job.objects.get(state=Job.State.PREPARED)
    second = signed_in(make_staff("second", COMPLIANCE_MANAGER))
    address = f"/console/companies/{company.organization_id}/inbox/import-people/{job.job_id}/"
    assert 'value="confirm"' in second.get(address).content.decode()
    company.join("Person.00000")
    for answer in (second.get(address), second.post(address, {"step": "confirm", "reason": REASON})):
        text = answer.content.decode()
        assert str(four_eyes.GONE) in text
        assert pairs(text)["Join"] == "1"
        assert 'value="confirm"' not in text
        assert 'value="decline"' in text
    with context.company(company.organization_id):
        job.refresh_from_db()
        assert job.state == Job.State.PREPARED
        assert queries.employees(company.organization_id, company.now) == 1
    assert second.post(address, {"step": "decline", "reason": REASON}).status_code == 302


@pytest.mark.parametrize(
    ("part", "repeated"),
    [("requirement", {"Requirement"}), ("deadline", {"Deadline", "Due on"}), ("audience", {"For"}),
     ("doors", {"Who come as"})],
)  # fmt: skip
def test_the_preview_of_a_changed_share_repeats_only_what_is_ticked(part, repeated, staff, company):
    share = company.share(company.course("Fire safety"))
    text, _ = preview(
        staff(COMPLIANCE_MANAGER), company, "change-share", share_id=str(share), what=[part], requirement="optional",
        doors=["employee"], audience="everyone", basis="share_deadline", due_on="2026-01-05",
    )  # fmt: skip
    every = ("Requirement", "Deadline", "Due on", "For", "Who come as")
    assert {each for each in every if f"<dt>{each}</dt>" in text} == repeated
    assert ("late at once" in text) == (part == "deadline")
