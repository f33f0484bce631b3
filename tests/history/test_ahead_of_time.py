"""Facts up to five minutes ahead of time: recorded at once, in no row before their moment."""

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.catalogue import REGISTERS
from compliance.catalogue.policies import ACKNOWLEDGEMENTS, POLICY_RECORDS
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.ledger import queries as ledger
from compliance.facts.lines import kinds
from compliance.facts.recording import record
from compliance.history import actions, queries
from compliance.history.verify import Verified, verify_history
from compliance.rules.vocabulary import Attendance, ChangeKind, Door, LiveSessionFormat, MarkedBy
from compliance.tenancy import context, sql
from config.celery import app
from tests import verbs
from tests.companies import ADMINISTRATOR, NOW, day, make_company
from tests.facts.story import Story
from tests.history.reading import at, captures, only, rows

pytestmark = pytest.mark.django_db

TRAINING = TRAINING_RECORDS.number
SOON = NOW + timedelta(minutes=2)


def _decide_everything_again(organization_id: uuid.UUID) -> None:
    with context.company(organization_id):
        sql.execute(
            "INSERT INTO pending_pendingsubject (organization_id, kind, recorded_at, attempts, set_aside_reason)"
            " VALUES (%s, 'company', %s, 0, '')",
            [organization_id, NOW],
        )


@pytest.fixture
def anna_owes():
    """A company in which Anna owes a course by day 600; captured."""
    company = make_company()
    course, anna = company.course(), company.join("Anna")
    company.share(course, due_at=day(600))
    actions.capture_all(company.organization_id, NOW)
    return company, course, anna


def test_a_capture_for_another_reason_says_nothing_of_a_fact_ahead_of_time(anna_owes):
    company, course, anna = anna_owes
    organization_id = company.organization_id
    company.complete(anna, course, SOON)
    verbs.set_deadline(
        organization_id=organization_id, learner_profile_id=anna.learner_profile_id, course_id=course.course_id,
        due_at=day(700), at=NOW, now=NOW, actor_id=ADMINISTRATOR,
    )  # fmt: skip
    actions.capture_all(organization_id, NOW)
    row = only(at(organization_id, TRAINING, SOON))
    assert (row["due_at"][:10], row["completed_at"]) == (day(700).date().isoformat(), None)
    actions.sweep_company(organization_id, SOON)
    assert only(at(organization_id, TRAINING, SOON))["completed_at"] is not None


