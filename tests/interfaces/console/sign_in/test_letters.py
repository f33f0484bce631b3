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
    assert letters.send_due(timezone.now()) == 5
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
    assert letters.send_due(now) == 0
    assert letters.send_due(now) == 0, "not at once again"
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert letters.send_due(now + timedelta(minutes=3)) == 1


def test_an_account_without_an_address_gets_none_and_is_told_so():
    user = make_staff("olga", OPERATOR)
    sign_in(Client(), user)
    client = Client()
    sign_in(client, user)
    assert not Letter.objects.exists()
    assert b"has no e-mail address" in client.get("/console/sign-in/second-factor/").content
