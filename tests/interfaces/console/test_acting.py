"""Acts: previewed without a trace, confirmed with a reason, performed once, and logged."""

import importlib
import io
import json
import re
import uuid
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.core import mail
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone
from kombu.exceptions import OperationalError

import development.demo
from compliance.access.models import ApiKey
from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.courses.models import Course as CourseRow
from compliance.facts.courses.models import ReleaseContent
from compliance.facts.ledger.models import Fact
from compliance.facts.people.models import Invitation, Profile
from compliance.facts.policies.queries import newest_row
from compliance.history.actions import capture_all
from compliance.history.models import HistoryRecord, HistoryRow
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.models import AccessLog, Job
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.tasks import run_job, send_waiting
from compliance.rules.vocabulary import Scope
from compliance.tenancy import context, sql
from compliance.tenancy.turns import turn
from config.celery import app
from tests.companies import Company, make_company, noon

pytestmark = pytest.mark.django_db
REASON = "Asked for by the company"
PACKAGES = Path(development.demo.__file__).parent / "packages"


@pytest.fixture
def company():
    made = make_company()
    return Company(made.organization_id, start=noon(90), now=timezone.now())


def _in_a_month():
    return (timezone.now() + timedelta(days=30)).date().isoformat()


def _address(company, act):
    return f"/console/companies/{company.organization_id}/act/{act}/"


def preview(client, company, act, /, **values):
    """The preview page, and the values that its form would send."""
    page = client.post(_address(company, act), {"step": "preview"} | values)
    text = page.content.decode()
    job = re.search(r'name="job" value="([0-9a-f-]{36})"', text)
    assert job, re.findall(r"errorlist.*?</ul>", text, re.DOTALL) or text[-2000:]
    kept = {name: value for name, value in values.items() if not hasattr(value, "read")}
    return text, kept | {"step": "confirm", "job": job[1]}


def confirm(client, company, act, sent, reason=REASON):
    return client.post(_address(company, act), sent | {"reason": reason})


def decide(client, where, step="confirm", reason=REASON):
    """What the second person's page at `where` would send, with what it said as they looked."""
    seen = re.search(r'name="seen" value="(\w+)"', client.get(where).content.decode())
    return client.post(where, {"step": step, "reason": reason} | ({"seen": seen[1]} if seen else {}))


def do(client, company, act, /, **values):
    _, sent = preview(client, company, act, **values)
    response = confirm(client, company, act, sent)
    assert response.status_code == 302, re.findall(r"errorlist.*?</ul>", response.content.decode(), re.DOTALL)
    return response


def facts(company):
    with context.company(company.organization_id):
        return list(Fact.objects.values_list("kind", flat=True))


def record_ids(company, register=TRAINING_RECORDS.number):
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
        return list(
            HistoryRecord.objects.filter(register=register).order_by("birth").values_list("record_id", flat=True)
        )


def test_a_preview_shows_what_will_change_and_leaves_no_trace(staff, company):
    anna, course = company.join("Anna Berg"), company.course("Fire safety")
    record_ids(company)
    before = facts(company)
    with context.company(company.organization_id):
        rows = HistoryRow.objects.count()
    text, _ = preview(
        staff(COMPLIANCE_MANAGER), company, "share-course",
        course_id=str(course.course_id), requirement="required", doors=["employee"], audience="people",
        people=str(anna.learner_profile_id), basis="days_after_added", days="30",
    )  # fmt: skip
    assert "Anna Berg" in text
    assert "training-records" in text
    assert facts(company) == before
    with context.company(company.organization_id):
        assert HistoryRow.objects.count() == rows


def test_where_an_act_reaches_more_than_a_page_may_wait_for_the_preview_says_how_far(staff, company, monkeypatch):
    for name in ("Anna", "Ben"):
        company.join(name)
    course = company.course()
    monkeypatch.setattr("compliance.interfaces.console.preview.dry_run.PEOPLE_AT_MOST", 1)
    text, _ = preview(
        staff(COMPLIANCE_MANAGER), company, "share-course",
        course_id=str(course.course_id), requirement="required", doors=["employee"], audience="everyone", basis="none",
    )  # fmt: skip
    assert "Up to <b>2</b> employees may be reached" in text


