"""Each register over HTTP: its fields, its moments, what is joined at read, and how many statements a page takes."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.access.actions import issue_key
from compliance.facts.certificates.models import CheckCode
from compliance.facts.courses.models import Course, Lesson
from compliance.facts.pending.models import Fact
from compliance.facts.people.models import Contact, PersonalDetail, Profile
from compliance.facts.policies.models import RawSignature
from compliance.facts.training.models import LiveSession, Reminder
from compliance.history import numbers
from compliance.history.models import HistoryRow
from compliance.interfaces.api import rows
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
        rows.TrainingRecord.model_validate(row)
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
    stored.store(numbers.TRAINING_RECORDS, record, None, done + DAY)
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
    rows.TrainingRecord.model_validate(row)
    assert len(call.pull(f"/v1/training-records/period?from={_at(ended)}&to={_at(ended + 90 * DAY)}")) == 1


def test_reminders_go_to_the_record_that_was_open_and_count_only_when_captured_by_the_pin(stored, call, now):
    learner, course = stored.profile(), uuid.uuid4()
    first = stored.training(learner, LEARN, course_id=course)
    stored.training(learner, LEARN, record_id=first, course_id=course, completed_at=LEARN + DAY, valid_from=LEARN + DAY)
    second = stored.training(
        learner, LEARN + 100 * DAY, course_id=course, renews_certificate_id=uuid.uuid4(), due_basis="renewal"
    )
    with context.company(stored.organization_id):
        for hours, recorded_at in ((1, LEARN), (2, LEARN), (2500, LEARN), (2501, now + DAY)):
            fact = Fact.objects.create(
                organization_id=stored.organization_id, fact_id=uuid.uuid4(), kind="reminder_sent",
                at=LEARN + timedelta(hours=hours), recorded_at=recorded_at, digest=b"x" * 32,
            )  # fmt: skip
            Reminder.objects.create(
                organization_id=stored.organization_id, fact_id=fact.fact_id, learner_profile_id=learner,
                course_id=course, at=fact.at,
            )  # fmt: skip
    found = {row["record_id"]: row["reminders_sent"] for row in call.pull("/v1/training-records")}
    assert found == {str(first): 2, str(second): 1}
    earlier = call.pull(f"/v1/training-records?as_at={_at(LEARN)}")
    assert [row["reminders_sent"] for row in earlier] == [2]  # whatever the moment


def test_a_reminder_goes_to_the_release_s_record_then_the_renewal_then_a_lesson_s(stored, call):
    learner, course = stored.profile(), uuid.uuid4()
    with context.company(stored.organization_id):
        fact = Fact.objects.create(
            organization_id=stored.organization_id, fact_id=uuid.uuid4(), kind="reminder_sent", at=LEARN + DAY,
            recorded_at=LEARN + DAY, digest=b"x" * 32,
        )  # fmt: skip
        Reminder.objects.create(
            organization_id=stored.organization_id, fact_id=fact.fact_id, learner_profile_id=learner, course_id=course,
            at=fact.at,
        )  # fmt: skip
    for more in ({"course_release_id": None}, {"renews_certificate_id": uuid.uuid4()}, {}):
        newest = stored.training(learner, LEARN, course_id=course, **more)
        found = {row["record_id"]: row["reminders_sent"] for row in call.pull("/v1/training-records")}
        assert [record for record, sent in found.items() if sent] == [str(newest)]


def test_personal_fields_need_people_read_and_an_erased_person_has_a_label_in_every_year(stored, call, key_of):
    learner = stored.profile(person_name="Ada", account_email="a@example.com", work_email="ada@work.example")
    stored.training(learner, LEARN)
    (row,) = Caller(key_of(stored, ("training:read",))).pull("/v1/training-records")
    assert not {"person_name", "work_email"} & row.keys()
    rows.TrainingRecord.model_validate(row)
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
    values = {
        "person_id": person_id, "learner_profile_id": learner, "invitation_id": None, "entry_type": "employee",
        "invited_at": None, "joined_at": joined_at, "left_at": None, "invitation_expires_at": None,
        "invitation_state": None, "access_state": "active", "team_ids": [], "doors": ["employee"],
    } | more  # fmt: skip
    if values["entry_type"] == "invitation":
        values["invitation_id"] = person_id
    stored.store(
        numbers.PEOPLE, person_id, values, joined_at or values["invited_at"], learner=learner,
        state=values["access_state"], begins_at=joined_at or values["invited_at"],
        due_at=values["invitation_expires_at"], ends_at=values["left_at"],
    )  # fmt: skip
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
    stored.training(learner, LEARN, requirement="optional")
    stored.training(learner, LEARN, completed_at=LEARN)
    stored.training(learner, LEARN, waived_at=LEARN, waiver_reason_code="medical")
    found = {row["person_id"]: row for row in call.pull(f"/v1/people?from={_at(LEARN)}&to={_at(LEARN + 13 * DAY)}")}
    for row in found.values():
        rows.Person.model_validate(row)
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
    body = {
        "certificate_id": certificate, "learner_profile_id": learner, "course_id": uuid.uuid4(),
        "course_release_id": uuid.uuid4(), "course_release_version": 1, "certificate_title": "Fire safety",
        "kind": "completion", "earned_at": LEARN, "issued_at": LEARN, "valid_until": LEARN + 30 * DAY,
        "changed_at": None, "changed_by": None, "supersedes_id": None, "renews_id": None, "live_session_id": session,
        "live_session_format": "online", "live_session_starts_at": LEARN, "live_session_ends_at": LEARN,
        "live_session_minutes": 30, "live_session_marked_by": "trainer",
    }  # fmt: skip
    stored.store(
        numbers.CERTIFICATES, certificate, body, LEARN, learner=learner, state="valid", begins_at=LEARN,
        due_at=body["valid_until"],
    )  # fmt: skip
    organization = {"organization_id": stored.organization_id}
    with context.company(stored.organization_id):
        for days, name in ((-5, "Ada Then"), (5, "Ada Now")):
            PersonalDetail.objects.create(
                **organization, fact_id=uuid.uuid4(), learner_profile_id=learner, at=LEARN + days * DAY,
                person_name=name,
            )  # fmt: skip
        LiveSession.objects.create(
            **organization, live_session_id=session, course_id=body["course_id"],
            course_release_id=body["course_release_id"], at=LEARN, format="online", starts_at=LEARN, ends_at=LEARN,
            minutes=30, trainer_profile_id=trainer,
        )  # fmt: skip
        CheckCode.objects.create(
            **organization, certificate_id=certificate, learner_profile_id=learner, check_code=uuid.uuid4().hex
        )
    (row,) = call.pull(f"/v1/certificates?as_at={_at(LEARN + 30 * DAY)}")
    rows.Certificate.model_validate(row)
    assert (row["status"], row["person_name"], row["trainer_name"]) == ("valid", "Ada Then", "Trainer")
    assert len(row["check_code"]) == 32
    (row,) = call.pull(f"/v1/certificates?as_at={_at(LEARN + 31 * DAY)}")
    assert row["status"] == "expired"
    with context.company(stored.organization_id):  # a name that became known after the issue stays the issued one
        PersonalDetail.objects.filter(person_name="Ada Then").update(at=LEARN + DAY)
    (row,) = call.pull("/v1/certificates")
    assert row["person_name"] == "Ada Then"
    with context.company(stored.organization_id):
        Profile.objects.filter(learner_profile_id=learner).update(erased_at=LEARN)
    (row,) = call.pull("/v1/certificates")
    assert (row["person_name"], row["check_code"]) == ("Erased person", "")


def test_courses_carry_the_titles_of_today(stored, call):
    course, lesson, row_id = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    stored.store(
        numbers.COURSES,
        row_id,
        {
            "row_id": row_id, "course_id": course, "course_release_id": uuid.uuid4(), "version": 1,
            "published_at": LEARN, "publisher_id": None, "content_sha256": "a" * 64, "contents_sha256": None,
            "source_kind": "course_release",
            "lessons": [{"release_id": lesson, "version": 1, "content_sha256": "b" * 64}],
        },
        LEARN,
        course=course,
    )  # fmt: skip
    with context.company(stored.organization_id):
        Course.objects.create(
            organization_id=stored.organization_id, course_id=course, kind="training", created_at=LEARN,
            title="Fire", title_at=LEARN,
        )  # fmt: skip
        Lesson.objects.create(
            organization_id=stored.organization_id, lesson_release_id=lesson, course_id=course, title="Doors",
            title_at=LEARN, version=1,
        )  # fmt: skip
    (row,) = call.pull("/v1/courses")
    rows.CourseVersion.model_validate(row)
    assert (row["course_title"], row["lessons"][0]["title"]) == ("Fire", "Doors")


def _policy(stored, published_at, html="<h1>P</h1>"):
    release = uuid.uuid4()
    body = {
        "course_id": uuid.uuid4(), "course_release_id": release, "policy_title": "P", "version": 1, "act": "sign",
        "doors": ["employee"], "statement": "I agree.", "statement_sha256": "a" * 64, "effective_on": None,
        "renew_months": 0, "change_kind": "first", "published_at": published_at, "document_sha256": "b" * 64,
        "version_digest": "c" * 64, "html": html,
    }  # fmt: skip
    stored.store(numbers.POLICIES, release, body, published_at, course=body["course_id"], begins_at=published_at)
    return str(release)


def test_policies_come_oldest_first_whenever_they_were_captured(stored, call):
    second, first = _policy(stored, LEARN), _policy(stored, LEARN - DAY)
    third = _policy(stored, LEARN + DAY)
    for limit in (1, 2, 200):
        found = call.pull("/v1/policies", limit)
        assert [row["course_release_id"] for row in found] == [first, second, third]
    rows.PolicyVersion.model_validate(found[0])
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
    receipt, record = uuid.uuid4(), uuid.uuid4()
    shared = {"course_id": uuid.uuid4(), "course_release_id": uuid.uuid4(), "policy_title": "P", "version": 1}
    owed = shared | {
        "record_id": record, "learner_profile_id": learner, "door": "partner", "assignment_id": uuid.uuid4(),
        "due_at": LEARN + DAY, "signed_at": None, "receipt_id": None, "act": None,
    }  # fmt: skip
    columns = {"begins_at": LEARN, "due_at": owed["due_at"]}
    stored.store(numbers.POLICY_RECORDS, record, owed, LEARN, learner=learner, **columns)
    signed_at = LEARN + 3 * DAY
    settled = owed | {"signed_at": signed_at, "receipt_id": receipt, "act": "signed"}
    stored.store(numbers.POLICY_RECORDS, record, settled, signed_at, learner=learner, **columns, done_at=signed_at)
    written = shared | {
        "receipt_id": receipt, "learner_profile_id": learner, "door": "partner", "effective_on": "2026-01-01",
        "version_digest": "a" * 64, "act": "signed", "signed_at": signed_at, "sign_in_methods": "password",
        "assignment_id": owed["assignment_id"], "cycle_id": uuid.UUID(int=0), "statement_sha256": "a" * 64,
        "document_sha256": "b" * 64, "signature_sha256": "c" * 64, "previous_sha256": "0" * 64,
        "receipt_sha256": "d" * 64,
    }  # fmt: skip
    stored.store(numbers.ACKNOWLEDGEMENTS, receipt, written, signed_at, learner=learner, begins_at=signed_at)
    with context.company(stored.organization_id):
        Contact.objects.create(
            organization_id=stored.organization_id, fact_id=uuid.uuid4(), learner_profile_id=learner, door="partner",
            at=LEARN, joined=True, company="As contact",
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
        rows.PolicyRecord.model_validate(row)
        assert (row["state"], row["company"], row["person_name"]) == (state, company, None)
    assert call.pull(f"/v1/acknowledgements?as_at={_at(LEARN)}") == []
    (row,) = call.pull(f"/v1/acknowledgements?from={_at(signed_at)}")
    rows.Receipt.model_validate(row)
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
