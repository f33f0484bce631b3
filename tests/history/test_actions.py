"""The writer of the history: what it appends, when, and why."""

import uuid
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.db import IntegrityError, InternalError, connection
from django.test.utils import CaptureQueriesContext

from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.people import PEOPLE
from compliance.catalogue.policies import ACKNOWLEDGEMENTS
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts import fan_out
from compliance.facts.ledger import queries as ledger
from compliance.facts.lines.kinds import Audience, Certificate
from compliance.facts.recording import subjects as recorded_subjects
from compliance.history import actions, deciding, queries, subjects
from compliance.history.errors import NoHistoryError
from compliance.history.models import HistoryHead
from compliance.history.verify import Verified, verify_history
from compliance.rules.company_days import start_of_day
from compliance.rules.owed_learning import decide as owed_learning
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy import context, sql
from compliance.tenancy.actions import create_organization
from compliance.tenancy.errors import CompanyExistsError
from compliance.tenancy.models import Organization
from tests import verbs
from tests.companies import NOW, START, day, make_company
from tests.facts.story import Story
from tests.history.reading import at, captures, only, rows

pytestmark = pytest.mark.django_db

TRAINING = TRAINING_RECORDS.number


def _capture(company):
    return actions.capture_all(company.organization_id, company.now)


@pytest.fixture
def anna_owes():
    """A company in which Anna owes a course by day 30; captured."""
    company = make_company()
    course = company.course()
    anna = company.join("Anna")
    company.share(course, due_at=day(30))
    _capture(company)
    return company, course, anna


def test_a_new_company_begins_with_capture_one_and_no_row():
    company = make_company()
    (capture,) = captures(company.organization_id)
    assert (capture.capture_sequence, capture.first_sequence, capture.last_sequence) == (1, 1, 0)
    assert queries.head(company.organization_id).chain_hash == capture.chain_hash
    assert isinstance(verify_history(company.organization_id), Verified)
    assert rows(company.organization_id) == []


def _make(organization_id, name="Acme"):
    return make_company(name, organization_id=organization_id).organization_id


def _is_whole(organization_id):
    return isinstance(verify_history(organization_id), Verified) and queries.head(organization_id).capture_sequence == 1


def test_a_row_without_a_history_is_given_one_by_the_same_call_alone(new_organization_id):
    half = create_organization(
        name="Acme", time_zone="Europe/London", history_complete_from=start_of_day("Europe/London", date(2020, 1, 1)),
        now=START, organization_id=new_organization_id(),
    ).organization_id  # fmt: skip
    with pytest.raises(CompanyExistsError, match="exists already"):
        _make(half, "Another")
    assert _make(half) == half
    assert _is_whole(half)
    with pytest.raises(CompanyExistsError, match="exists already"):
        _make(half)


def test_a_history_without_a_row_is_given_one_unless_it_has_begun(new_organization_id):
    for further in (False, True):
        company = make_company(organization_id=new_organization_id())
        if further:
            company.join("Anna")
            _capture(company)
        Organization.objects.filter(organization_id=company.organization_id).delete()
        if further:
            with pytest.raises(CompanyExistsError, match="has a history already"):
                _make(company.organization_id)
        else:
            assert _is_whole(_make(company.organization_id))


def test_a_company_whose_history_cannot_begin_is_in_no_directory(new_organization_id):
    """Its first capture exists already, and cannot be removed."""
    organization_id = _make(new_organization_id())
    for model in (HistoryHead, Organization):
        model.objects.filter(organization_id=organization_id).delete()
    with pytest.raises(IntegrityError):
        _make(organization_id)
    assert not Organization.objects.filter(organization_id=organization_id).exists()


def test_a_company_without_a_history_cannot_be_captured():
    with pytest.raises(NoHistoryError):
        queries.head(uuid.uuid4())