def test_a_confirmed_act_records_its_fact_and_a_line_of_the_log_with_the_reason(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    do(client, company, "invite", work_email="new@example.org", person_name="New Person")
    with context.company(company.organization_id):
        assert Invitation.objects.get().work_email == "new@example.org"
        actor_id = Fact.objects.get(kind="person_invited").actor_id
    line = AccessLog.objects.get(act="invite", organization_id=company.organization_id)
    assert (line.reason, line.organization_id, line.groups) == (REASON, company.organization_id, COMPLIANCE_MANAGER)
    assert "new@example.org" not in f"{line.subject} {line.reason}"
    assert actor_id is not None


def test_nothing_is_done_without_a_reason_or_without_a_preview_or_twice(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    _, sent = preview(client, company, "invite", work_email="new@example.org")
    assert "Say why" in confirm(client, company, "invite", sent, reason=" ").content.decode()
    assert confirm(client, company, "invite", sent | {"job": str(uuid.uuid4())}).status_code == 422
    assert confirm(staff(COMPLIANCE_MANAGER), company, "invite", sent).status_code == 422
    assert facts(company) == []
    first = confirm(client, company, "invite", sent)
    assert first.status_code == 302
    assert confirm(client, company, "invite", sent).headers["Location"] == first.headers["Location"]
    assert facts(company) == ["person_invited"]
    assert "This was done already, once: " in client.get(first.headers["Location"]).content.decode()


def test_what_somebody_else_changed_since_is_shown_before_anything_is_done(staff, company):
    anna = str(company.join("Anna").learner_profile_id)
    first, second = staff(COMPLIANCE_MANAGER), staff(OPERATOR)
    _, mine = preview(first, company, "suspend", learner_profile_id=anna)
    _, theirs = preview(second, company, "end", learner_profile_id=anna)
    assert confirm(first, company, "suspend", mine).status_code == 302
    page = confirm(second, company, "end", theirs)
    assert page.status_code == 200
    assert "Somebody changed something about this since you looked" in page.content.decode()
    assert "employee_left" not in facts(company)
    assert confirm(second, company, "end", theirs).status_code == 302
    assert "employee_left" in facts(company)


def test_a_preview_repeats_what_was_asked_for_and_warns_of_a_day_that_has_passed(staff, company):
    company.join("Anna Berg")
    course = company.course("Fire safety")
    company.share(course)
    record_ids(company)
    text, _ = preview(
        staff(COMPLIANCE_MANAGER), company, "set-deadline",
        learner_profile_id="anna berg", course_id=str(course.course_id), due_on="2026-01-05",
    )  # fmt: skip
    assert "<dt>Person</dt><dd><bdi>Anna Berg</bdi>" in text
    assert "<dt>Course</dt><dd><bdi>Fire safety</bdi>" in text
    assert "<bdi>5 January 2026</bdi>" in text
    assert "The deadline has passed already" in text


@pytest.mark.parametrize("day", ["0001-01-01", "1899-12-31", "3000-01-01", "9999-12-31"])
@pytest.mark.parametrize("act", ["assign", "share-course"])
def test_a_deadline_in_a_year_of_which_no_fact_tells_is_refused_in_the_form(staff, company, act, day):
    told = {"course_id": str(company.course("Ladders").course_id), "due_on": day, "everyone": "on", "step": "preview"}
    shared = {"requirement": "required", "doors": "employee", "audience": "everyone", "basis": "share_deadline"}
    page = staff(OPERATOR).post(_address(company, act), told | shared)
    assert page.status_code == 200
    assert "Choose a day between the years 1900 and 2999." in page.content.decode()


def test_who_was_reminded_an_hour_ago_is_warned_of(staff, company):
    company.join("Anna Berg")
    company.share(company.course("Fire safety"))
    (record,) = record_ids(company)
    client = staff(OPERATOR)
    text, sent = preview(client, company, "remind-many", record_ids=str(record))
    assert "within the last day" not in text
    assert "<bdi>Anna Berg</bdi>" in text
    confirm(client, company, "remind-many", sent)
    with context.company(company.organization_id):
        job = Job.objects.get()
    run_job(str(company.organization_id), str(job.job_id))
    text, _ = preview(client, company, "remind-many", record_ids=str(record))
    assert "1 of these people was reminded of this within the last day, on " in text


def test_rows_chosen_in_a_list_are_previewed_at_once_where_nothing_else_is_asked(staff, company):
    company.join("Anna Berg")
    company.share(company.course("Fire safety"))
    (record,) = record_ids(company)
    client = staff(COMPLIANCE_MANAGER)
    text = client.post(
        _address(company, "remind-many"), {"step": "chosen", "record_ids": [str(record)]}
    ).content.decode()
    assert "Nothing has been changed yet" in text
    text = client.post(
        _address(company, "waive-many"), {"step": "chosen", "record_ids": [str(record)]}
    ).content.decode()
    assert "<b>1 row</b>" in text
    assert "There is a problem" not in text


def test_what_the_rules_refuse_is_said_in_the_form(staff, company):
    anna = company.join("Anna")
    page = staff(COMPLIANCE_MANAGER).post(
        _address(company, "resume"), {"step": "preview", "learner_profile_id": str(anna.learner_profile_id)}
    )
    assert "errorlist" in page.content.decode()
    assert "employee_resumed" not in facts(company)


def test_people_are_suspended_resumed_ended_and_erased(staff, company):
    anna, manager = company.join("Anna Berg"), staff(COMPLIANCE_MANAGER)
    who = {"learner_profile_id": str(anna.learner_profile_id)}
    record_ids(company)
    for act in ("suspend", "resume", "end"):
        do(manager, company, act, **who)
    text, sent = preview(manager, company, "erase", **who)
    assert "Goes: the name" in text
    with context.company(company.organization_id):
        assert Profile.objects.get().person_name == "Anna Berg"
    assert confirm(manager, company, "erase", sent).status_code == 302
    with context.company(company.organization_id):
        assert Profile.objects.get().person_name is None


def test_the_address_of_an_invited_person_is_on_no_page_of_work_once_they_are_erased(staff, company):
    anna, manager = company.join("Anna Berg"), staff(COMPLIANCE_MANAGER)
    record_ids(company)
    do(manager, company, "invite", work_email="anna.berg@example.org")
    do(manager, company, "erase", learner_profile_id=str(anna.learner_profile_id))
    with context.company(company.organization_id):
        job = Job.objects.get(act="invite")
        assert not [each for each in Job.objects.all() if "anna.berg@" in f"{each.message} {each.told} {each.findings}"]
    pages = f"/console/companies/{company.organization_id}"
    for page in (f"{pages}/act/", f"{pages}/work/{job.job_id}/"):
        text = manager.get(page).content.decode()
        assert "a letter with it is on its way" in text
        assert "anna.berg@example.org" not in text


def test_the_migration_empties_stored_results_that_name_the_invited_and_no_others(staff, company):
    migration = importlib.import_module("compliance.interfaces.console.migrations.0011_messages_of_invitations")
    do(staff(COMPLIANCE_MANAGER), company, "invite", work_email="anna@example.org")
    with context.company(company.organization_id):
        Job.objects.update(message="The invitation is recorded, and a letter with it goes to anna@example.org.")
        kept = Job.objects.create(
            organization_id=company.organization_id, act="suspend", state=Job.State.DONE, user_id=1, username="anna",
            asked_at=timezone.now(), message="The person is suspended.",
        )  # fmt: skip
        for _ in range(2):
            sql.execute(migration.CLEAR, [])
        assert dict(Job.objects.values_list("act", "message")) == {"invite": "", kept.act: kept.message}


def test_records_are_waived_reinstated_and_given_deadlines_one_by_one(staff, company):
    anna, course = company.join("Anna"), company.course()
    company.share(course)
    record_ids(company)
    owed = {"learner_profile_id": str(anna.learner_profile_id), "course_id": str(course.course_id)}
    manager = staff(COMPLIANCE_MANAGER)
    do(manager, company, "set-deadline", **owed, due_on="2031-05-04")
    do(manager, company, "waive", **owed, reason_code="medical")
    do(manager, company, "reinstate", **owed)
    page = manager.get(f"/console/companies/{company.organization_id}/people/{anna.learner_profile_id}/")
    assert "4 May 2031" in page.content.decode()


def test_a_job_that_the_broker_lost_is_named_to_the_worker_again(
    staff, company, monkeypatch, django_capture_on_commit_callbacks
):
    company.share(company.course())
    company.join("Anna")
    table = io.BytesIO(("record_id\n" + "\n".join(map(str, record_ids(company)))).encode())
    table.name = "records.csv"
    client = staff(COMPLIANCE_MANAGER)
    _, sent = preview(client, company, "waive-many", reason_code="administrative", table=table)
    named = []

    def away(task, args=(), **options):
        assert options["retry"] is False
        named.append((task, *args))
        raise OperationalError("away")

    monkeypatch.setattr(app, "send_task", away)
    with django_capture_on_commit_callbacks(execute=True):
        response = confirm(client, company, "waive-many", sent)
    assert "Waits for the worker" in client.get(response.url).content.decode()
    with context.company(company.organization_id):
        job = Job.objects.get()
    monkeypatch.setattr(app, "send_task", lambda task, args=(), **_: named.append((task, *args)))
    again = (jobs.TASK, str(company.organization_id), str(job.job_id))
    assert named == [again]
    send_waiting()
    assert named == [again]  # it may still be in the queue
    with context.company(company.organization_id):
        Job.objects.update(asked_at=timezone.now() - jobs.PATIENCE)
    send_waiting()
    assert named == [again, again]
    run_job(*again[1:])
    assert named.pop() == (jobs.NEXT_TASK, again[1])  # the next job of the company
    send_waiting()
    assert named == [again, again]
    assert "1 record" in client.get(response.url).content.decode()


def test_many_records_are_waived_by_a_table_in_the_background(staff, company, django_capture_on_commit_callbacks):
    course = company.course()
    for name in ("Anna", "Ben", "Cleo"):
        company.join(name)
    company.share(course)
    records = record_ids(company)
    table = io.BytesIO(("record_id\n" + "\n".join(map(str, records))).encode())
    table.name = "records.csv"
    client = staff(COMPLIANCE_MANAGER)
    text, sent = preview(client, company, "waive-many", reason_code="administrative", table=table)
    assert text.count("Waived:") >= 3
    response = confirm(client, company, "waive-many", sent)
    with context.company(company.organization_id):
        job = Job.objects.get()
        assert job.state == Job.State.WAITING
    page = client.get(response.url)
    assert page.headers["Refresh"].startswith("2;url=")
    assert "Waits for the worker" in page.content.decode()
    run_job(str(company.organization_id), str(job.job_id))
    run_job(str(company.organization_id), str(job.job_id))
    page = client.get(response.url)
    assert "3 of 3 records waived" in page.content.decode()
    assert "Refresh" not in page.headers
    assert facts(company).count("obligation_changed") == 3
    with context.company(company.organization_id):
        assert Job.objects.get().upload is None


def test_a_table_of_too_many_records_is_read_no_further(staff, company):
    lines = ["record_id", *(str(uuid.UUID(int=number)) for number in range(20_001)), "no identifier"]
    sent = {"step": "preview", "table": io.BytesIO("\n".join(lines).encode())}
    page = staff(COMPLIANCE_MANAGER).post(_address(company, "deadline-many"), sent).content.decode()
    assert "At most 20000 records at a time" in page
    assert "Line 20003" not in page


def test_a_job_of_someone_who_may_no_longer_do_it_does_nothing(staff, company):
    company.join("Anna")
    company.share(company.course())
    (record,) = record_ids(company)
    client = staff(COMPLIANCE_MANAGER)
    _, sent = preview(client, company, "waive-many", reason_code="administrative", record_ids=str(record))
    confirm(client, company, "waive-many", sent)
    from django.contrib.auth.models import User

    User.objects.get(pk=client.session["_auth_user_id"]).groups.clear()
    with context.company(company.organization_id):
        job = Job.objects.get()
    run_job(str(company.organization_id), str(job.job_id))
    with context.company(company.organization_id):
        assert Job.objects.get().state == Job.State.FAILED
    assert "obligation_changed" not in facts(company)


def test_work_whose_worker_died_does_not_look_busy_for_ever(staff, company):
    client = staff(OPERATOR)
    _, sent = preview(client, company, "sweep")
    response = confirm(client, company, "sweep", sent)
    for hours, dead in (3.9, False), (5.1, True):  # the task itself may run for four hours
        with context.company(company.organization_id):
            Job.objects.update(state=Job.State.RUNNING, started_at=timezone.now() - timedelta(hours=hours))
        page = client.get(response.url)
        assert ("The worker stopped on the way" in page.content.decode()) is dead
        assert ("Refresh" in page.headers) is not dead


def test_reminders_are_written_to_people_and_recorded(staff, company):
    company.join("Anna")
    company.share(company.course("Fire safety"))
    (record,) = record_ids(company)
    client = staff(OPERATOR)
    _, sent = preview(client, company, "remind-many", record_ids=str(record))
    assert mail.outbox == []
    confirm(client, company, "remind-many", sent)
    with context.company(company.organization_id):
        job = Job.objects.get()
    run_job(str(company.organization_id), str(job.job_id))
    assert [letter.to for letter in mail.outbox] == [["anna@example.org"]]
    assert facts(company).count("reminder_sent") == 1


def test_whoever_has_done_it_since_is_not_reminded(staff, company):
    anna, course = company.join("Anna"), company.course("Fire safety")
    company.share(course)
    (record,) = record_ids(company)
    client = staff(OPERATOR)
    text, sent = preview(client, company, "remind-many", record_ids=str(record))
    assert re.search(r"Letters</dt><dd[^>]*>1<", text)
    company.complete(anna, course, at=timezone.now())
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    confirm(client, company, "remind-many", sent)
    with context.company(company.organization_id):
        job = Job.objects.get()
    run_job(str(company.organization_id), str(job.job_id))
    assert mail.outbox == []
    assert "reminder_sent" not in facts(company)
    with context.company(company.organization_id):
        assert "not to do any more" in str(Job.objects.get().findings)
    text, _ = preview(client, company, "remind-many", record_ids=str(record))
    assert re.search(r"Letters</dt><dd[^>]*>0<", text)


def test_a_letter_that_cannot_be_sent_is_recorded_nowhere(staff, company, settings):
    company.join("Anna")
    company.share(company.course("Fire safety"))
    (record,) = record_ids(company)
    client = staff(OPERATOR)
    _, sent = preview(client, company, "remind-many", record_ids=str(record))
    confirm(client, company, "remind-many", sent)
    with context.company(company.organization_id):
        job = Job.objects.get()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1  # nothing listens there
    run_job(str(company.organization_id), str(job.job_id))
    assert "reminder_sent" not in facts(company)
    with context.company(company.organization_id):
        assert "could not be sent" in str(Job.objects.get().findings)


def test_a_preview_shows_the_act_alone_whatever_waits_to_be_captured(staff, company, monkeypatch):
    anna, ben = company.join("Anna"), company.join("Ben")
    course = company.course("Fire safety")
    company.share(course)
    record_ids(company)
    company.complete(ben, course, at=timezone.now())  # recorded, but not captured yet
    owed = {"learner_profile_id": str(anna.learner_profile_id), "course_id": str(course.course_id)}
    client = staff(COMPLIANCE_MANAGER)
    text, _ = preview(client, company, "waive", **owed, reason_code="medical")
    assert "Waived:" in text
    assert "Ben" not in text
    monkeypatch.setattr("compliance.interfaces.console.preview.dry_run.WAITING_AT_MOST", 0)
    text, sent = preview(client, company, "waive", **owed, reason_code="medical")
    assert "still waits to be captured" in text
    assert "Waived:" not in text
    assert confirm(client, company, "waive", sent).status_code == 302


def test_a_file_is_only_tried_by_the_worker_when_that_is_asked_for(staff, company):
    client = staff(OPERATOR)
    lines = [
        {"fact": "person_invited", "fact_id": str(uuid.uuid4()), "at": "2026-01-02T08:00:00Z",
         "invitation_id": str(uuid.uuid4()), "work_email": "new@example.org"},
        {"fact": "nonsense", "fact_id": str(uuid.uuid4()), "at": "2026-01-02T08:00:00Z"},
    ]  # fmt: skip
    file = io.BytesIO("\n".join(json.dumps(line) for line in lines).encode())
    file.name = "facts.jsonl"
    before = facts(company)
    _, sent = preview(client, company, "import", file=file, only_try="on")
    response = confirm(client, company, "import", sent)
    with context.company(company.organization_id):
        job = Job.objects.get()
    run_job(str(company.organization_id), str(job.job_id))
    page = client.get(response.url).content.decode()
    assert "Tried, and nothing recorded: 1 facts would be recorded" in page
    assert "Line 2" in page
    assert facts(company) == before


def test_the_access_log_is_never_changed(staff, company):
    staff(OPERATOR).get(f"/console/companies/{company.organization_id}/")
    line = AccessLog.objects.latest("id")
    for change in (lambda: AccessLog.objects.filter(pk=line.pk).update(page="other"), line.delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert AccessLog.objects.filter(pk=line.pk, page=line.page).exists()


def test_staff_accounts_leave_a_line_for_each_page(staff):
    client = staff("Administrator")
    client.get("/console/staff/auth/user/")
    staff(OPERATOR).get("/console/staff/auth/user/")
    found = AccessLog.objects.filter(page="staff").order_by("id").values_list("subject", "status")
    assert list(found) == [("path=/console/staff/auth/user/", 200), ("path=/console/staff/auth/user/", 302)]


def test_a_key_is_shown_once_and_rotated_and_revoked(staff, company):
    client = staff(OPERATOR)
    _, sent = preview(
        client, company, "issue-key", key_name="Warehouse", scopes=[Scope.TRAINING_READ.value], expires_on=_in_a_month()
    )
    token = re.search(r"svc_test_\w+", confirm(client, company, "issue-key", sent).content.decode())
    assert token
    key = ApiKey.objects.get(organization_id=company.organization_id)
    page = client.get(f"/console/companies/{company.organization_id}/keys/").content.decode()
    assert token[0] not in page
    assert key.ending in page
    _, sent = preview(client, company, "rotate-key", key_id=str(key.key_id))
    assert "svc_test_" in confirm(client, company, "rotate-key", sent).content.decode()
    do(client, company, "revoke-key", key_id=str(key.key_id))
    assert ApiKey.objects.get(key_id=key.key_id).revoked_at is not None
    assert token[0] not in "".join(AccessLog.objects.values_list("reason", flat=True))


def test_a_key_of_another_company_cannot_be_revoked(staff, company):
    other = make_company("Other")
    client = staff(OPERATOR)
    _, sent = preview(
        client, other, "issue-key", key_name="Theirs", scopes=[Scope.TRAINING_READ.value], expires_on=_in_a_month()
    )
    confirm(client, other, "issue-key", sent)
    theirs = ApiKey.objects.get(organization_id=other.organization_id)
    page = client.post(_address(company, "revoke-key"), {"step": "preview", "key_id": str(theirs.key_id)})
    assert "errorlist" in page.content.decode()


def test_a_policy_is_cleaned_before_the_eyes_and_published_as_shown(staff, company):
    company.join("Anna")
    client = staff(COMPLIANCE_MANAGER)
    html = '<h1>Travel</h1><p onclick="x()">Go <script>bad()</script>by train.</p>'
    form = {
        "html": html, "act": "sign", "statement": "I will.", "doors": ["employee"], "renew_months": "0",
        "change_kind": "ask_again",
    }  # fmt: skip
    text, sent = preview(client, company, "publish-policy", **form)
    assert "1 script, form or embedded page was left out." in text
    assert "onclick=&quot;x()&quot;" in text
    assert "<p>Go by train.</p></div>" in text
    response = confirm(client, company, "publish-policy", sent)
    assert "Version 1" in client.get(response.url).content.decode()
    with context.company(company.organization_id):
        course_id = CourseRow.objects.get(kind="policy").course_id
        assert newest_row(company.organization_id, course_id).html == "<h1>Travel</h1>\n<p>Go by train.</p>"
    do(client, company, "share-policy", course_id=str(course_id), doors=["employee"], audience="everyone", basis="none")
    do(client, company, "publish-policy", **form | {"course_id": str(course_id), "html": "<h1>Travel</h1><p>Walk.</p>"})
    assert facts(company).count("policy_published") == 2


def test_a_policy_that_could_never_be_served_is_refused_on_the_form(staff, company):
    form = {
        "html": f"<h1>Travel</h1><p>{chr(34) * 1_600_000}</p>", "act": "sign", "statement": "I will.",
        "doors": ["employee"], "renew_months": "0", "change_kind": "ask_again",
    }  # fmt: skip
    page = staff(COMPLIANCE_MANAGER).post(_address(company, "publish-policy"), {"step": "preview"} | form)
    assert "a page can serve 3,143,680 at most" in page.content.decode()
    assert "policy_published" not in facts(company)


def _package(name, changes=None):
    """A demo package as a ZIP; `changes`: by file, the text to replace and its replacement."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for file in sorted((PACKAGES / name).rglob("*")):
            if file.is_file():
                inside = str(file.relative_to(PACKAGES / name))
                archive.writestr(inside, file.read_bytes().replace(*(changes or {}).get(inside, (b"", b""))))
    data.seek(0)
    data.name = f"{name}.zip"
    return data


def test_a_course_is_published_from_its_package_and_a_broken_one_is_refused(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    text, sent = preview(client, company, "publish-course", package=_package("fire-safety"))
    assert "Content fingerprint" in text
    assert facts(company) == []
    assert confirm(client, company, "publish-course", sent).status_code == 302
    with context.company(company.organization_id):
        assert set(ReleaseContent.objects.get().words) == {"de", "en"}
        course_id = CourseRow.objects.get().course_id
    again = {"package": _package("fire-safety"), "course_id": str(course_id), "retake": "on"}
    do(client, company, "publish-course", **again)
    assert facts(company).count("release_published") == 2
    # The package's id identifies the course, so nobody has to choose it, and a repeated upload is recognised.
    text, sent = preview(client, company, "publish-course", package=_package("fire-safety"))
    assert "2, which is this very package: nothing to publish" in text
    confirm(client, company, "publish-course", sent)
    changed = _package("fire-safety", {"words/en.json": (b"Fire", b"Flame")})
    text, sent = preview(client, company, "publish-course", package=changed)
    assert "3" in re.findall(r"<dt>Version</dt>\s*<dd[^>]*>([^<]*)", text)
    confirm(client, company, "publish-course", sent)
    assert facts(company).count("release_published") == 3
    assert facts(company).count("course_created") == 1
    broken = io.BytesIO(b"no zip at all")
    broken.name = "broken.zip"
    page = client.post(_address(company, "publish-course"), {"step": "preview", "package": broken})
    assert "errorlist" in page.content.decode()


def test_a_certificate_is_corrected_and_revoked(staff, company):
    from compliance.facts.lines.kinds import Certificate
    from compliance.rules.vocabulary import CertificateKind

    anna = company.join("Ana Berg")
    course = company.course(certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION, valid_months=12))
    company.share(course)
    company.complete(anna, course, at=company.start + timedelta(days=5))
    (certificate,) = record_ids(company, CERTIFICATES.number)
    client = staff(COMPLIANCE_MANAGER)
    do(client, company, "correct-certificate", certificate_id=str(certificate), person_name="Anna Berg")
    _, new = record_ids(company, CERTIFICATES.number)
    do(client, company, "revoke-certificate", certificate_id=str(new))
    record_ids(company)
    page = client.get(f"/console/companies/{company.organization_id}/registers/certificates/").content.decode()
    assert "replaced" in page
    assert "revoked" in page


def test_a_facts_file_is_rehearsed_and_then_imported_by_the_worker(staff, company):
    invited = {"fact": "person_invited", "fact_id": str(uuid.uuid4()), "at": "2026-01-05T09:00:00Z"}
    lines = [
        invited | {"invitation_id": str(uuid.uuid4()), "work_email": "new@example.org"},
        {"fact": "nonsense"},
    ]
    file = io.BytesIO("\n".join(map(json.dumps, lines)).encode())
    file.name = "facts.jsonl"
    client = staff(OPERATOR)
    text, sent = preview(client, company, "import", file=file)
    assert "Line 2" in text
    assert facts(company) == []
    response = confirm(client, company, "import", sent)
    with context.company(company.organization_id):
        job = Job.objects.get()
    run_job(str(company.organization_id), str(job.job_id))
    page = client.get(response.url).content.decode()
    assert "1 facts recorded" in page
    assert "Line 2" in page
    assert facts(company) == ["person_invited"]


def test_a_sweep_and_a_verification_report_what_they_did(staff, company):
    company.join("Anna")
    client = staff(OPERATOR)
    for act, said in (("sweep", "row versions"), ("verify", "All holds")):
        _, sent = preview(client, company, act)
        response = confirm(client, company, act, sent)
        job_id = response.url.rstrip("/").rsplit("/", 1)[1]
        run_job(str(company.organization_id), job_id)
        assert said in client.get(response.url).content.decode()


def test_a_verification_beside_another_one_says_so(staff, company):
    client = staff(OPERATOR)
    _, sent = preview(client, company, "verify")
    response = confirm(client, company, "verify", sent)
    with turn(company.organization_id, "verify"):
        run_job(str(company.organization_id), response.url.rstrip("/").rsplit("/", 1)[1])
    assert "being verified already" in client.get(response.url).content.decode()


def test_every_act_has_a_form_that_opens(staff, company):
    client = staff("Administrator")
    for name in ACTS:
        assert client.get(_address(company, name)).status_code == 200, name
    assert isinstance(client, Client)
    assert jobs.progress(Job(job_id=uuid.uuid4())) == (0, 0)
