"""Reminders: one letter per person, never twice, recorded as facts; a crash leaves them `unknown`."""

import smtplib
import uuid
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends import locmem
from django.core.mail.message import sanitize_address

from compliance.facts.lines.kinds import PersonErased
from compliance.facts.recording import record
from compliance.facts.training.models import Reminder
from compliance.history import actions
from compliance.interfaces.operations import reminders, tasks
from compliance.interfaces.operations.models import ReminderDelivery
from compliance.tenancy import context
from config.celery import app
from tests import verbs
from tests.companies import ADMINISTRATOR, NOW, make_company

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


def send(company, at=NOW):
    return reminders.send_due(company.organization_id, lambda: at)


def deliveries(company):
    with context.company(company.organization_id):
        return list(ReminderDelivery.objects.filter(organization_id=company.organization_id).order_by("id"))


def facts(company):
    with context.company(company.organization_id):
        return Reminder.objects.filter(organization_id=company.organization_id).count()


def test_a_person_gets_one_letter_with_all_courses_and_each_is_a_fact(company):
    assert send(company) == (1, 2, 0, False)
    (letter,) = mail.outbox
    assert letter.to == ["anna@example.org"]
    assert "Fire safety" in letter.body
    assert "Phishing" in letter.body
    assert {each.state for each in deliveries(company)} == {"sent"}
    assert facts(company) == 2


def test_nothing_is_sent_twice_however_often_the_task_runs(company):
    send(company)
    assert send(company, NOW + timedelta(hours=1)) == (0, 0, 0, False)
    assert len(mail.outbox) == 1
    assert facts(company) == 2


