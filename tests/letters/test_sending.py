"""Sending: each letter at least once, with any number of workers, whatever the mail server does."""

import smtplib
import ssl
import uuid
from datetime import timedelta
from email import message_from_bytes, policy

import pytest
from django.core import mail
from django.core.mail.backends import locmem

from compliance.facts.lines import kinds
from compliance.letters import sending
from compliance.letters.actions import KEPT, Kind, forget_settled
from compliance.tenancy import context
from tests.companies import NOW
from tests.letters.conftest import again, sent

pytestmark = pytest.mark.django_db


class RefusingBackend(locmem.EmailBackend):
    """A mail server that refuses every letter."""

    def send_messages(self, letters):
        raise smtplib.SMTPServerDisconnected("closed")


class ExpiredBackend(locmem.EmailBackend):
    """A mail server whose certificate has expired."""

    def open(self):
        raise ssl.SSLCertVerificationError("certificate has expired")


class DyingBackend(locmem.EmailBackend):
    """The process dies after the letter is handed over."""

    def send_messages(self, letters):
        super().send_messages(letters)
        raise SystemExit(137)


@pytest.fixture
def anna(story):
    learner = story.employee("Anna Reis", account_email="anna@example.org")
    address = "anna@work.example"
    at = NOW - timedelta(days=9)
    story.tell([kinds.PersonChanged(fact_id=learner, at=at, learner_profile_id=learner, work_email=address)])
    return learner


def test_a_letter_goes_out_once_in_the_companys_name(story, anna, asked, settings):
    settings.DEFAULT_FROM_EMAIL = "Records <records@example.com>"
    letter = asked(story, Kind.LINK, anna)
    assert sent(story) == 1
    (found,) = mail.outbox
    assert found.to == ["anna@example.org"]
    assert found.from_email == "Harbour & Vine <records@example.com>"
    assert found.extra_headers["Message-ID"].startswith(f"<{letter.letter_id}@")
    assert found.extra_headers["Auto-Submitted"] == "auto-generated"
    assert sent(story, NOW + timedelta(days=1)) == 0
    assert (again(letter).sent_at, again(letter).due_at, again(letter).attempts) == (NOW, None, 1)


def test_a_letter_for_the_work_address_goes_there(story, anna, asked):
    asked(story, Kind.LINK, anna, to_work_address=True)
    assert sent(story) == 1
    assert mail.outbox[0].to == ["anna@work.example"]


