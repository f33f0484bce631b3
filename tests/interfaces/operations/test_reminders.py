"""Reminders: one letter per person, never twice, recorded as facts; a crash leaves them `unknown`."""

import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends import locmem
from django.core.mail.message import sanitize_address

from compliance.facts.training.models import Reminder
from compliance.history import actions
from compliance.interfaces.operations import reminders
from compliance.interfaces.operations.models import ReminderDelivery
from compliance.tenancy import context
from tests.companies import NOW, make_company

pytestmark = pytest.mark.django_db
A_DAY = timedelta(days=1)
DUE = NOW + 6 * A_DAY + A_DAY / 2
"""The reminder of seven days before it was due half a day ago."""


class RefusingBackend(locmem.EmailBackend):
    """A mail server that refuses every letter."""

    def send_messages(self, letters):
        raise smtplib.SMTPServerDisconnected("closed")


class ParticularBackend(locmem.EmailBackend):
    """A mail server that checks addresses as Django's SMTP backend does."""

    def send_messages(self, letters):
        for letter in letters:
            for address in letter.recipients():
                sanitize_address(address, "utf-8")
        return super().send_messages(letters)


class DyingBackend(locmem.EmailBackend):
    """A mail server during which the process dies, while the letter is being sent."""

    def send_messages(self, letters):
        super().send_messages(letters)
        raise SystemExit(137)


@pytest.fixture
def company():
    """Anna owes two courses and Boris one, all due in six and a half days."""
    company = make_company()
    company.join("Anna")
    company.share(company.course("Fire safety"), due_at=DUE)
    company.share(company.course("Phishing"), due_at=DUE)
    actions.capture_all(company.organization_id, NOW)
    return company


def deliveries(company):
    with context.company(company.organization_id):
        return list(ReminderDelivery.objects.filter(organization_id=company.organization_id).order_by("id"))


def facts(company):
    with context.company(company.organization_id):
        return Reminder.objects.filter(organization_id=company.organization_id).count()


def test_a_person_gets_one_letter_with_all_courses_and_each_is_a_fact(company):
    assert reminders.send_due(company.organization_id, NOW) == (1, 2, 0)
    (letter,) = mail.outbox
    assert letter.to == ["anna@example.org"]
    assert "Fire safety" in letter.body
    assert "Phishing" in letter.body
    assert {each.state for each in deliveries(company)} == {"sent"}
    assert facts(company) == 2


def test_nothing_is_sent_twice_however_often_the_task_runs(company):
    reminders.send_due(company.organization_id, NOW)
    assert reminders.send_due(company.organization_id, NOW + timedelta(hours=1)) == (0, 0, 0)
    assert len(mail.outbox) == 1
    assert facts(company) == 2


def test_each_step_towards_the_deadline_is_a_reminder_of_its_own(company):
    sent = [NOW + n * A_DAY for n in range(50) if reminders.send_due(company.organization_id, NOW + n * A_DAY).letters]
    assert [(moment - DUE) // A_DAY for moment in sent] == [-7, -1, 1, 7, 30]


def test_a_step_missed_by_far_is_not_made_up_for(company):
    assert reminders.send_due(company.organization_id, DUE + 20 * A_DAY) == (0, 0, 0)


def test_who_has_completed_left_or_has_no_address_is_not_written_to():
    company = make_company()
    course = company.course()
    done, gone = company.join("Done"), company.join("Gone")
    company.join("Mute", account_email=None)
    company.share(course, due_at=DUE)
    company.complete(done, course, NOW - A_DAY)
    company.leave(gone, NOW - A_DAY)
    actions.capture_all(company.organization_id, NOW)
    assert reminders.send_due(company.organization_id, NOW) == (0, 0, 0)


def test_a_letter_that_the_mail_server_refused_is_tried_again_but_not_for_ever(company, settings):
    settings.EMAIL_BACKEND = f"{__name__}.RefusingBackend"
    for _ in range(reminders.MOST_ATTEMPTS + 2):
        reminders.send_due(company.organization_id, NOW)
    assert {(each.state, each.attempts, each.failure) for each in deliveries(company)} == {
        ("failed", reminders.MOST_ATTEMPTS, "SMTPServerDisconnected")
    }
    assert facts(company) == 0


def test_an_address_that_no_letter_can_bear_holds_up_nobody(settings):
    settings.EMAIL_BACKEND = f"{__name__}.ParticularBackend"
    company = make_company()
    company.share(company.course(), due_at=DUE)
    company.join("Anna", account_email="anna@example..org")
    company.join("Ben")
    company.join("Cleo", account_email=f"cleo@{'x' * 70}.org")
    actions.capture_all(company.organization_id, NOW)
    assert reminders.send_due(company.organization_id, NOW) == (1, 1, 2)
    found = sorted((each.state, each.failure) for each in deliveries(company))
    refused = found.pop(0)
    assert refused[0] == "failed"
    assert refused[1] in ("UnicodeError", "UnicodeEncodeError")  # which one depends on the codec of the Python
    assert found == [("failed", "ValueError"), ("sent", "")]


def test_a_refused_letter_that_goes_out_at_last_is_sent_once(company, settings):
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.RefusingBackend"
    reminders.send_due(company.organization_id, NOW)
    settings.EMAIL_BACKEND = working
    assert reminders.send_due(company.organization_id, NOW).letters == 1
    assert reminders.send_due(company.organization_id, NOW).letters == 0


def test_after_a_crash_while_sending_nobody_claims_to_know_and_nothing_is_sent_again(company, settings):
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.DyingBackend"
    with pytest.raises(SystemExit):
        reminders.send_due(company.organization_id, NOW)
    settings.EMAIL_BACKEND = working
    assert {each.state for each in deliveries(company)} == {"sending"}
    assert reminders.send_due(company.organization_id, NOW).letters == 0
    assert reminders.forget_unfinished(company.organization_id, NOW + timedelta(hours=2)) == 2
    assert reminders.send_due(company.organization_id, NOW + timedelta(hours=2)).letters == 0
    assert facts(company) == 0
    assert len(mail.outbox) == 1
