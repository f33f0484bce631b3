"""Reports sent by letter: due by the company's clock, sent once, without names, and only to people who may see them."""

import smtplib
from datetime import UTC, date, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core.mail.backends.locmem import EmailBackend
from django.urls import reverse

from compliance.history.actions import capture_all
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.interfaces.console.reports import schedule
from compliance.interfaces.console.reports.models import Report, StandingReport
from compliance.tenancy import context
from tests.companies import Company, make_present_company, noon
from tests.interfaces.console.conftest import make_staff, signed_in

pytestmark = pytest.mark.django_db
Every = StandingReport.Every


@pytest.mark.parametrize(
    ("every", "after", "due", "first", "last"),
    [
        (Every.WEEK, "2026-11-23T07:00", "2026-11-30T06:00", date(2026, 11, 23), date(2026, 11, 29)),
        (Every.MONTH, "2026-03-10T00:00", "2026-04-01T05:00", date(2026, 3, 1), date(2026, 3, 31)),
        (Every.QUARTER, "2026-03-10T00:00", "2026-04-01T05:00", date(2026, 1, 1), date(2026, 3, 31)),
        (Every.QUARTER, "2026-10-01T06:00", "2027-01-01T06:00", date(2026, 10, 1), date(2026, 12, 31)),
    ],
)
def test_a_report_is_due_at_its_hour_and_is_about_the_time_before(every, after, due, first, last):
    """It is due at seven in Paris, with and without daylight saving time."""
    found = schedule.next_run("Europe/Paris", every, 7, datetime.fromisoformat(after).replace(tzinfo=UTC))
    assert f"{found:%Y-%m-%dT%H:%M}" == due
    assert schedule.period_before("Europe/Paris", every, found) == (first, last)


@pytest.fixture
def company() -> Company:
    made = make_present_company("Letters Ltd")
    fire = made.course("Fire safety")
    made.share(fire, days=5)
    made.complete(made.join("Quentin Roux"), fire, noon(50))
    made.join("Wanda Kowalska")
    capture_all(made.organization_id, made.now)
    return made


@pytest.fixture
def manager() -> User:
    user = make_staff("clara", COMPLIANCE_MANAGER)
    user.email = "clara@example.org"
    user.save()
    return user


@pytest.fixture
def scheduled(company, manager) -> StandingReport:
    """Set up by the manager in the console, due at the beginning of next month."""
    client = signed_in(manager)
    act = reverse("console:act-add-report", kwargs={"organization_id": company.organization_id})
    form = {"every": "month", "hour": "7"}
    page = client.post(act, form).content.decode()
    assert "clara@example.org" in page
    job = page.split('name="job" value="')[1].split('"')[0]
    done = client.post(act, form | {"step": "confirm", "job": job, "reason": "For the board."})
    assert done.status_code == 302, done.content.decode()
    with context.company(company.organization_id):
        return StandingReport.objects.get(organization_id=company.organization_id)


def run(scheduled: StandingReport, now: datetime) -> bool:
    return schedule.run(scheduled.organization_id, scheduled.standing_id, now)


def now_of(scheduled: StandingReport) -> StandingReport:
    with context.company(scheduled.organization_id):
        return StandingReport.objects.get(pk=scheduled.pk)


def test_a_letter_has_numbers_and_a_link_and_names_nobody(company, scheduled, mailoutbox, settings):
    due = scheduled.next_run_at
    assert not run(scheduled, due - timedelta(seconds=1))
    with context.company(company.organization_id):
        assert schedule.due(company.organization_id, due) == [scheduled.standing_id]
    assert run(scheduled, due)
    assert not run(scheduled, due)  # a task that comes twice sends once
    (letter,) = mailoutbox
    assert letter.to == ["clara@example.org"]
    assert "Training: 1 of 2 required done (50 %)." in letter.body
    assert "Overdue at its end: 1." in letter.body
    for name in ("Quentin", "Roux", "Wanda", "Kowalska"):
        assert name not in letter.body + letter.subject
    after = now_of(scheduled)
    with context.company(company.organization_id):
        report = Report.objects.get(organization_id=company.organization_id)
    assert after.last_report_id == report.report_id
    assert (
        f"{settings.BASE_URL.rstrip('/')}/console/companies/{company.organization_id}/reports/{report.report_id}/"
        in letter.body
    )
    assert after.next_run_at > due


def test_a_mail_server_that_refuses_is_asked_again_with_the_same_report(company, scheduled, mailoutbox, monkeypatch):
    def refuse(self: EmailBackend, messages: object) -> int:
        raise smtplib.SMTPServerDisconnected("away")

    due = scheduled.next_run_at
    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "send_messages", refuse)
        assert not run(scheduled, due)
    waiting = now_of(scheduled)
    assert (waiting.next_run_at, waiting.try_at) == (due, due + timedelta(minutes=5))
    assert run(scheduled, waiting.try_at)
    assert len(mailoutbox) == 1
    with context.company(company.organization_id):
        assert Report.objects.count() == 1
        assert str(Report.objects.get().report_id) in mailoutbox[0].body


def test_an_address_to_which_no_letter_can_be_written_is_given_up_until_the_next_report(
    scheduled, manager, mail_server
):
    User.objects.filter(pk=manager.pk).update(email="clara@example..org")
    due = scheduled.next_run_at
    for _ in range(schedule.MOST_ATTEMPTS):
        waiting = now_of(scheduled)
        assert (waiting.begun_at, waiting.next_run_at) == (None, due)
        assert not run(scheduled, waiting.try_at)
    after = now_of(scheduled)
    assert (after.begun_at, after.next_run_at > due, mail_server.received) == (None, True, [])
    assert "did not take the last letter" in after.problem


def test_whoever_may_not_see_the_company_any_more_gets_no_letter(company, scheduled, manager, mailoutbox):
    manager.groups.clear()
    due = scheduled.next_run_at
    assert not run(scheduled, due)
    assert mailoutbox == []
    after = now_of(scheduled)
    assert "may not see this company any more" in after.problem
    assert after.next_run_at > due


def test_a_report_that_was_stopped_is_not_due(company, scheduled, manager, mailoutbox):
    client = signed_in(manager)
    act = reverse("console:act-stop-report", kwargs={"organization_id": company.organization_id})
    form = {"standing_id": str(scheduled.standing_id)}
    page = client.post(act, form).content.decode()
    job = page.split('name="job" value="')[1].split('"')[0]
    assert client.post(act, form | {"step": "confirm", "job": job, "reason": "No longer."}).status_code == 302
    assert not run(scheduled, scheduled.next_run_at)
    assert mailoutbox == []


def test_an_account_without_an_address_is_refused_with_a_reason(company):
    client = signed_in(make_staff("nomail", COMPLIANCE_MANAGER))
    act = reverse("console:act-add-report", kwargs={"organization_id": company.organization_id})
    assert "no e-mail address" in client.post(act, {"every": "week", "hour": "7"}).content.decode()
