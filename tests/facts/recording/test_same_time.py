"""Two transactions that record the same of one thing at the same time: the second is refused, and changes nothing."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from compliance.facts.errors import AlreadyExistsError, RefusedByRuleError
from compliance.facts.lines.kinds import (
    AttendanceMarked,
    Certificate,
    CertificateCorrected,
    CertificateRevoked,
    CompletionVoided,
    FactLine,
    ReleaseLesson,
    ReleasePublished,
    ReleaseWithdrawn,
    ShareEnded,
)
from compliance.facts.recording import record
from compliance.rules.owed_learning.identity import certificate_id
from compliance.rules.vocabulary import (
    Attendance,
    CertificateKind,
    LiveSessionFormat,
    MarkedBy,
)
from tests import verbs
from tests.companies import ADMINISTRATOR, NOW, Company, Course, Person, day, make_company
from tests.registers.recording_elsewhere import recording_elsewhere, until_somebody_waits

Lines = Callable[[Company, Course, Person], tuple[FactLine, FactLine]]


def _voidings(company: Company, course: Course, person: Person) -> tuple[FactLine, FactLine]:
    receipt_id = company.complete(person, course, day(3))
    first, second = (
        CompletionVoided(fact_id=uuid.uuid4(), at=day(at), completion_receipt_id=receipt_id, actor_id=ADMINISTRATOR)
        for at in (4, 5)
    )
    return first, second


def _withdrawals(company: Company, course: Course, person: Person) -> tuple[FactLine, FactLine]:
    first, second = (
        ReleaseWithdrawn(fact_id=uuid.uuid4(), at=day(at), course_release_id=course.course_release_id) for at in (4, 5)
    )
    return first, second


def _ends_of_a_share(company: Company, course: Course, person: Person) -> tuple[FactLine, FactLine]:
    share_id = company.share(course, day(3))
    first, second = (ShareEnded(fact_id=uuid.uuid4(), at=day(at), share_id=share_id) for at in (4, 5))
    return first, second


def _a_revocation_and_a_correction(company: Company, course: Course, person: Person) -> tuple[FactLine, FactLine]:
    certified = company.course("First aid", certificate=Certificate(title="Aider", kind=CertificateKind.COMPLETION))
    company.share(certified, day(2))
    earned = certificate_id(company.organization_id, company.complete(person, certified, day(3)))
    return (
        CertificateRevoked(fact_id=uuid.uuid4(), at=day(4), certificate_id=earned, actor_id=ADMINISTRATOR),
        CertificateCorrected(
            fact_id=uuid.uuid4(), at=day(5), certificate_id=uuid.uuid4(), supersedes_id=earned, actor_id=ADMINISTRATOR
        ),
    )


def _attendances_in_two_places(company: Company, course: Course, person: Person) -> tuple[FactLine, FactLine]:
    when: dict[str, Any] = {"organization_id": company.organization_id, "at": day(3), "now": NOW}
    sessions = [
        verbs.hold_live_session(
            **when, course_release_id=course.course_release_id, format=LiveSessionFormat.ON_SITE, starts_at=day(3),
            ends_at=day(3) + timedelta(hours=2), minutes=120,
        )
        for _ in range(2)
    ]  # fmt: skip
    first, second = (
        AttendanceMarked(
            fact_id=uuid.uuid4(), at=day(4), live_session_id=session, attended=Attendance.FULL,
            learner_profile_id=person.learner_profile_id, marked_by=MarkedBy.TRAINER,
        )
        for session in sessions
    )  # fmt: skip
    return first, second


def _recorded_after(company: Company, first: FactLine, second: FactLine) -> None:
    """Records `second` while another transaction that has recorded `first` is open, and commits meanwhile."""

    def record_second() -> None:
        try:
            record(company.organization_id, [second], now=NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads, recording_elsewhere(company.organization_id, [first], NOW) as elsewhere:
        here = threads.submit(record_second)
        until_somebody_waits()
        elsewhere.commit()
        here.result(60)


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(
    "lines",
    [
        _voidings,
        _withdrawals,
        _ends_of_a_share,
        _a_revocation_and_a_correction,
        _attendances_in_two_places,
    ],
)
def test_what_another_transaction_records_at_the_same_time_is_recorded_once(lines: Lines) -> None:
    company = make_company()
    first, second = lines(company, company.course(), company.join())

    with pytest.raises(RefusedByRuleError):
        _recorded_after(company, first, second)


@pytest.mark.usefixtures("committed")
def test_a_new_lesson_that_another_transaction_makes_at_the_same_time_is_compared_with_that_one() -> None:
    company = make_company()
    lesson = uuid.uuid4()

    def published(course: Course, digit: str) -> ReleasePublished:
        stated = ReleaseLesson(release_id=lesson, title="Fire", version=2, content_sha256=digit * 64)
        return ReleasePublished(
            fact_id=uuid.uuid4(), at=day(3), course_id=course.course_id, course_release_id=uuid.uuid4(), version=2,
            lessons=(stated,),
        )  # fmt: skip

    first, second = published(company.course(), "1"), published(company.course(), "2")

    with pytest.raises(AlreadyExistsError, match="at this moment"):
        _recorded_after(company, first, second)
    with pytest.raises(RefusedByRuleError, match="one differs from before"):
        record(company.organization_id, [second], now=NOW)