def test_each_step_towards_the_deadline_is_a_reminder_of_its_own(company):
    sent = [NOW + n * A_DAY for n in range(50) if send(company, NOW + n * A_DAY).letters]
    assert [(moment - DUE) // A_DAY for moment in sent] == [-7, -1, 1, 7, 30]


def test_a_step_missed_by_far_is_not_made_up_for(company):
    assert send(company, DUE + 20 * A_DAY) == (0, 0, 0, False)


def test_who_has_completed_left_or_has_no_address_is_not_written_to():
    company = make_company()
    course = company.course()
    done, gone = company.join("Done"), company.join("Gone")
    company.join("Mute", account_email=None)
    company.share(course, due_at=DUE)
    company.complete(done, course, NOW - A_DAY)
    company.leave(gone, NOW - A_DAY)
    actions.capture_all(company.organization_id, NOW)
    assert send(company) == (0, 0, 0, False)


def test_a_letter_that_the_mail_server_refused_is_tried_again_each_hour_but_not_for_ever(company, settings):
    settings.EMAIL_BACKEND = f"{__name__}.RefusingBackend"
    for hours in range(reminders.MOST_ATTEMPTS + 2):
        assert send(company, NOW + timedelta(hours=hours)).refused == (hours < reminders.MOST_ATTEMPTS)
        assert send(company, NOW + timedelta(hours=hours)).refused == 0, "a run that follows at once leaves it"
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
    assert send(company) == (1, 1, 2, False)
    found = sorted((each.state, each.failure) for each in deliveries(company))
    refused = found.pop(0)
    assert refused[0] == "failed"
    assert refused[1] in ("UnicodeError", "UnicodeEncodeError")  # which one depends on the codec of the Python
    assert found == [("failed", "ValueError"), ("sent", "")]


def test_a_refused_letter_that_goes_out_at_last_is_sent_once(company, settings):
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.RefusingBackend"
    send(company)
    settings.EMAIL_BACKEND = working
    assert send(company, NOW + timedelta(hours=1)).letters == 1
    assert send(company, NOW + timedelta(hours=2)).letters == 0


def owing(*names):
    """A company in which these people owe a course that is due in six and a half days."""
    company = make_company()
    course = company.course()
    company.share(course, due_at=DUE)
    people = {f"{name.lower()}@example.org": company.join(name) for name in names}
    actions.capture_all(company.organization_id, NOW)
    return company, course, people


def test_a_run_logs_in_once_and_again_after_a_refusal(mail_server):
    company, _, _ = owing("Anna", "Ben", "Cleo", "Dora")
    assert send(company) == (4, 4, 0, False)
    assert mail_server.sessions == 1
    company.join("Refused")
    company.join("Emil")
    actions.capture_all(company.organization_id, NOW)
    assert send(company) == (1, 1, 1, False)
    assert len(mail_server.received) == 5


def test_no_letter_is_refused_because_a_session_has_had_as_many_as_the_mail_server_allows(mail_server):
    mail_server.letters_a_session = 50
    company, _, _ = owing(*(f"Person {number}" for number in range(51)))
    assert send(company) == (51, 51, 0, False)
    assert mail_server.sessions == 2


def test_a_mail_server_that_is_away_ends_the_run_and_costs_the_others_no_attempt(settings):
    settings.EMAIL_BACKEND = f"{__name__}.RefusingBackend"
    company, _, _ = owing("Anna", "Ben", "Cleo", "Dora", "Emil")
    assert send(company) == (0, 0, 3, False)
    assert len(deliveries(company)) == 3


def test_mailboxes_that_the_mail_server_refuses_end_no_run(mail_server):
    company = make_company()
    company.share(company.course(), due_at=DUE)
    for name in ("Anna", "Ben", "Cleo", "Dora", "Emil"):
        company.join(name, account_email="refused@example.org")
    actions.capture_all(company.organization_id, NOW)
    assert send(company) == (0, 0, 5, False)


def test_a_run_ends_after_five_minutes_and_another_one_sends_the_rest():
    company, _, _ = owing("Anna", "Ben", "Cleo", "Dora")
    clock = lambda: NOW + len(mail.outbox) * timedelta(minutes=3)  # noqa: E731 - how long a letter takes
    assert reminders.send_due(company.organization_id, clock) == (2, 2, 0, True)
    assert reminders.send_due(company.organization_id, clock) == (2, 2, 0, False)
    assert len({letter.to[0] for letter in mail.outbox}) == 4


def test_a_task_that_did_not_send_all_is_sent_again(monkeypatch):
    company, _, _ = owing("Anna", "Ben", "Cleo")
    named = []
    monkeypatch.setattr(app, "send_task", lambda task, args, *_, **__: named.append((task, *args)))
    monkeypatch.setattr(tasks, "now", lambda: NOW + len(mail.outbox) * timedelta(minutes=3))
    tasks.remind(str(company.organization_id))
    assert len(mail.outbox) == 2
    assert named == [("compliance.operations.remind", str(company.organization_id))]
    tasks.remind(str(company.organization_id))
    assert len(mail.outbox) == 3
    assert len(named) == 1


def _leaves(company, course, person):
    company.leave(person, NOW)


def _completes(company, course, person):
    company.complete(person, course, NOW)


def _is_erased(company, course, person):
    learner = person.learner_profile_id
    record(company.organization_id, [PersonErased(fact_id=uuid.uuid4(), at=NOW, learner_profile_id=learner)], now=NOW)


def _gets_another_deadline(company, course, person):
    verbs.set_deadline(
        organization_id=company.organization_id, learner_profile_id=person.learner_profile_id,
        course_id=course.course_id, due_at=DUE + 30 * A_DAY, at=NOW, now=NOW, actor_id=ADMINISTRATOR,
    )  # fmt: skip


@pytest.mark.parametrize("meanwhile", [_leaves, _completes, _is_erased, _gets_another_deadline])
def test_nobody_is_written_to_whom_the_letters_before_theirs_have_made_wrong(meanwhile):
    company, course, people = owing("Anna", "Ben")

    def clock():
        if len(mail.outbox) == 1 and len(people) == 2:
            del people[mail.outbox[0].to[0]]
            meanwhile(company, course, *people.values())
            actions.capture_all(company.organization_id, NOW)
        return NOW

    assert reminders.send_due(company.organization_id, clock) == (1, 1, 0, False)
    assert len(people) == 1
    assert len(deliveries(company)) == 1


def test_who_has_another_address_since_the_run_began_is_written_to_there():
    company, _, people = owing("Anna", "Ben")

    def clock():
        if len(mail.outbox) == 1 and len(people) == 2:
            del people[mail.outbox[0].to[0]]
            (person,) = people.values()
            facts_of = {"organization_id": company.organization_id, "at": NOW, "now": NOW}
            verbs.change_person(
                **facts_of, learner_profile_id=person.learner_profile_id, account_email="new@example.org"
            )
        return NOW

    assert reminders.send_due(company.organization_id, clock).letters == 2
    assert mail.outbox[1].to == ["new@example.org"]


def test_after_a_crash_while_sending_nobody_claims_to_know_and_nothing_is_sent_again(company, settings):
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.DyingBackend"
    with pytest.raises(SystemExit):
        send(company)
    settings.EMAIL_BACKEND = working
    assert {each.state for each in deliveries(company)} == {"sending"}
    assert send(company).letters == 0
    assert reminders.forget_unfinished(company.organization_id, NOW + timedelta(hours=2)) == 2
    assert send(company, NOW + timedelta(hours=2)).letters == 0
    assert facts(company) == 0
    assert len(mail.outbox) == 1