def test_facts_ahead_of_time_of_every_noun_change_no_row_before_their_moment():
    """Every fact recorded ahead here would change a row if it counted; ends are columns of earlier facts."""
    story = Story(NOW)
    organization_id = story.organization_id
    ana, leaving, invited, erased = story.employees(["Ana", "Bo", "Cy", "Di"])
    course_id, release_id = story.shared_course()
    voided = story.completed(ana, release_id, day(20))
    version, share_id = story.shared_policy()
    about = {"organization_id": organization_id, "now": NOW}
    invitation = verbs.invite_person(**about, at=day(1), work_email="x@example.org")
    team = verbs.create_team(**about, at=day(1), name="Blue")
    contact = story.contact()
    with context.company(organization_id):
        persons: dict[uuid.UUID, uuid.UUID] = dict(
            sql.fetch("SELECT learner_profile_id, person_id FROM people_employment")
        )
    actions.capture_all(organization_id, NOW)
    before = queries.head(organization_id)
    stored = {register: at(organization_id, register, SOON) for register in REGISTERS}

    fact: dict[str, Any] = {"at": SOON}
    another = uuid.uuid4()
    ahead = [
        kinds.EmployeeLeft(**fact, fact_id=uuid.uuid4(), person_id=persons[leaving]),
        kinds.EmployeeSuspended(**fact, fact_id=uuid.uuid4(), person_id=persons[ana]),
        kinds.EmployeeJoined(
            **fact, fact_id=uuid.uuid4(), person_id=uuid.uuid4(), learner_profile_id=uuid.uuid4(), person_name="Eva"
        ),
        kinds.InvitationRevoked(**fact, fact_id=uuid.uuid4(), invitation_id=invitation),
        kinds.PersonInvited(
            **fact, fact_id=uuid.uuid4(), invitation_id=uuid.uuid4(), work_email="y@example.org"
        ),
        kinds.TeamJoined(**fact, fact_id=uuid.uuid4(), team_id=team, learner_profile_id=ana),
        kinds.ContactLeft(**fact, fact_id=uuid.uuid4(), learner_profile_id=contact, door=Door.PARTNER),
        kinds.PersonErased(**fact, fact_id=uuid.uuid4(), learner_profile_id=erased),
        kinds.CompletionVoided(
            **fact, fact_id=uuid.uuid4(), completion_receipt_id=voided, actor_id=ADMINISTRATOR
        ),
        kinds.ReleasePublished(
            **fact, fact_id=uuid.uuid4(), course_id=course_id, course_release_id=another, version=2, lessons=(),
            retake=True,
        ),
        kinds.CourseCompleted(
            **fact, fact_id=uuid.uuid4(), completion_receipt_id=uuid.uuid4(), learner_profile_id=invited,
            course_release_id=release_id,
        ),
        kinds.ShareEnded(**fact, fact_id=uuid.uuid4(), share_id=share_id),
        story.version(
            at=SOON, course_id=version.course_id, version=2, change_kind=ChangeKind.ASK_AGAIN, fact_id=uuid.uuid4()
        ),
    ]  # fmt: skip
    record(organization_id, ahead, now=NOW)
    _decide_everything_again(organization_id)
    actions.capture_all(organization_id, SOON - timedelta(microseconds=1))
    assert queries.head(organization_id).sequence == before.sequence
    assert {register: at(organization_id, register, SOON) for register in REGISTERS} == stored

    actions.capture_all(organization_id, SOON)
    changed = {row.register for row in rows(organization_id) if row.sequence > before.sequence}
    assert changed == set(REGISTERS) - {ACKNOWLEDGEMENTS.number}
    assert all(row.valid_from <= row.recorded_at for row in rows(organization_id))
    first = queries.head(organization_id).sequence
    _decide_everything_again(organization_id)
    actions.capture_all(organization_id, SOON)
    assert queries.head(organization_id).sequence == first  # nothing was missed when the moment came
    assert isinstance(verify_history(organization_id), Verified)


def test_each_of_several_facts_ahead_of_time_is_decided_at_its_own_moment(anna_owes):
    company, course, anna = anna_owes
    organization_id = company.organization_id
    later = SOON + timedelta(minutes=1)
    ben = company.join("Ben")
    actions.capture_all(organization_id, NOW)
    record(
        organization_id,
        [
            kinds.CourseCompleted(
                fact_id=uuid.uuid4(), at=moment, completion_receipt_id=uuid.uuid4(),
                learner_profile_id=person.learner_profile_id, course_release_id=course.course_release_id,
            )
            for person, moment in ((anna, SOON), (ben, later))
        ],
        now=NOW,
    )  # fmt: skip
    for moment in (SOON, later):
        (captured,) = actions.capture_all(organization_id, moment)
        assert captured.rows == 1
        assert rows(organization_id, TRAINING)[-1].valid_from == moment


def test_a_failure_is_retried_and_what_still_waits_stays_when_the_same_subject_is_decided(anna_owes):
    """A wide subject that covers a waiting subject removes no row of that, or it would never be decided."""
    company, course, anna = anna_owes
    organization_id = company.organization_id
    company.complete(anna, course, SOON)
    _decide_everything_again(organization_id)
    actions.capture_all(organization_id, NOW)
    with context.company(organization_id):
        assert sum(ledger.waiting(organization_id)[:2]) == 1
    assert sum(each.rows for each in actions.capture_all(organization_id, SOON)) == 1


