"""Signing in: passwords, codes, the lock-out, sessions that end (issue 8, part 4)."""

import uuid
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret, hotp_value, yield_hotp_counters_from_time
from django.db.models import Max
from django.test import Client
from django.utils import timezone

from compliance.interfaces.console.models import AccessLog, Guess
from compliance.interfaces.console.sign_in import lock_out, sessions
from compliance.interfaces.console.who_may import OPERATOR
from tests.interfaces.console.conftest import PASSWORD, make_staff, signed_in

pytestmark = pytest.mark.django_db

SIGN_IN = "/console/sign-in/"


def _sign_in(client, user, password=PASSWORD, **headers):
    return client.post(SIGN_IN, {"login": user.username, "password": password}, **headers)


def _code(secret):
    return f"{hotp_value(secret, next(iter(yield_hotp_counters_from_time()))):06d}"


def test_a_password_alone_lets_in_where_no_second_factor_is_required(client):
    user = make_staff("olga", OPERATOR)
    response = _sign_in(client, user)
    assert (response.status_code, response.url) == (302, "/console/")
    assert client.get("/console/").status_code == 200
    assert AccessLog.objects.filter(page="signed in", username="olga").count() == 1


def test_one_is_led_back_to_where_one_wanted_to_go_and_nowhere_else(client):
    user = make_staff("olga", OPERATOR)
    values = {"login": user.username, "password": PASSWORD}
    assert client.post(SIGN_IN, values | {"next": "/console/?q=a"}).url == "/console/?q=a"
    assert Client().post(SIGN_IN, values | {"next": "https://elsewhere.example/"}).url == "/console/"


def test_after_five_wrong_passwords_the_right_one_waits_for_the_window_to_end(client):
    user = make_staff("olga", OPERATOR)
    last = AccessLog.objects.aggregate(last=Max("id"))["last"] or 0
    for _ in range(lock_out.GUESSES_FOR_ONE_NAME):
        assert b"do not belong together" in _sign_in(client, user, "wrong").content
    response = _sign_in(client, user)
    assert b"Too many wrong tries" in response.content
    assert client.get("/console/").status_code == 302
    assert AccessLog.objects.filter(page="locked out", id__gt=last).count() == 1
    Guess.objects.update(window_ends_at=timezone.now() - timedelta(seconds=1))
    assert _sign_in(client, user).status_code == 302
    assert client.get("/console/").status_code == 200


def test_a_name_that_does_not_exist_is_locked_like_one_that_does(client):
    answers = []
    for name in (make_staff("olga", OPERATOR).username, "nobody"):
        texts = [
            client.post(SIGN_IN, {"login": name, "password": "wrong"}).content.decode().replace(name, "NAME")
            for _ in range(lock_out.GUESSES_FOR_ONE_NAME + 1)
        ]
        answers.append([("Too many" in text, "do not belong" in text) for text in texts])
    assert answers[0] == answers[1]
    assert answers[0][-1] == (True, False)


def test_a_right_password_forgives_the_name_but_not_the_address(client):
    user = make_staff("olga", OPERATOR)
    now = timezone.now()
    for _ in range(lock_out.GUESSES_FROM_ONE_ADDRESS - 1):
        lock_out.count(lock_out.address_subject("127.0.0.1"), lock_out.GUESSES_FROM_ONE_ADDRESS, now)
    assert _sign_in(client, user).status_code == 302
    assert b"do not belong" in _sign_in(Client(), user, "wrong").content
    assert b"Too many wrong tries" in _sign_in(Client(), user).content


def test_the_count_holds_no_name():
    lock_out.count(lock_out.name_subject("Olga"), 5, timezone.now())
    assert "olga" not in lock_out.name_subject("Olga").casefold()
    assert Guess.objects.filter(subject=lock_out.name_subject("olga ")).count() == 1