def test_sequences_have_no_gap_and_each_capture_goes_on_where_the_last_one_ended(anna_owes):
    company, course, anna = anna_owes
    company.complete(anna, course, day(3))
    _capture(company)
    stored = rows(company.organization_id)
    assert [row.sequence for row in stored] == list(range(1, len(stored) + 1))
    previous = 0
    for capture in captures(company.organization_id):
        assert capture.first_sequence == previous + 1
        previous = capture.last_sequence
    head = queries.head(company.organization_id)
    assert (head.sequence, head.capture_sequence) == (len(stored), len(captures(company.organization_id)))


def test_the_first_version_is_first_and_what_a_fact_brings_later_is_a_change(anna_owes):
    company, course, anna = anna_owes
    company.complete(anna, course, day(3))
    _capture(company)
    stored = rows(company.organization_id, TRAINING)
    assert [row.cause for row in stored] == ["first", "change"]
    assert [row.valid_from for row in stored] == [START, day(3)]


def test_a_fact_takes_effect_when_it_happened_and_is_known_since_it_was_captured(anna_owes):
    company, course, anna = anna_owes
    before = queries.head(company.organization_id).sequence
    company.complete(anna, course, day(3))
    _capture(company)
    organization_id = company.organization_id
    assert only(at(organization_id, TRAINING, day(2)))["completed_at"] is None
    assert only(at(organization_id, TRAINING, day(3)))["completed_at"] is not None
    assert only(at(organization_id, TRAINING, day(3), before))["completed_at"] is None


def test_a_late_fact_restates_every_boundary_that_it_changes_and_no_other(anna_owes):
    company, course, anna = anna_owes
    company.leave(anna, day(20))
    _capture(company)
    before = queries.head(company.organization_id).sequence
    company.complete(anna, course, day(3))  # long ago, before she left
    _capture(company)
    organization_id = company.organization_id
    appended = [row for row in rows(organization_id, TRAINING) if row.sequence > before]
    assert [row.valid_from for row in appended] == [day(3), day(20)]
    assert {row.cause for row in appended} == {"change"}
    assert only(at(organization_id, TRAINING, day(25)))["completed_at"] is not None
    assert only(at(organization_id, TRAINING, day(25), before))["completed_at"] is None
    assert only(at(organization_id, TRAINING, day(2))) == only(at(organization_id, TRAINING, day(2), before))


def test_a_record_that_never_was_becomes_absent_at_each_of_its_boundaries(anna_owes):
    company, course, anna = anna_owes
    organization_id = company.organization_id
    company.complete(anna, course, day(3))
    _capture(company)
    before = queries.head(organization_id).sequence
    person = verbs.join_employee(
        organization_id=organization_id, at=START, now=NOW, person_name="Ben", account_email=None
    )
    # Narrowed to Ben from the start on: the share never covered Anna.
    ((share_id,),) = _fetch(company, "SELECT share_id FROM shares_share")
    verbs.change_share(
        organization_id=organization_id, share_id=share_id, at=START, now=NOW,
        audience=Audience(learner_profile_ids=(person[1],)),
    )  # fmt: skip
    _capture(company)
    absent = [row for row in rows(organization_id, TRAINING) if row.sequence > before and not row.body]
    assert [row.valid_from for row in absent] == [START, day(3)]
    assert all(getattr(row, column) is None for row in absent for column in ("state", "begins_at", "due_at", "done_at"))
    assert [row["learner_profile_id"] for row in at(organization_id, TRAINING, NOW).values()] == [str(person[1])]
    assert str(anna.learner_profile_id) in {
        row["learner_profile_id"] for row in at(organization_id, TRAINING, NOW, before).values()
    }
    assert isinstance(verify_history(organization_id), Verified)