def _completions(organization_id: uuid.UUID, course, people_: list[uuid.UUID], first: datetime, apart: timedelta):
    return [
        kinds.CourseCompleted(
            fact_id=uuid.uuid4(), at=first + number * apart, completion_receipt_id=uuid.uuid4(),
            learner_profile_id=person, course_release_id=course.course_release_id,
        )
        for number, person in enumerate(people_)
    ]  # fmt: skip


def test_the_number_of_statements_does_not_grow_with_the_facts_ahead_of_time():
    counted = []
    for many in (60, 240):
        company = make_company()
        course = company.course()
        company.share(course)
        people_ = [company.join(f"Person {number}").learner_profile_id for number in range(many)]
        facts = _completions(
            company.organization_id, course, people_, NOW + timedelta(seconds=1), timedelta(seconds=228) / (many - 1)
        )
        with CaptureQueriesContext(connection) as statements:
            record(company.organization_id, facts, now=NOW)
        counted.append(len(statements))
    assert counted[0] == counted[1]


def test_the_worker_is_asked_for_a_capture_at_the_moment(
    anna_owes, tasks_in_memory, django_capture_on_commit_callbacks
):
    company, course, anna = anna_owes
    with app.connection_for_read() as broker, broker.SimpleQueue("celery") as queue:
        queue.clear()
        with django_capture_on_commit_callbacks(execute=True):
            company.complete(anna, course, SOON)
        message = queue.get(timeout=1)
        message.ack()
        assert message.headers["task"] == "compliance.history.capture"
        assert datetime.fromisoformat(message.headers["eta"]) == SOON
        assert message.payload[0] == [str(company.organization_id)]
        assert queue.qsize() == 0


def test_a_capture_never_says_what_holds_from_later_than_itself(anna_owes):
    """An attendance that is marked before the session has ended completes the course at its end."""
    company, course, anna = anna_owes
    organization_id = company.organization_id
    ends_at = NOW + timedelta(hours=1)
    session = verbs.hold_live_session(
        organization_id=organization_id, course_release_id=course.course_release_id, format=LiveSessionFormat.ON_SITE,
        starts_at=NOW - timedelta(hours=1), ends_at=ends_at, minutes=120, at=NOW - timedelta(hours=1), now=NOW,
    )  # fmt: skip
    verbs.mark_attendance(
        organization_id=organization_id, live_session_id=session, learner_profile_id=anna.learner_profile_id,
        attended=Attendance.FULL, marked_by=MarkedBy.TRAINER, at=NOW, now=NOW,
    )  # fmt: skip
    actions.capture_all(organization_id, NOW)
    assert all(row.valid_from <= row.recorded_at for row in rows(organization_id))
    actions.sweep_company(organization_id, ends_at)
    row = only(at(organization_id, TRAINING, ends_at))
    assert row["completed_at"] is not None
    assert isinstance(verify_history(organization_id), Verified)
    assert captures(organization_id)[-1].captured_at >= rows(organization_id, TRAINING)[-1].valid_from


def test_receipts_of_one_moment_are_in_no_capture_before_the_later_moments_that_they_got():
    """The chain dates each a microsecond after the one before, which may be after the capture."""
    story = Story(NOW)
    organization_id = story.organization_id
    version, share_id = story.shared_policy()
    story.tell([story.signed(version, share_id, each, at=NOW) for each in story.employees(["Ana", "Bo", "Cy"])])
    signed = []
    for tick in range(3):
        now = NOW + timedelta(microseconds=tick)
        actions.sweep_company(organization_id, now)
        records = at(organization_id, POLICY_RECORDS.number, now).values()
        assert len(at(organization_id, ACKNOWLEDGEMENTS.number, now)) == tick + 1
        signed.append(sum(each["signed_at"] is not None for each in records))
    assert signed == [1, 2, 3]
    assert all(row.valid_from <= row.recorded_at for row in rows(organization_id))
    assert isinstance(verify_history(organization_id), Verified)