def test_an_account_with_a_second_factor_needs_its_code_and_guesses_at_codes_are_counted(client):
    user = make_staff("olga", OPERATOR)
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    assert _sign_in(client, user).url == "/console/sign-in/code/"
    assert client.get("/console/").status_code == 302
    for _ in range(lock_out.GUESSES_FOR_ONE_NAME - 1):
        assert client.post("/console/sign-in/code/", {"code": "000000"}).status_code == 200
    response = client.post("/console/sign-in/code/", {"code": _code(secret)})
    assert (response.status_code, response.url) == (302, "/console/")
    assert client.get("/console/").status_code == 200

    other = Client()
    _sign_in(other, user)
    for _ in range(lock_out.GUESSES_FOR_ONE_NAME):
        other.post("/console/sign-in/code/", {"code": "000000"})
    assert b"Too many wrong tries" in other.post("/console/sign-in/code/", {"code": _code(secret)}).content


def test_production_lets_nobody_past_without_a_second_factor(client, settings):
    settings.CONSOLE_SECOND_FACTOR_REQUIRED = True
    user = make_staff("olga", "Administrator")
    assert _sign_in(client, user).status_code == 302
    for address in ("/console/", "/console/staff/", f"/console/companies/{uuid.uuid4()}/"):
        response = client.get(address)
        assert (response.status_code, response.url) == (302, "/console/sign-in/second-factor/on/"), address
    again = client.get("/console/sign-in/second-factor/on/").url
    assert again.startswith("/console/sign-in/again/")
    assert client.post(again, {"password": PASSWORD}).url == "/console/sign-in/second-factor/on/"
    page = client.get("/console/sign-in/second-factor/on/")
    secret = page.context["form"].secret
    assert client.post("/console/sign-in/second-factor/on/", {"code": _code(secret)}).status_code == 302
    assert Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists()
    assert client.get("/console/sign-in/second-factor/codes/").status_code == 200
    assert client.get("/console/").status_code == 200


def test_nobody_signs_up(client):
    assert client.get("/console/sign-in/signup/").status_code == 404
    assert client.get("/console/staff/login/").url.startswith(SIGN_IN)


@pytest.mark.parametrize(
    "clock, seconds", [(sessions.SEEN, "CONSOLE_SESSION_IDLE_SECONDS"), (sessions.BEGAN, "CONSOLE_SESSION_SECONDS")]
)
def test_a_session_ends_when_idle_and_at_the_latest_after_twelve_hours(clock, seconds, settings):
    client = signed_in(make_staff("olga", OPERATOR))
    session = client.session
    session[clock] -= getattr(settings, seconds) - 5
    session.save()
    assert client.get("/console/").status_code == 200
    session = client.session
    session[sessions.SEEN] = session[sessions.BEGAN] = timezone.now().timestamp()
    session[clock] -= getattr(settings, seconds)
    session.save()
    assert client.get("/console/").url.startswith(SIGN_IN)
    assert "_auth_user_id" not in client.session


def test_a_session_without_clocks_is_no_session_of_the_console(client):
    client.force_login(make_staff("olga", OPERATOR))
    assert client.get("/console/").status_code == 302


def test_every_page_of_one_s_own_account_opens(client):
    user = make_staff("olga", OPERATOR)
    TOTP.activate(user, generate_totp_secret())
    client = signed_in(user)
    for path in ("second-factor/", "password/", "out/", "again/", "code/again/"):
        assert client.get(SIGN_IN + path).status_code == 200, path
    again = client.get(f"{SIGN_IN}second-factor/off/")
    assert again.status_code == 302
    assert client.post(again.url, {"password": PASSWORD}).status_code == 302
    for path in ("second-factor/off/", "second-factor/codes/new/"):
        assert client.get(SIGN_IN + path).status_code == 200, path


def test_companies_of_an_auditor_are_chosen_by_name_in_the_staff_accounts(staff, empty_company):
    auditor = make_staff("audrey", "Auditor", companies=[])
    page = staff("Administrator").get(f"/console/staff/auth/user/{auditor.pk}/change/").content.decode()
    assert empty_company.name in page
    assert str(empty_company.organization_id) in page