def test_suspension_neither_ends_nor_pauses_what_is_owed(anna_owes):
    company, _, anna = anna_owes
    organization_id = company.organization_id
    for act, moment in ((verbs.suspend_employee, day(10)), (verbs.resume_employee, day(40))):
        act(organization_id=organization_id, at=moment, now=NOW, person_id=anna.person_id)
    _capture(company)
    assert [row.valid_from for row in rows(organization_id, TRAINING)] == [START]
    states = [only(at(organization_id, PEOPLE.number, day(number)))["access_state"] for number in (9, 10, 40)]
    assert states == ["active", "suspended", "active"]


def test_a_capture_with_pending_subjects_takes_a_number_even_if_no_row_changes(anna_owes):
    company, _, anna = anna_owes
    organization_id = company.organization_id
    before = queries.head(organization_id)
    _pend(company, "person", anna.learner_profile_id)
    captured = actions.capture(organization_id, NOW)
    after = queries.head(organization_id)
    assert captured.rows == 0
    assert (after.sequence, after.capture_sequence) == (before.sequence, before.capture_sequence + 1)
    assert after.chain_hash != before.chain_hash
    assert isinstance(verify_history(organization_id), Verified)


def test_a_capture_that_waited_is_as_young_as_what_was_recorded_meanwhile(anna_owes):
    company, course, anna = anna_owes
    company.complete(anna, course, day(3))
    asked_at = company.now - timedelta(seconds=20)  # it waited for the head, and the completion came
    with context.company(company.organization_id):
        sql.execute("UPDATE history_historyhead SET captured_at = %s", [asked_at])
    (captured,) = actions.capture_all(company.organization_id, asked_at)
    assert captured.rows == 1
    assert queries.head(company.organization_id).captured_at == company.now
    assert [row.recorded_at for row in rows(company.organization_id, TRAINING)][-1] == company.now


def test_nothing_pending_takes_no_number_in_a_capture_or_a_sweep(anna_owes):
    company, _, _ = anna_owes
    before = queries.head(company.organization_id)
    assert not actions.capture(company.organization_id, NOW).found
    assert actions.sweep_company(company.organization_id, NOW) == []
    assert queries.head(company.organization_id) == before


def test_deciding_everything_again_changes_no_row(anna_owes):
    company, course, anna = anna_owes
    company.complete(anna, course, day(3))
    _capture(company)
    _pend(company, "company", None)
    assert sum(captured.rows for captured in _capture(company)) == 0


def test_recording_the_same_facts_in_another_order_gives_the_same_answers():
    answers = []
    for late in (False, True):
        company = make_company()
        course, anna = company.course(), company.join("Anna")
        share = company.share(course, due_at=day(30))
        if late:
            company.complete(anna, course, day(9))
            _capture(company)
            verbs.end_share(organization_id=company.organization_id, share_id=share, at=day(8), now=NOW)
        else:
            verbs.end_share(organization_id=company.organization_id, share_id=share, at=day(8), now=NOW)
            _capture(company)
            company.complete(anna, course, day(9))
        _capture(company)
        row = only(at(company.organization_id, TRAINING, NOW))
        answers.append({name: row[name] for name in ("completed_at", "ended_at", "ended_reason", "requirement")})
    assert answers[0] == answers[1]


def test_a_passing_deadline_moves_nothing_and_an_opening_renewal_once_with_cause_sweep():
    company = replace(make_company(), now=day(200))  # all facts are recorded on that day
    course = company.course(
        certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION, valid_months=12, renew_days_before=30)
    )
    anna = company.join("Anna")
    company.share(course, due_at=day(30))
    company.complete(anna, course, day(1))
    organization_id = company.organization_id
    early = day(200)
    actions.capture_all(organization_id, early)
    before = queries.head(organization_id)
    assert actions.sweep_company(organization_id, day(250)) == []
    opened = day(345)
    for _ in range(3):
        actions.sweep_company(organization_id, opened)
    added = [row for row in rows(organization_id) if row.sequence > before.sequence]
    assert [(row.register, row.cause) for row in added] == [(TRAINING, "sweep")]
    assert queries.head(organization_id).capture_sequence == before.capture_sequence + 1
    assert [capture.why for capture in captures(organization_id)][-1] == "sweep"
    renewal = only(
        {key: row for key, row in at(organization_id, TRAINING, opened).items() if row["due_basis"] == "renewal"}
    )
    assert renewal["renews_certificate_id"] is not None
    assert isinstance(verify_history(organization_id), Verified)


