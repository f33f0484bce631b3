"""Each register over HTTP: its fields, its moments, what is joined when it is read, and the statements of a page."""

import uuid
from datetime import UTC, date, datetime, timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.access.actions import issue_key
from compliance.catalogue.certificates import Certificate
from compliance.catalogue.courses import CourseVersion
from compliance.catalogue.people import Person
from compliance.catalogue.policies import (
    PolicyRecord,
    PolicyVersion,
    Receipt,
)
from compliance.catalogue.training import TrainingRecord
from compliance.facts.certificates.models import CheckCode, IssuedName
from compliance.facts.courses.models import Course, Lesson, Release
from compliance.facts.people.models import Contact, PersonalDetail, Profile
from compliance.facts.policies.models import PolicyVersion as SealedVersion
from compliance.facts.policies.models import RawSignature
from compliance.facts.policies.models import Receipt as SignedReceipt
from compliance.facts.shares.models import Share
from compliance.facts.training.models import LiveSession, Reminder
from compliance.history.models import HistoryHead, HistoryRow, RecordSource
from compliance.history.projections import courses, policies, training
from compliance.history.projections.people import project as project_people
from compliance.interfaces.api import cursors
from compliance.proofs.identity import identity_sha256, new_salt
from compliance.rules.owed_learning.decisions import CertificateContent, Decision
from compliance.rules.people.decisions import PersonContent
from compliance.rules.policies.decisions import RecordContent as OwedContent
from compliance.rules.timeline import Timeline, Version
from compliance.rules.vocabulary import (
    LOGIC,
    LOGIC_DATES,
    AccessState,
    CertificateKind,
    CertificateStatus,
    Door,
    EntryType,
    LiveSessionFormat,
    MarkedBy,
    ReceiptAct,
)
from compliance.tenancy import context
from tests.interfaces.api.conftest import Caller

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
LEARN = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def _at(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_a_training_record_has_every_field_and_its_outcome_at_the_moment(stored, call):
    learner = stored.profile(person_name='Zoë "Z" Ní', account_email="z@example.com", work_email="zoe@work.example")
    record = stored.training(learner, LEARN, due_at=LEARN + 10 * DAY, due_basis="share_deadline")
    for days, outcome, late in ((5, "not_due_yet", None), (10, "not_due_yet", None), (12.5, "overdue", 3)):
        (row,) = call.pull(f"/v1/training-records?as_at={_at(LEARN + days * DAY)}")
        TrainingRecord.model_validate(row)
        assert (row["record_id"], row["outcome"], row["days_late"]) == (str(record), outcome, late)
        assert (row["person_name"], row["work_email"]) == ('Zoë "Z" Ní', "zoe@work.example")
    assert call.pull(f"/v1/training-records?as_at={_at(LEARN - DAY)}") == []


def test_versions_follow_valid_time_and_absence_hides_a_record(stored, call):
    learner, course, record = stored.profile(), uuid.uuid4(), uuid.uuid4()
    stored.training(learner, LEARN, record_id=record, course_id=course)
    done = LEARN + 3 * DAY
    stored.training(learner, LEARN, record_id=record, course_id=course, completed_at=done, valid_from=done)
    assert call.pull(f"/v1/training-records?as_at={_at(done - DAY)}")[0]["outcome"] == "not_due_yet"
    assert call.pull(f"/v1/training-records?as_at={_at(done)}")[0]["outcome"] == "completed_on_time"
    stored.absent(record, done + DAY)
    assert call.pull(f"/v1/training-records?as_at={_at(done + 2 * DAY)}") == []


def test_the_period_shows_what_was_owed_at_any_time_with_the_outcome_at_its_end_or_when_it_ended(stored, call):
    learner = stored.profile()
    ended = LEARN + 20 * DAY
    gone = stored.training(
        learner, LEARN, due_at=LEARN + 5 * DAY, requirement="no_longer_required", ended_at=ended,
        ended_reason="person_left", requirement_before_end="required",
    )  # fmt: skip
    stored.training(learner, LEARN + 50 * DAY)
    (row,) = call.pull(f"/v1/training-records/period?from={_at(LEARN)}&to={_at(LEARN + 40 * DAY)}")
    assert (row["record_id"], row["outcome"], row["days_late"]) == (str(gone), "missed", 15)
    TrainingRecord.model_validate(row)
    assert len(call.pull(f"/v1/training-records/period?from={_at(ended)}&to={_at(ended + 90 * DAY)}")) == 1


def _ids_of_period(call, start, end):
    return [row["record_id"] for row in call.pull(f"/v1/training-records/period?from={_at(start)}&to={_at(end)}", 1)]


def test_the_period_shows_a_record_that_vanished_in_it_as_it_last_stood(stored, call):
    learner, course, record = stored.profile(), uuid.uuid4(), uuid.uuid4()
    terms = {"record_id": record, "course_id": course, "due_at": LEARN + 5 * DAY}
    stored.training(learner, LEARN, **terms)
    stood = stored.training(learner, LEARN, **terms | {"due_at": LEARN + 6 * DAY}, valid_from=LEARN + 2 * DAY)
    vanished = LEARN + 8 * DAY
    stored.absent(record, vanished)
    window = f"/v1/training-records/period?from={_at(LEARN)}&to={_at(LEARN + 40 * DAY)}"
    for target in (window, f"{window}&course={course}"):
        (row,) = call.pull(target)
        assert (row["record_id"], row["sequence"]) == (str(stood), 2)
        assert (row["outcome"], row["days_late"]) == ("overdue", 2)  # when it vanished, not at the period's end
    assert call.pull(f"{window}&course={uuid.uuid4()}") == []
    assert _ids_of_period(call, vanished - timedelta(microseconds=1), LEARN + 40 * DAY) == [str(record)]
    assert _ids_of_period(call, vanished, LEARN + 40 * DAY) == []


def test_the_period_does_not_show_a_record_that_no_moment_of_it_lists(stored, call):
    """Ended when it begins, present only before it, or recorded later as if it had ended before it began."""
    learner, ended = stored.profile(), LEARN + 20 * DAY
    terms = {"course_id": uuid.uuid4()}
    record = stored.training(learner, LEARN, **terms)
    end = {"requirement": "no_longer_required", "requirement_before_end": "required", "ended_reason": "share_ended"}
    stored.training(learner, LEARN, record_id=record, **terms, **end, ended_at=ended, valid_from=ended)
    voided = stored.training(learner, LEARN, **terms)
    stored.absent(voided, ended)
    never = stored.training(learner, LEARN, **terms, **end, ended_at=ended, valid_from=ended)
    assert _ids_of_period(call, ended, ended + DAY) == []
    found = _ids_of_period(call, ended - timedelta(microseconds=1), ended + DAY)
    assert found == [str(record), str(voided)]
    assert str(never) not in found


def test_reminders_go_to_the_record_that_was_open_and_count_only_when_captured_by_the_pin(stored, call):
    learner, course = stored.profile(), uuid.uuid4()
    first = stored.training(learner, LEARN, course_id=course)
    stored.training(learner, LEARN, record_id=first, course_id=course, completed_at=LEARN + DAY, valid_from=LEARN + DAY)
    second = stored.training(
        learner, LEARN + 100 * DAY, course_id=course, renews_certificate_id=uuid.uuid4(), due_basis="renewal"
    )
    with context.company(stored.organization_id):
        for hours, capture_sequence in ((1, 2), (2, 1), (2500, 2), (2501, 3), (2502, None)):  # the pin is capture 2
            Reminder.objects.create(
                organization_id=stored.organization_id, fact_id=uuid.uuid4(), learner_profile_id=learner,
                course_id=course, at=LEARN + timedelta(hours=hours), capture_sequence=capture_sequence,
            )  # fmt: skip
    found = {row["record_id"]: row["reminders_sent"] for row in call.pull("/v1/training-records")}
    assert found == {str(first): 2, str(second): 1}
    earlier = call.pull(f"/v1/training-records?as_at={_at(LEARN)}")
    assert [row["reminders_sent"] for row in earlier] == [2]  # whatever the moment


def test_a_reminder_goes_to_the_release_s_record_then_the_renewal_then_a_lesson_s(stored, call):
    learner, course = stored.profile(), uuid.uuid4()
    with context.company(stored.organization_id):
        Reminder.objects.create(
            organization_id=stored.organization_id, fact_id=uuid.uuid4(), learner_profile_id=learner, course_id=course,
            at=LEARN + DAY, capture_sequence=2,
        )  # fmt: skip
    for more in ({"course_release_id": None}, {"renews_certificate_id": uuid.uuid4()}, {}):
        newest = stored.training(learner, LEARN, course_id=course, **more)
        found = {row["record_id"]: row["reminders_sent"] for row in call.pull("/v1/training-records")}
        assert [record for record, sent in found.items() if sent] == [str(newest)]


@pytest.mark.parametrize("lowest_first", [True, False])
def test_a_reminder_while_two_lessons_are_open_goes_to_the_lower_one_whichever_was_recorded_first(
    stored, call, lowest_first
):
    learner, course = stored.profile(), uuid.uuid4()
    lessons = sorted((uuid.uuid4(), uuid.uuid4()), reverse=not lowest_first)
    of_lesson = {}
    for lesson in lessons:
        share_id = uuid.uuid4()
        with context.company(stored.organization_id):
            Share.objects.create(
                organization_id=stored.organization_id, share_id=share_id, course_id=course, lesson_release_id=lesson,
                opened_at=LEARN,
            )  # fmt: skip
        of_lesson[lesson] = stored.training(
            learner, LEARN, course_id=course, course_release_id=None, share_ids=(share_id,)
        )
    with context.company(stored.organization_id):
        Reminder.objects.create(
            organization_id=stored.organization_id, fact_id=uuid.uuid4(), learner_profile_id=learner, course_id=course,
            at=LEARN + DAY, capture_sequence=2,
        )  # fmt: skip
    found = {row["record_id"]: row["reminders_sent"] for row in call.pull("/v1/training-records")}
    assert found == {str(of_lesson[min(lessons)]): 1, str(of_lesson[max(lessons)]): 0}


def test_personal_fields_need_people_read_and_an_erased_person_has_a_label_in_every_year(stored, call, key_of):
    learner = stored.profile(person_name="Ada", account_email="a@example.com", work_email="ada@work.example")
    stored.training(learner, LEARN)
    (row,) = Caller(key_of(stored, ("training:read",))).pull("/v1/training-records")
    assert not {"person_name", "work_email"} & row.keys()
    TrainingRecord.model_validate(row)
    with context.company(stored.organization_id):
        Profile.objects.filter(learner_profile_id=learner).update(person_name=None, work_email=None, erased_at=LEARN)
    (row,) = call.pull(f"/v1/training-records?as_at={_at(LEARN)}")
    assert (row["person_name"], row["work_email"]) == ("Erased person", None)


def test_the_course_filter_keeps_one_course(stored, call):
    learner, course = stored.profile(), uuid.uuid4()
    wanted = stored.training(learner, LEARN, course_id=course)
    stored.training(learner, LEARN)
    for form in (str(course), str(course).upper()):
        (row,) = call.pull(f"/v1/training-records?course={form}")
        assert row["record_id"] == str(wanted)
    assert call.pull(f"/v1/training-records?course={uuid.uuid4()}") == []


def _person(stored, learner, joined_at, **more):
    person_id = uuid.uuid4()
    content = PersonContent(
        person_id=person_id,
        learner_profile_id=learner,
        invitation_id=None,
        entry_type=EntryType.EMPLOYEE,
        invited_at=None,
        joined_at=joined_at,
        left_at=None,
        invitation_expires_at=None,
        invitation_state=None,
        access_state=AccessState.ACTIVE,
        team_ids=(),
        doors=(Door.EMPLOYEE,),
        ended_at=None,
    )._replace(**more)
    if content.entry_type == "invitation":
        content = content._replace(invitation_id=person_id)
    timeline = Timeline(person_id, (Version(joined_at or content.invited_at, content),))
    (projected,) = project_people([timeline], identity_sha256(new_salt(), None, None))
    stored.store(projected)
    return str(person_id)


def test_people_are_those_of_the_period_with_counts_of_the_records_in_force(stored, call):
    learner = stored.profile(person_name="Ada")
    here = _person(stored, learner, LEARN)
    gone = _person(stored, stored.profile(), LEARN - 99 * DAY, left_at=LEARN - 50 * DAY, access_state="ended")
    invited = _person(
        stored, None, None, entry_type="invitation", invited_at=LEARN, invitation_state="pending",
        access_state="invited", invitation_expires_at=LEARN + 14 * DAY,
    )  # fmt: skip
    stored.training(learner, LEARN)
    stored.training(learner, LEARN, requirement="optional", requirement_before_end="optional")
    stored.training(learner, LEARN, completed_at=LEARN)
    stored.training(learner, LEARN, waived_at=LEARN, waiver_reason_code="medical")
    found = {row["person_id"]: row for row in call.pull(f"/v1/people?from={_at(LEARN)}&to={_at(LEARN + 13 * DAY)}")}
    for row in found.values():
        Person.model_validate(row)
    assert set(found) == {here, invited}
    ada = found[here]
    assert (ada["records_owed"], ada["records_completed"], ada["no_required_records"]) == (1, 1, False)
    assert (found[invited]["invitation_status"], found[invited]["access_state"]) == ("pending", "invited")
    later = call.pull(f"/v1/people?from={_at(LEARN)}&to={_at(LEARN + 14 * DAY)}")
    assert [(row["invitation_status"], row["access_state"]) for row in later if row["person_id"] == invited] == [
        ("expired", "ended")
    ]
    assert [row["person_id"] for row in call.pull(f"/v1/people?from={_at(LEARN + 14 * DAY)}&to=2026-04-01")] == [here]
    before = f"/v1/people?from={_at(LEARN - 60 * DAY)}&to={_at(LEARN - DAY)}"
    assert [row["person_id"] for row in call.pull(before)] == [gone]


def test_certificates_carry_the_name_issued_and_expire_at_read(stored, call):
    learner, certificate, session, trainer = stored.profile(person_name="Ada Now"), *(uuid.uuid4() for _ in range(3))
    content = CertificateContent(
        certificate_id=certificate,
        learner_profile_id=learner,
        course_id=uuid.uuid4(),
        course_release_id=uuid.uuid4(),
        course_release_version=1,
        certificate_title="Fire safety",
        kind=CertificateKind.COMPLETION,
        earned_at=LEARN,
        issued_at=LEARN,
        valid_until=LEARN + 30 * DAY,
        status=CertificateStatus.VALID,
        changed_at=None,
        changed_by=None,
        supersedes_id=None,
        renews_id=None,
        live_session_id=session,
        live_session_format=LiveSessionFormat.ONLINE,
        live_session_starts_at=LEARN,
        live_session_ends_at=LEARN,
        live_session_minutes=30,
        live_session_marked_by=MarkedBy.TRAINER,
        trainer_profile_id=trainer,
    )
    decided = Decision(records=(), certificates=(Timeline(certificate, (Version(LEARN, content),)),))
    (projected,) = training.project(decided)
    stored.store(projected)
    organization = {"organization_id": stored.organization_id}
    with context.company(stored.organization_id):
        for days, name in ((-5, "Ada Then"), (5, "Ada Now")):
            PersonalDetail.objects.create(
                **organization, fact_id=uuid.uuid4(), learner_profile_id=learner, at=LEARN + days * DAY,
                person_name=name,
            )  # fmt: skip
        LiveSession.objects.create(
            **organization, live_session_id=session, course_id=content.course_id,
            course_release_id=content.course_release_id, at=LEARN, format="online", starts_at=LEARN, ends_at=LEARN,
            minutes=30, trainer_profile_id=trainer,
        )  # fmt: skip
        CheckCode.objects.create(
            **organization, certificate_id=certificate, learner_profile_id=learner, check_code=uuid.uuid4().hex
        )
    (row,) = call.pull(f"/v1/certificates?as_at={_at(LEARN + 30 * DAY)}")
    Certificate.model_validate(row)
    assert (row["status"], row["person_name"], row["trainer_name"]) == ("valid", "Ada Then", "Trainer")
    assert len(row["check_code"]) == 32
    (row,) = call.pull(f"/v1/certificates?as_at={_at(LEARN + 31 * DAY)}")
    assert row["status"] == "expired"
    with context.company(stored.organization_id):  # none was known at the issue: it is the first that was recorded
        PersonalDetail.objects.filter(person_name="Ada Then").update(at=LEARN + DAY)
    (row,) = call.pull("/v1/certificates")
    assert row["person_name"] == "Ada Then"
    with context.company(stored.organization_id):  # the kept name takes precedence over any other
        IssuedName.objects.create(
            **organization, certificate_id=certificate, learner_profile_id=learner, person_name="Ada Issued"
        )
    (row,) = call.pull("/v1/certificates")
    assert row["person_name"] == "Ada Issued"
    with context.company(stored.organization_id):
        Profile.objects.filter(learner_profile_id=learner).update(erased_at=LEARN)
    (row,) = call.pull("/v1/certificates")
    assert (row["person_name"], row["check_code"]) == ("Erased person", "")


def test_courses_carry_the_titles_of_today(stored, call):
    course, lesson, release = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    of_course = {"organization_id": stored.organization_id, "course_id": course}
    with context.company(stored.organization_id):
        Course.objects.create(**of_course, kind="training", created_at=LEARN, title="Fire", title_at=LEARN)
        Lesson.objects.create(
            **of_course, lesson_release_id=lesson, title="Doors", title_at=LEARN, version=1, content_sha256="b" * 64
        )
        Release.objects.create(
            **of_course, course_release_id=release, version=1, published_at=LEARN, content_sha256="a" * 64,
            lesson_release_ids=[lesson],
        )  # fmt: skip
        (projected,) = courses.project(stored.organization_id, [course], LEARN)[course]
    stored.store(projected)
    assert call.pull("/v1/courses") == []  # nobody's record is about it
    with context.company(stored.organization_id):
        RecordSource.objects.create(
            organization_id=stored.organization_id, row_id=projected.record_id, sequence=stored.sequence
        )
    (row,) = call.pull("/v1/courses")
    CourseVersion.model_validate(row)
    assert (row["course_title"], row["lessons"][0]["title"]) == ("Fire", "Doors")


def _policy(stored, published_at, html="<h1>P</h1>", course_id=None):
    """A policy version, sealed exactly as given here, and its row."""
    release = uuid.uuid4()
    with context.company(stored.organization_id):
        SealedVersion.objects.create(
            organization_id=stored.organization_id, course_id=course_id or uuid.uuid4(), course_release_id=release,
            version=1, published_at=published_at, act="sign", doors=["employee"], statement="I agree.",
            effective_on=None, renew_months=0, change_kind="first", html=html, policy_title="P",
            statement_sha256="a" * 64, document_sha256="b" * 64, version_digest="c" * 64,
        )  # fmt: skip
        stored.store(policies.project_versions(stored.organization_id, [release], published_at)[release])
    return str(release)


def test_policies_come_oldest_first_whenever_they_were_captured(stored, call):
    second, first = _policy(stored, LEARN), _policy(stored, LEARN - DAY)
    third = _policy(stored, LEARN + DAY)
    for limit in (1, 2, 200):
        found = call.pull("/v1/policies", limit)
        assert [row["course_release_id"] for row in found] == [first, second, third]
    PolicyVersion.model_validate(found[0])
    assert [row["course_release_id"] for row in call.pull(f"/v1/policies?as_at={_at(LEARN)}")] == [first, second]


def test_a_page_closes_before_three_mebibytes_and_one_row_past_it_is_refused(stored, call):
    for number in range(4):
        _policy(stored, LEARN + number * DAY, "x" * 1_400_000)
    page = call("/v1/policies")
    assert (len(page.json()["data"]), page.json()["total"]) == (2, 4)
    assert len(page.content) <= 3 * 1024 * 1024
    assert len(call.pull("/v1/policies")) == 4
    _policy(stored, LEARN - DAY, '"' * 1_600_000)
    answer = call("/v1/policies")
    assert (answer.status_code, answer.json()["code"]) == (422, "record_too_large")


def test_policy_records_and_receipts(stored, call):
    learner = stored.profile(account_email="p@partner.example")
    receipt, record, course, share = (uuid.uuid4() for _ in range(4))
    release = uuid.UUID(_policy(stored, LEARN - DAY, course_id=course))
    signed_at = LEARN + 3 * DAY
    owed = OwedContent(
        record_id=record,
        course_id=course,
        course_release_id=release,
        policy_title="P",
        version=1,
        learner_profile_id=learner,
        door=Door.PARTNER,
        assignment_id=share,
        due_at=LEARN + DAY,
        signed_at=None,
        receipt_id=None,
        act=None,
    )
    settled = owed._replace(signed_at=signed_at, receipt_id=receipt, act=ReceiptAct.SIGNED)
    timeline = Timeline(record, (Version(LEARN, owed), Version(signed_at, settled)))
    (projected,) = policies.project_records([timeline])
    stored.store(projected)
    with context.company(stored.organization_id):
        SignedReceipt.objects.create(
            organization_id=stored.organization_id, number=1, receipt_id=receipt, learner_profile_id=learner,
            course_id=course, course_release_id=release, version=1, share_id=share, cycle_id=uuid.UUID(int=0),
            door="partner", act="signed", signed_at=signed_at, sign_in_methods="password", statement_sha256="a" * 64,
            document_sha256="b" * 64, signature_sha256="c" * 64, previous_sha256="0" * 64, receipt_sha256="d" * 64,
        )  # fmt: skip
        stored.store(policies.project_receipts(stored.organization_id, [receipt])[receipt])
    with context.company(stored.organization_id):
        Contact.objects.create(
            organization_id=stored.organization_id, fact_id=uuid.uuid4(), learner_profile_id=learner, door="partner",
            at=LEARN, joined=True, company="As contact", capture_sequence=2,
        )  # fmt: skip
        RawSignature.objects.create(
            organization_id=stored.organization_id, receipt_id=receipt, learner_profile_id=learner,
            signer_company="As signed",
        )  # fmt: skip
    for days, state, company in (
        (0.5, "to_do", "As contact"),
        (1, "to_do", "As contact"),
        (2, "overdue", "As contact"),
        (3, "signed", "As signed"),
    ):  # fmt: skip
        (row,) = call.pull(f"/v1/policy-records?as_at={_at(LEARN + days * DAY)}")
        PolicyRecord.model_validate(row)
        assert (row["state"], row["company"], row["person_name"]) == (state, company, None)
    assert call.pull(f"/v1/acknowledgements?as_at={_at(LEARN)}") == []
    (row,) = call.pull(f"/v1/acknowledgements?from={_at(signed_at)}")
    Receipt.model_validate(row)
    assert (row["person_name"], row["signer_company"]) == ("p@partner.example", "As signed")
    assert call.pull(f"/v1/acknowledgements?from={_at(signed_at + DAY)}") == []
    with context.company(stored.organization_id):
        Profile.objects.filter(learner_profile_id=learner).update(account_email=None, erased_at=LEARN)
    (row,) = call.pull("/v1/acknowledgements")
    assert (row["person_name"], row["account_email"], row["signer_company"]) == ("Erased person", None, None)
    assert call.pull("/v1/policy-records")[0]["company"] is None


def test_a_pull_under_way_sees_nothing_that_is_captured_meanwhile(stored, call):
    learner = stored.profile()
    records = [str(stored.training(learner, LEARN)) for _ in range(7)]
    page = call("/v1/training-records?limit=3").json()
    late = stored.training(learner, LEARN)
    found = [row["record_id"] for row in page["data"]]
    first = page["snapshot"]
    while page["next_cursor"] is not None:
        page = call(f"/v1/training-records?limit=2&cursor={page['next_cursor']}").json()
        assert (page["total"], page["snapshot"]) == (7, first)
        found += [row["record_id"] for row in page["data"]]
    assert found == records
    assert [row["record_id"] for row in call.pull("/v1/training-records")] == [*records, str(late)]


@pytest.mark.parametrize("target", ["/v1/training-records", "/v1/policies"])
@pytest.mark.parametrize(
    "pinned", [{"chain_hash": "f" * 64}, {"sequence": 10**6, "capture_sequence": 10**6, "chain_hash": "f" * 64}]
)
def test_a_cursor_from_before_a_restore_is_refused_behind_and_ahead_of_the_new_history(stored, call, target, pinned):
    for number in range(3):
        stored.training(stored.profile(), LEARN)
        _policy(stored, LEARN + number * DAY)
    bound = {"endpoint": target, "organization_id": stored.organization_id, "secrets": tuple(settings.CURSOR_KEYS)}
    following = call(f"{target}?limit=1").json()["next_cursor"]
    assert len(call(f"{target}?cursor={following}").json()["data"]) == 2
    cursor = cursors.unseal(following, **bound)
    earlier = cursors.seal(cursor._replace(pin=cursor.pin._replace(**pinned)), **bound)
    for limit in (1, 200):
        refusal = call(f"{target}?limit={limit}&cursor={earlier}")
        assert (refusal.status_code, refusal.json()["code"]) == (400, "invalid_cursor")
        assert "was restored" in refusal.json()["detail"]


def test_a_page_behind_the_head_takes_as_many_statements_as_one_at_the_head(stored, call):
    for _ in range(3):
        stored.training(stored.profile(), LEARN)
    target = "/v1/training-records?limit=1"
    target = f"{target}&cursor={call(target).json()['next_cursor']}"
    call(target)
    counts = []
    for capture_sequence in (2, 3):
        HistoryHead.objects.filter(organization_id=stored.organization_id).update(capture_sequence=capture_sequence)
        with CaptureQueriesContext(connection) as queries:
            assert call(target).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("target, most", [
    ("/v1/training-records", 9), ("/v1/training-records/period?from=2026-03-01&to=2026-05-01", 9),
    ("/v1/people?from=2026-03-01&to=2026-05-01", 9), ("/v1/certificates", 8), ("/v1/courses", 8), ("/v1/policies", 8),
    ("/v1/policy-records", 8), ("/v1/acknowledgements", 8), ("/v1/snapshot", 6),
])  # fmt: skip
def test_a_page_takes_the_same_few_statements_however_many_rows(stored, key_of, now, target, most):
    counts = []
    token = key_of(stored)
    for more in (1, 8):
        for _ in range(more):
            learner = stored.profile()
            _person(stored, learner, LEARN)
            stored.training(learner, LEARN)
            _policy(stored, LEARN)
        call = Caller(token)
        call(target)  # notes the key's use, and keeps the total
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert call(target).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= most, [query["sql"][:80] for query in queries.captured_queries]


def test_rows_of_another_company_are_never_seen(stored, call, now):
    other = type(stored)(now)
    other.training(other.profile(), LEARN)
    token, _ = issue_key(
        organization_id=other.organization_id, scopes=["training:read"], environment="test", at=now, actor="a test"
    )
    assert call.pull("/v1/training-records") == []
    assert len(Caller(token).pull("/v1/training-records")) == 1
    with context.company(stored.organization_id):
        assert HistoryRow.objects.count() == 0


def test_the_snapshot_s_logic_date_is_that_of_the_version_which_the_pin_names(stored, call, monkeypatch):
    earlier, running = LOGIC.version - 1, LOGIC.version
    monkeypatch.setitem(LOGIC_DATES, earlier, date(2024, 2, 29))
    for _ in range(2):
        stored.training(stored.profile(), LEARN)
    head = HistoryHead.objects.filter(organization_id=stored.organization_id)
    head.update(logic_version=earlier)
    page = call("/v1/training-records?limit=1").json()
    old_logic = {"version": earlier, "date": "2024-02-29"}
    assert page["snapshot"]["logic"] == old_logic == call("/v1/snapshot").json()["snapshot"]["logic"]
    head.update(logic_version=running)  # a new release has decided everything again; the cursor keeps its pin
    assert call(f"/v1/training-records?limit=1&cursor={page['next_cursor']}").json()["snapshot"]["logic"] == old_logic
    new_logic = {"version": running, "date": LOGIC.date.isoformat()}
    assert call("/v1/snapshot").json()["snapshot"]["logic"] == new_logic
    head.update(logic_version=running + 1)  # while a newer release is rolled out, this process still answers
    assert call("/v1/snapshot").json()["snapshot"]["logic"] == {**new_logic, "version": running + 1}
