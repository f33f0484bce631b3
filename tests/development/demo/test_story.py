"""The special cases in the demo's story, as a client meets them over /v1."""

import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from compliance.facts.courses import queries as courses
from compliance.facts.courses.models import ReleaseContent, ReleaseMedia
from compliance.facts.people.queries import roles_of
from compliance.tenancy import context
from development.demo import harbour, meridian, story
from development.demo.meridian.courses import ANTI_BRIBERY, COACHING, ON_SITE
from development.demo.meridian.policies import HOME_OFFICE
from development.demo.telling import Story
from tests.interfaces.api.conftest import Caller, issue_everything

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
TODAY = "as_at=2026-06-01T12:00:00Z"
A_YEAR = "from=2025-05-01&to=2026-06-01T12:00:00Z"
MERIDIAN, HARBOUR = (
    Story(story.organization_id(company), name, company.ZONE, NOW.date())
    for company, name in ((meridian, "meridian"), (harbour, "harbour"))
)

Rows = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def rows(django_db_setup: None, django_db_blocker: Any) -> Iterator[Rows]:
    """The rows of a register of a company of the demo, over HTTP; in a transaction that is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        story.tell_all(NOW, lambda _: None)
        callers = {
            company: Caller(issue_everything(company.organization_id, NOW))
            for company in (MERIDIAN, HARBOUR)
        }  # fmt: skip

        def pull(company: Story, register: str, query: str = TODAY, **wanted: Any) -> list[dict[str, Any]]:
            found = callers[company].pull(f"/v1/{register}?{query}")
            return [row for row in found if wanted.items() <= row.items()]

        yield pull
        transaction.set_rollback(True)


def test_a_policy_that_does_not_say_from_when_it_applies(rows: Rows) -> None:
    (version,) = rows(MERIDIAN, "policies", policy_title=HOME_OFFICE)
    assert version["effective_on"] is None
    signed = rows(
        MERIDIAN, "acknowledgements", f"from=2025-05-01&{TODAY}", course_release_id=version["course_release_id"]
    )
    assert signed
    assert {receipt["effective_on"] for receipt in signed} == {None}
    records = rows(MERIDIAN, "policy-records", course_release_id=version["course_release_id"])
    assert {record["state"] for record in records} == {"signed", "overdue"}


@pytest.mark.parametrize(
    ("company", "name"), [(MERIDIAN, "Gaspard Leroy"), (HARBOUR, "Liam Fraser")], ids=lambda value: str(value)[:7]
)
def test_somebody_who_left_and_came_back_into_the_same_team(rows: Rows, company: Story, name: str) -> None:
    by_id = {row["person_id"]: row for row in rows(company, "people", A_YEAR, learner_profile_id=company.profile(name))}
    first, second = by_id[company.person(name)], by_id[company.person(name, 2)]
    assert (first["access_state"], second["access_state"]) == ("ended", "active")
    assert first["left_at"] < second["joined_at"]
    assert first["team_ids"] == second["team_ids"] != []
    owed = [
        row
        for row in rows(company, "training-records", learner_profile_id=company.profile(name))
        if row["assigned_at"] >= second["joined_at"]
    ]
    assert owed


def test_a_voided_completion_whose_renewal_was_done(rows: Rows) -> None:
    person, voided = MERIDIAN.profile("Jonas Weber"), MERIDIAN.certificate("Jonas Weber", ANTI_BRIBERY, 615)
    course = MERIDIAN.id(f"course/{ANTI_BRIBERY}")
    found = rows(MERIDIAN, "certificates", learner_profile_id=person, course_id=course)
    held = {row["certificate_id"]: row for row in found}
    renewed = held[MERIDIAN.certificate("Jonas Weber", ANTI_BRIBERY, 265)]
    assert (held[voided]["status"], renewed["status"], renewed["renews_id"]) == ("revoked", "valid", voided)
    (record,) = rows(MERIDIAN, "training-records", learner_profile_id=person, course_id=course)
    # The completion that was to renew is the only one left, and too late for the first deadline.
    assert record["certificate_id"] == renewed["certificate_id"]
    assert record["outcome"] == "completed_late"


def test_a_voided_completion_whose_renewal_stood_open(rows: Rows) -> None:
    person, course = MERIDIAN.profile("Hugo Bernard"), MERIDIAN.id(f"course/{ANTI_BRIBERY}")
    (certificate,) = rows(MERIDIAN, "certificates", learner_profile_id=person, course_id=course)
    assert certificate["status"] == "revoked"
    (record,) = rows(MERIDIAN, "training-records", learner_profile_id=person, course_id=course)
    assert (record["outcome"], record["renews_certificate_id"]) == ("overdue", None)
    summer = "from=2025-07-15&to=2025-08-20"
    before = rows(MERIDIAN, "training-records/period", summer, learner_profile_id=person, course_id=course)
    assert certificate["certificate_id"] in {row["renews_certificate_id"] for row in before}


def test_a_course_shared_with_partners_alone_reaches_no_employee(rows: Rows) -> None:
    shares = {MERIDIAN.shared(ON_SITE, "partners"), MERIDIAN.shared(COACHING, "partners")}
    records = [
        *rows(MERIDIAN, "training-records"),
        *rows(MERIDIAN, "training-records/period", A_YEAR),
    ]
    assert records
    assert not [row for row in records if shares & set(row["share_ids"])]
    assert not [row for row in records if row["course_id"] == MERIDIAN.id(f"course/{ON_SITE}")]
    assert [row for row in records if row["course_id"] == MERIDIAN.id(f"course/{COACHING}")]


def test_a_certificate_corrected_after_a_change_of_name(rows: Rows) -> None:
    held = {
        row["certificate_id"]: row
        for row in rows(MERIDIAN, "certificates", learner_profile_id=MERIDIAN.profile("Margaux Faure"))
    }
    first = held[MERIDIAN.certificate("Margaux Faure", ANTI_BRIBERY, 300)]
    correction = held[MERIDIAN.id("certificate/new name")]
    assert (first["status"], correction["status"]) == ("replaced", "valid")
    assert correction["supersedes_id"] == first["certificate_id"]
    assert (first["person_name"], correction["person_name"]) == ("Margaux Faure", "Margaux Faure-Nguyen")


@pytest.mark.parametrize(
    ("company", "names"), [(MERIDIAN, meridian.LEARNERS), (HARBOUR, harbour.LEARNERS)], ids=lambda value: str(value)[:7]
)
def test_each_learner_of_the_demo_has_a_course_to_take_and_a_policy_to_sign(
    rows: Rows, company: Story, names: tuple[str, ...]
) -> None:
    assert len(names) >= 2
    with context.company(company.organization_id):
        content = {str(each.course_release_id) for each in courses.readable(company.organization_id, 100)}
    for name in names:
        learner = company.profile(name)
        to_take = rows(company, "training-records", learner_profile_id=learner)
        to_take = [row for row in to_take if row["outcome"] in ("overdue", "not_due_yet")]
        assert to_take
        assert {row["course_release_id"] for row in to_take} <= content, name
        to_sign = rows(company, "policy-records", learner_profile_id=learner)
        assert [row for row in to_sign if row["state"] in ("overdue", "to_do")], name


def test_one_learner_of_the_demo_has_all_that_a_learner_can_have(rows: Rows) -> None:
    learner = MERIDIAN.profile(meridian.LEARNERS[0])
    outcomes = {row["outcome"] for row in rows(MERIDIAN, "training-records", learner_profile_id=learner)}
    assert {"overdue", "not_due_yet", "completed_on_time"} <= outcomes
    assert rows(MERIDIAN, "certificates", learner_profile_id=learner, status="valid")
    with context.company(MERIDIAN.organization_id):
        roles = roles_of(MERIDIAN.organization_id, uuid.UUID(learner), NOW)
    assert {"buyer", "people-manager"} <= roles


def test_one_learner_of_the_demo_has_nothing_to_do(rows: Rows) -> None:
    learner = MERIDIAN.profile(meridian.OTHER_LEARNERS[0])
    records = rows(MERIDIAN, "training-records", learner_profile_id=learner)
    assert records
    assert not [row for row in records if row["outcome"] in ("overdue", "not_due_yet")]
    assert {row["state"] for row in rows(MERIDIAN, "policy-records", learner_profile_id=learner)} == {"signed"}


def test_a_telling_that_was_ended_midway_is_gone_on_with(rows: Rows) -> None:
    """A day later the story is completed with the days of its beginning."""
    company = HARBOUR.organization_id
    whole = rows(HARBOUR, "training-records")
    with transaction.atomic():
        with context.company(company):
            ReleaseContent.objects.filter(organization_id=company).update(manifest=None, words=None)
            ReleaseMedia.objects.filter(organization_id=company).delete()
        said: list[str] = []
        for days in (1, 2):
            story.tell_all(NOW + timedelta(days=days), said.append)
        assert said == ["Telling the story of Harbour & Holt ..."]
        assert rows(HARBOUR, "training-records") == whole
        with context.company(company):
            assert [each.languages for each in courses.readable(company, 100)] == [["en"]]
        transaction.set_rollback(True)
