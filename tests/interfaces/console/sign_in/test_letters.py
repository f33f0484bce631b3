"""Each change of how an account signs in is logged, and its owner gets a letter."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.utils import timezone

from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import OPERATOR
from compliance.interfaces.console.sign_in import letters
from compliance.interfaces.console.sign_in.models import Letter
from tests.interfaces.console.conftest import PASSWORD, begin_session, make_staff
from tests.interfaces.console.sign_in.people import FIRST, SIGN_IN, enrol_app, give_app, invite, sign_in

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def olga() -> User:
    """An operator with an address."""
    user = make_staff("olga", OPERATOR)
    user.email = "olga@example.com"
    user.save()
    return user


def test_each_change_is_told(olga):
    client = Client(REMOTE_ADDR="198.51.100.7")
    sign_in(client, olga)
    client.post(FIRST, {"code": invite(olga)})
    enrol_app(client)
    new = "seven turnips dance at noon"
    assert client.post(f"{SIGN_IN}second-factor/codes/new/").status_code == 302
    assert (
        client.post(f"{SIGN_IN}password/", {"oldpassword": PASSWORD, "password1": new, "password2": new}).status_code
        == 302
    )
    assert client.post(f"{SIGN_IN}second-factor/off/").status_code == 302
    told = ["invitation used", "factor added", "codes made", "password changed", "factor removed"]
    assert list(Letter.objects.order_by("id").values_list("kind", flat=True)) == told
    logged = AccessLog.objects.filter(page="account", username="olga").order_by("id").values_list("act", flat=True)
    assert list(logged)[-5:] == told
    assert letters.send_due(lambda: timezone.now()) == 5
    assert not Letter.objects.exists()
    assert {tuple(letter.to) for letter in mail.outbox} == {("olga@example.com",)}
    text = mail.outbox[3].body
    assert "Your password was changed." in text
    assert "198.51.100.7" in text
    assert "://" not in text
    assert new not in text


def test_a_new_device_is_told_and_a_known_one_is_not(olga):
    known, new = Client(), Client()
    sign_in(known, olga)
    assert not Letter.objects.exists(), "the first one is the owner's"
    known.post("/console/sign-in/out/")
    sign_in(known, olga)
    assert not Letter.objects.exists()
    sign_in(new, olga)
    assert Letter.objects.get().kind == "new device"


def test_a_recovery_code_that_is_used_is_told(olga):
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes

    give_app(olga)
    client = Client()
    sign_in(client, olga)
    client.post("/console/sign-in/code/", {"code": RecoveryCodes.activate(olga).get_unused_codes()[0]})
    assert "code used" in Letter.objects.values_list("kind", flat=True)


class Refusing(EmailBackend):
    """A mail server that is unavailable."""

    def send_messages(self, messages):
        raise ConnectionRefusedError


def test_a_letter_that_the_mail_server_refuses_is_tried_again(olga, settings):
    client = Client()
    begin_session(client, olga)
    Client(), sign_in(Client(), olga), sign_in(Client(), olga)
    settings.EMAIL_BACKEND = f"{__name__}.Refusing"
    now = timezone.now()
    assert letters.send_due(lambda: now) == 0
    assert letters.send_due(lambda: now) == 0, "not at once again"
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert letters.send_due(lambda: now + timedelta(minutes=3)) == 1


def test_many_letters_go_out_on_one_connection_to_the_mail_server(olga, mail_server):
    for kind in ("password changed", "factor added", "codes made"):
        letters.write(olga, kind, NOW)
    assert letters.send_due(lambda: NOW) == 3
    assert (len(mail_server.received), mail_server.sessions) == (3, 1)


def test_while_the_mail_server_is_away_a_run_ends_after_a_few_letters(olga, settings):
    for _ in range(5):
        letters.write(olga, "password changed", NOW)
    settings.EMAIL_BACKEND = f"{__name__}.Refusing"
    assert letters.send_due(lambda: NOW) == 0
    assert Letter.objects.filter(attempts=0).count() == 2


class Slow(EmailBackend):
    """A mail server that takes longer for a letter than the first pause. During the second, another worker looks."""

    at = NOW
    by_others: int | None = None

    def send_messages(self, messages):
        if Slow.at > NOW and Slow.by_others is None:
            Slow.by_others = 0
            Slow.by_others = letters.send_due(lambda: Slow.at)
        Slow.at += timedelta(minutes=3)
        return super().send_messages(messages)


def test_a_letter_is_taken_by_no_other_worker_while_it_is_sent_however_long_the_run_lasts(olga, settings):
    Slow.at, Slow.by_others = NOW, None
    for kind in ("password changed", "factor added"):
        letters.write(olga, kind, NOW)
    settings.EMAIL_BACKEND = f"{__name__}.Slow"
    assert letters.send_due(lambda: Slow.at) == 2
    assert (Slow.by_others, len(mail.outbox)) == (0, 2)


def test_an_account_without_an_address_gets_none_and_is_told_so():
    user = make_staff("olga", OPERATOR)
    sign_in(Client(), user)
    client = Client()
    sign_in(client, user)
    assert not Letter.objects.exists()
    assert b"has no e-mail address" in client.get("/console/sign-in/second-factor/").content
