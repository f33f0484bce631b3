"""Staff record a past completion, and declare one void: facts with an actor, and a reason in the access log."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from compliance.facts.ledger.models import Fact
from compliance.facts.training.models import Completion
from compliance.history.actions import capture_all
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.rules import company_days
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, Course, Person, make_company, make_present_company, noon
from tests.interfaces.console.courses.test_views import Staff, words
from tests.interfaces.console.test_acting import REASON, confirm, do, preview

pytestmark = pytest.mark.django_db


@pytest.fixture
def company() -> Company:
    return make_present_company()


@pytest.fixture
def anna(company: Company) -> Person:
    return company.join("Anna Berg")


@pytest.fixture
def course(company: Company, anna: Person) -> Course:
    found = company.course("Fire safety")
    company.share(found, days=10)
    return found


def told(person: Person, course: Course, **more: Any) -> dict[str, str]:
    return {"learner_profile_id": str(person.learner_profile_id), "course_id": str(course.course_id)} | more


def completions(company: Company) -> list[Completion]:
    with context.company(company.organization_id):
        return list(Completion.objects.order_by("at"))


def refused(client: Client, company: Company, act: str, **values: str) -> str:
    address = f"/console/companies/{company.organization_id}/act/{act}/"
    page = client.post(address, {"step": "preview"} | values).content.decode()
    assert 'name="job"' not in page
    return words(page)


def test_a_completion_of_a_past_day_counts_from_the_end_of_that_day(
    staff: Staff, company: Company, anna: Person, course: Course
) -> None:
    client, day = staff(COMPLIANCE_MANAGER), (company.start + timedelta(days=3)).date()
    text, sent = preview(client, company, "record-completion", **told(anna, course, completed_on=day.isoformat()))
    assert "Anna Berg" in text
    assert completions(company) == []
    assert confirm(client, company, "record-completion", sent).status_code == 302
    (found,) = completions(company)
    assert found.at == company_days.end_of_day("Europe/London", day)
    assert found.course_release_id == course.course_release_id
    with context.company(company.organization_id):
        fact = Fact.objects.get(kind="course_completed")
    assert fact.actor_id is not None
    line = AccessLog.objects.get(act="record-completion", organization_id=company.organization_id)
    assert line.reason == REASON
    assert [str(each) for each in line.learner_profile_ids] == [str(anna.learner_profile_id)]


def test_a_completion_of_today_is_one_of_now_and_a_time_is_the_company_s(
    staff: Staff, company: Company, anna: Person, course: Course
) -> None:
    client, today = staff(COMPLIANCE_MANAGER), timezone.now().date().isoformat()
    do(
        client,
        company,
        "record-completion",
        **told(anna, course, completed_on=noon(3).date().isoformat(), completed_at="12:00"),
    )
    do(client, company, "record-completion", **told(anna, course, completed_on=today))
    first, second = completions(company)
    assert abs(first.at - noon(3)) <= timedelta(hours=1)
    assert timezone.now() - second.at < timedelta(minutes=10)


def test_what_has_not_happened_and_what_lies_before_the_records_is_refused(
    staff: Staff, company: Company, anna: Person, course: Course
) -> None:
    client = staff(COMPLIANCE_MANAGER)
    ahead = (timezone.now() + timedelta(days=2)).date().isoformat()
    assert "lies in the future" in refused(
        client, company, "record-completion", **told(anna, course, completed_on=ahead)
    )
    before = told(anna, course, completed_on="1999-03-04")
    assert "The records of this company begin later" in refused(client, company, "record-completion", **before)


def test_the_version_that_was_in_use_on_that_day_is_the_one_that_was_completed(
    staff: Staff, company: Company, anna: Person, course: Course
) -> None:
    second = company.publish(course, 2, company.start + timedelta(days=20), retake=True)
    client = staff(COMPLIANCE_MANAGER)
    for days in (10, 25):
        day = (company.start + timedelta(days=days)).date().isoformat()
        do(client, company, "record-completion", **told(anna, course, completed_on=day))
    assert [each.course_release_id for each in completions(company)] == [
        course.course_release_id,
        second.course_release_id,
    ]


def test_a_course_without_any_version_has_nothing_to_complete(staff: Staff, company: Company, anna: Person) -> None:
    course_id = verbs.create_course(
        organization_id=company.organization_id, at=company.start, now=company.now, title="First aid"
    )
    without = told(anna, Course(course_id, uuid.uuid4()), completed_on=noon(1).date().isoformat())
    page = refused(staff(COMPLIANCE_MANAGER), company, "record-completion", **without)
    assert "No version of this course was in use then" in page


def test_a_void_completion_is_owed_again_and_nothing_is_voided_twice(
    staff: Staff, company: Company, anna: Person, course: Course
) -> None:
    company.complete(anna, course, company.start + timedelta(days=2))
    company.complete(anna, course, company.start + timedelta(days=5))
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    client = staff(COMPLIANCE_MANAGER)
    older, newer = completions(company)
    do(client, company, "void-completion", **told(anna, course, completion_receipt_id=str(older.completion_receipt_id)))
    older, newer = completions(company)
    assert (older.voided_at is not None, newer.voided_at) == (True, None)
    do(client, company, "void-completion", **told(anna, course))
    assert all(each.voided_at and each.voided_by for each in completions(company))
    assert "There is no completion of this course" in refused(client, company, "void-completion", **told(anna, course))


def test_the_empty_boxes_of_the_pickers_hide_no_completion(
    staff: Staff, company: Company, anna: Person, course: Course
) -> None:
    """A browser sends what was picked and then, under the same name, the empty text box."""
    company.complete(anna, course, company.start + timedelta(days=2))
    (found,) = completions(company)
    client, address = staff(COMPLIANCE_MANAGER), f"/console/companies/{company.organization_id}/act/void-completion/"
    sent = {
        "step": "preview",
        "learner_profile_id": [str(anna.learner_profile_id), ""],
        "course_id": [str(course.course_id), ""],
        "completion_receipt_id": str(found.completion_receipt_id),
    }
    page = client.post(address, sent).content.decode()
    assert 'name="job"' in page
    assert "Select a valid choice" not in page


def test_people_and_courses_of_another_company_are_not_there(
    staff: Staff, company: Company, anna: Person, course: Course
) -> None:
    other = make_company("Other")
    theirs = Company(other.organization_id, start=company.start, now=company.now)
    ben, hygiene = theirs.join("Ben"), theirs.course("Hygiene")
    theirs.complete(ben, hygiene, company.start)
    client, day = staff(COMPLIANCE_MANAGER), noon(1).date().isoformat()
    for person, of in ((ben, course), (anna, hygiene)):
        refused(client, company, "record-completion", **told(person, of, completed_on=day))
        refused(client, company, "void-completion", **told(person, of))
    assert completions(company) == []
    assert completions(theirs)[0].voided_at is None


def test_only_who_may_change_records_may(staff: Staff, company: Company) -> None:
    client = staff(OPERATOR)
    for act in ("record-completion", "void-completion"):
        assert client.get(f"/console/companies/{company.organization_id}/act/{act}/").status_code == 403