def test_pauses_grow_until_a_letter_is_given_up(story, anna, asked, settings):
    settings.EMAIL_BACKEND = f"{__name__}.RefusingBackend"
    letter = asked(story, Kind.STAFF_LINK, anna)
    at, pauses = NOW, []
    while (due := again(letter).due_at) is not None:
        pauses.append((due - at) // timedelta(minutes=1))
        at = due
        sent(story, at)
    assert pauses == [0, *(2**attempt for attempt in range(1, sending.MOST_ATTEMPTS))]
    assert again(letter).failure == "SMTPServerDisconnected"
    assert again(letter).sent_at is None


def test_a_link_that_nobody_waits_for_any_more_is_not_sent(story, anna, asked, settings):
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.RefusingBackend"
    letter = asked(story, Kind.LINK, anna)
    sent(story)
    settings.EMAIL_BACKEND = working
    assert sent(story, NOW + timedelta(minutes=16)) == 0
    assert again(letter).failure == "SMTPServerDisconnected"


def test_a_process_that_dies_while_sending_sends_again_after_the_pause_under_the_same_id(story, anna, asked, settings):
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.DyingBackend"
    asked(story, Kind.STAFF_LINK, anna)
    with pytest.raises(SystemExit):
        sent(story)
    settings.EMAIL_BACKEND = working
    assert sent(story, NOW + timedelta(minutes=1)) == 0
    assert sent(story, NOW + timedelta(minutes=2)) == 1
    first, second = mail.outbox
    assert first.extra_headers["Message-ID"] == second.extra_headers["Message-ID"]
    assert sent(story, NOW + timedelta(days=1)) == 0


def test_a_mail_server_that_is_away_ends_the_run_after_a_few_letters(story, asked, settings):
    settings.EMAIL_BACKEND = f"{__name__}.RefusingBackend"
    for learner in story.employees([f"Person {n}" for n in range(6)], account_email="somebody@example.org"):
        asked(story, Kind.STAFF_LINK, learner)
    assert sending.send_due(story.organization_id, lambda: NOW) == (0, 3, False)


def test_no_letter_is_given_up_because_the_mail_servers_name_was_mistyped(story, anna, asked, settings):
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "mail..example.com"
    asked(story, Kind.STAFF_LINK, anna)
    assert sent(story) == 0
    settings.EMAIL_BACKEND = working
    assert sent(story, NOW + timedelta(minutes=2)) == 1


def test_no_letter_is_given_up_because_the_mail_servers_certificate_has_expired(story, anna, asked, settings):
    settings.EMAIL_BACKEND = f"{__name__}.ExpiredBackend"
    letter = asked(story, Kind.STAFF_LINK, anna)
    sent(story)
    assert (again(letter).failure, again(letter).due_at) == ("SSLCertVerificationError", NOW + timedelta(minutes=2))


def five_minutes_a_letter():
    return NOW + len(mail.outbox) * timedelta(minutes=5)


def test_a_run_ends_after_five_minutes_and_says_that_more_is_due(story, asked):
    for learner in story.employees(["Anna", "Boris", "Cleo"], account_email="somebody@example.org"):
        asked(story, Kind.STAFF_LINK, learner)
    assert sending.send_due(story.organization_id, five_minutes_a_letter) == (1, 0, True)
    assert sending.send_due(story.organization_id, lambda: NOW) == (2, 0, False)


def test_what_somebody_waits_for_goes_first(story, anna, asked):
    version, share_id = story.shared_policy()
    receipt = story.signed(version, share_id, anna)
    story.tell([receipt])
    asked(story, Kind.SIGNED, anna, receipt.receipt_id)
    asked(story, Kind.LINK, anna)
    assert sending.send_due(story.organization_id, five_minutes_a_letter).more
    assert "sign-in link" in mail.outbox[0].subject
    assert sending.send_due(story.organization_id, lambda: NOW).sent == 1
    assert "Your copy" in mail.outbox[1].subject


def test_letters_that_were_settled_long_ago_are_forgotten(story, anna, asked):
    asked(story, Kind.LINK, anna)
    sent(story)
    with context.company(story.organization_id):
        assert forget_settled(story.organization_id, NOW + KEPT) == 0
        assert forget_settled(story.organization_id, NOW + KEPT + timedelta(days=1)) == 1


def test_the_number_of_statements_of_a_letter_does_not_grow_with_the_company(story, asked, django_assert_num_queries):
    learners = story.employees([f"Person {n}" for n in range(20)], account_email="somebody@example.org")
    asked(story, Kind.STAFF_LINK, learners[0])
    with django_assert_num_queries(25):
        assert sent(story) == 1


@pytest.mark.parametrize("address", ["élodie@example.org", "anna@example..org", f"anna@{'x' * 70}.org"])
def test_an_address_that_no_letter_can_bear_is_given_up_at_once_and_holds_up_nobody(address, story, asked, mail_server):
    odd, ben = story.employee("Odd", account_email=address), story.employee("Ben", account_email="ben@example.org")
    letter = asked(story, Kind.STAFF_LINK, odd)
    asked(story, Kind.STAFF_LINK, ben)
    assert sending.send_due(story.organization_id, lambda: NOW).sent >= 1
    assert b"ben@example.org" in mail_server.received[-1]
    assert again(letter).sent_at is None
    assert again(letter).failure.startswith(("nobody", "Unicode", "ValueError", "SMTP"))


def test_over_smtp_a_mail_server_gets_whole_letters_and_its_refusals_hold_up_nobody(story, anna, asked, mail_server):
    nobody = story.employee("Refused", account_email="refused@example.org")
    refused = asked(story, Kind.STAFF_LINK, nobody)
    asked(story, Kind.STAFF_LINK, anna)
    assert sending.send_due(story.organization_id, lambda: NOW) == (1, 1, False)
    assert again(refused).failure == "SMTPRecipientsRefused"
    (raw,) = mail_server.received
    letter = message_from_bytes(raw, policy=policy.default)
    assert letter["To"] == "anna@example.org"
    assert letter["From"].addresses[0].display_name == "Harbour & Vine"
    assert letter.get_body(["plain"]).get_content().startswith("Hello Anna Reis,")
    assert "Hello Anna Reis," in letter.get_body(["html"]).get_content()
    assert uuid.UUID(letter["Message-ID"].strip("<>").split("@")[0])


def test_a_run_of_letters_logs_in_once(story, asked, mail_server):
    for learner in story.employees([f"Person {n}" for n in range(5)], account_email="somebody@example.org"):
        asked(story, Kind.STAFF_LINK, learner)
    assert sending.send_due(story.organization_id, lambda: NOW) == (5, 0, False)
    assert (len(mail_server.received), mail_server.sessions) == (5, 1)