def test_a_certificate_gets_its_check_code_in_the_capture_that_begins_it():
    company = make_company()
    course = company.course(certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION))
    anna = company.join("Anna")
    company.share(course)
    company.complete(anna, course, day(1))
    _capture(company)
    (certificate,) = at(company.organization_id, CERTIFICATES.number, NOW)
    with context.company(company.organization_id):
        assert sql.fetch(
            "SELECT learner_profile_id, check_code IS NOT NULL FROM certificates_checkcode WHERE certificate_id = %s",
            [uuid.UUID(certificate)],
        ) == [(anna.learner_profile_id, True)]


def test_a_capture_costs_the_same_number_of_queries_for_one_subject_and_for_many():
    counts = []
    for size in (2, 40):
        company = make_company()
        course = company.course()
        company.share(course)
        for number in range(size):
            company.join(f"Person {number}")
        _capture(company)
        _pend(company, "company", None)
        with CaptureQueriesContext(
            connection,
        ) as counted:
            actions.capture(company.organization_id, NOW)
        counts.append(len(counted))
    assert counts[0] == counts[1]


def test_what_a_wide_subject_reaches_beyond_the_limit_waits_as_narrow_subjects(monkeypatch):
    company = make_company()
    course = company.course()
    for number in range(9):
        company.join(f"Person {number}")
    company.share(course)
    _capture(company)
    _pend(company, "company", None)
    monkeypatch.setattr(subjects, "NARROW_LIMIT", 4)
    assert actions.capture(company.organization_id, NOW).subjects == 4
    with context.company(company.organization_id):
        waiting = sum(ledger.waiting(company.organization_id)[:2])
    assert waiting == 9 + 9 + 1 - 4  # people, their records, and the course
    assert [captured.subjects for captured in _capture(company)] == [4, 4, 4, 3]


def test_what_a_wide_subject_reaches_is_the_same_however_little_is_held_at_once(monkeypatch):
    company = make_company()
    course = company.course()
    for number in range(9):
        company.join(f"Person {number}")
    company.share(course)
    _capture(company)
    monkeypatch.setattr(subjects, "NARROW_LIMIT", 4)

    def put_back():
        _pend(company, "company", None)
        assert actions.capture(company.organization_id, NOW).subjects == 4
        with context.company(company.organization_id):
            waiting = sql.fetch("SELECT kind, first, second FROM pending_pendingsubject ORDER BY id")
        _capture(company)
        return waiting

    expected = put_back()
    assert len(expected) == 9 + 9 + 1 - 4
    monkeypatch.setattr(fan_out, "PEOPLE_AT_ONCE", 2)
    monkeypatch.setattr(recorded_subjects, "MOST_IN_MEMORY", 5)
    monkeypatch.setattr(subjects, "PUT_BACK_AT_ONCE", 3)
    assert put_back() == expected


def test_receipts_are_born_in_the_order_of_their_chain_in_however_many_captures(now, monkeypatch):
    monkeypatch.setattr(subjects, "NARROW_LIMIT", 3)
    story = Story(now)
    version, share_id = story.shared_policy()
    story.tell([story.signed(version, share_id, person) for person in story.employees("ABCDEFGHIJ")])
    assert len(actions.capture_all(story.organization_id, now)) > 3
    with context.company(story.organization_id):
        chain = sql.fetch("SELECT receipt_id FROM policies_receipt ORDER BY number")
        born = sql.fetch(
            "SELECT record_id FROM history_historyrecord WHERE register = %s ORDER BY birth", [ACKNOWLEDGEMENTS.number]
        )
    assert born == chain
    assert len(chain) == 10


def test_a_node_that_goes_away_while_facts_are_read_is_no_failure_of_a_subject(monkeypatch):
    company = make_company()
    company.share(company.course())
    company.join("Anna")
    # As Citus reports a broken connection to a node: without a SQLSTATE, the node in the context alone.
    broken = (
        "DO $$ BEGIN RAISE ''connection lost'' USING ERRCODE = ''XX000''; END $$; -- while executing command on a node"
    )

    def read_from_node(company, subjects):
        sql.execute(f"DO $outer$ BEGIN EXECUTE '{broken}'; END $outer$")
        return []

    monkeypatch.setattr(deciding, "_LOADERS", dict.fromkeys(deciding._LOADERS, read_from_node))
    with pytest.raises(InternalError, match="connection lost"):
        _capture(company)
    monkeypatch.undo()
    assert _fetch(company, "SELECT DISTINCT attempts FROM pending_pendingsubject") == [(0,)]
    (captured,) = _capture(company)
    assert captured.failed == 0


def test_one_subject_that_cannot_be_decided_holds_up_nobody_and_is_set_aside_in_the_end(monkeypatch):
    company = make_company()
    course, anna, ben = company.course(), company.join("Anna"), company.join("Ben")
    company.share(course)
    decide = owed_learning.decide

    def fail_for_anna(organization_id, zone, prepared, learner, doing, now):
        if learner.learner_profile_id == anna.learner_profile_id:
            raise ValueError("anna@example.org is a poison pill")
        return decide(organization_id, zone, prepared, learner, doing, now)

    monkeypatch.setattr(owed_learning, "decide", fail_for_anna)
    (captured,) = _capture(company)
    organization_id = company.organization_id
    assert captured.failed == 1
    owed = at(organization_id, TRAINING, NOW)
    assert [row["learner_profile_id"] for row in owed.values()] == [str(ben.learner_profile_id)]
    assert not actions.capture(organization_id, NOW).found  # it waits for its next attempt
    later = NOW
    for _ in range(subjects.ATTEMPTS):
        later += subjects.FIRST_RETRY * 2**subjects.ATTEMPTS
        actions.capture_all(organization_id, later)
    ((attempts, aside, reason),) = _fetch(
        company, "SELECT attempts, set_aside_at IS NOT NULL, set_aside_reason FROM pending_pendingsubject"
    )
    assert (attempts, aside) == (subjects.ATTEMPTS, True)
    assert reason.startswith("ValueError at test_actions.py:")
    assert "anna" not in reason.lower().replace("test_actions", "")
    with context.company(organization_id):
        assert ledger.waiting(organization_id).oldest == NOW

    monkeypatch.undo()
    _pend(company, "person_course", anna.learner_profile_id, course.course_id)
    actions.capture_all(organization_id, later)
    assert len(at(organization_id, TRAINING, NOW)) == 2
    with context.company(organization_id):
        assert sum(ledger.waiting(organization_id)[:2]) == 0


def test_days_of_the_history_begin_in_the_company_zone():
    company = make_company(time_zone="Pacific/Auckland")
    ((complete_from,),) = _fetch(
        company, "SELECT history_complete_from FROM tenancy_organization", "organization_id = %s"
    )
    assert complete_from == start_of_day("Pacific/Auckland", date(2020, 1, 1))


def _pend(company, kind, first, second=None):
    with context.company(company.organization_id):
        sql.execute(
            "INSERT INTO pending_pendingsubject (organization_id, kind, first, second, recorded_at, attempts,"
            " set_aside_reason) VALUES (%s, %s, %s, %s, %s, 0, '')",
            [company.organization_id, kind, first, second, NOW],
        )


def _fetch(company, statement, restriction="organization_id = %s"):
    with context.company(company.organization_id):
        return sql.fetch(f"{statement} WHERE {restriction}", [company.organization_id])
