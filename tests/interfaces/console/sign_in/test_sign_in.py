"""Signing in: passwords, redirects, and the end of sessions."""

import uuid
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import OPERATOR
from compliance.interfaces.console.sign_in.models import StaffSession
from tests.interfaces.console.conftest import PASSWORD, begin_session, make_staff, signed_in
from tests.interfaces.console.sign_in.people import ACCOUNT, SIGN_IN, give_app, sign_in

pytestmark = pytest.mark.django_db


def test_a_password_alone_lets_in_where_no_second_factor_is_required(client):
    user = make_staff("olga", OPERATOR)
    response = sign_in(client, user)
    assert (response.status_code, response.headers["Location"]) == (302, "/console/")
    assert client.get("/console/companies/").status_code == 200
    assert AccessLog.objects.filter(page="signed in", username="olga").count() == 1


def test_one_is_led_back_to_where_one_wanted_to_go_and_nowhere_else(client):
    user = make_staff("olga", OPERATOR)
    values = {"login": user.username, "password": PASSWORD}
    assert client.post(SIGN_IN, values | {"next": "/console/?q=a"}).url == "/console/?q=a"
    assert Client().post(SIGN_IN, values | {"next": "https://elsewhere.example/"}).headers["Location"] == "/console/"


def test_nobody_signs_up(client):
    assert client.get("/console/sign-in/signup/").status_code == 404
    assert client.get("/console/staff/login/").url.startswith(SIGN_IN)


@pytest.mark.parametrize(
    "clock, seconds", [("seen_at", "CONSOLE_SESSION_IDLE_SECONDS"), ("began_at", "CONSOLE_SESSION_SECONDS")]
)
def test_a_session_ends_when_idle_and_at_the_latest_after_twelve_hours(clock, seconds, settings):
    client = signed_in(make_staff("olga", OPERATOR))
    row = StaffSession.objects.get()
    setattr(row, clock, row.began_at - timedelta(seconds=getattr(settings, seconds) - 5))
    row.save()
    assert client.get("/console/companies/").status_code == 200
    row.seen_at = row.began_at = timezone.now()
    setattr(row, clock, row.began_at - timedelta(seconds=getattr(settings, seconds)))
    row.save()
    assert client.get("/console/companies/").headers["Location"].startswith(SIGN_IN)
    assert "_auth_user_id" not in client.session
    assert not StaffSession.objects.exists()


def test_a_page_that_refreshes_itself_does_not_keep_an_abandoned_session_alive(staff, empty_company, settings):
    client = staff("Administrator")
    idle = timedelta(seconds=settings.CONSOLE_SESSION_IDLE_SECONDS - 60)
    StaffSession.objects.update(seen_at=timezone.now() - idle)
    job = f"/console/companies/{empty_company.organization_id}/work/{uuid.uuid4()}/?refreshed=1"
    client.get(job)
    row = StaffSession.objects.get()
    assert timezone.now() - row.seen_at >= idle
    assert client.get("/console/companies/").status_code == 200
    row.refresh_from_db()
    assert timezone.now() - row.seen_at < timedelta(minutes=1)


def test_a_session_that_the_console_did_not_begin_is_none(client):
    client.force_login(make_staff("olga", OPERATOR))
    assert client.get("/console/companies/").status_code == 302


def test_signing_out_ends_the_session_for_whoever_kept_its_cookie():
    user = make_staff("olga", OPERATOR)
    client = signed_in(user)
    thief = Client()
    thief.cookies.update(client.cookies)
    assert client.post("/console/sign-in/out/").headers["Location"] == SIGN_IN
    assert thief.get("/console/companies/").headers["Location"].startswith(SIGN_IN)


def test_every_page_of_one_s_own_account_opens():
    user = make_staff("olga", OPERATOR)
    give_app(user)
    client = Client()
    begin_session(client, user, second_factor=True)
    for path in (
        "second-factor/", "password/", "out/", "again/", "code/again/", "second-factor/off/",
        "second-factor/codes/new/", "passkeys/add/",
    ):  # fmt: skip
        page = client.get(SIGN_IN + path)
        assert page.status_code == 200, path
        assert "'unsafe" not in page.headers["Content-Security-Policy"], path
        assert page.headers["Cache-Control"] == "no-store", path


def test_one_sees_one_s_sessions_and_ends_them():
    user = make_staff("olga", OPERATOR)
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    here, there, elsewhere = Client(), Client(headers={"user-agent": agent}), Client()
    for client in (here, there, elsewhere):
        sign_in(client, user)
    page = here.get(ACCOUNT).content.decode()
    assert "Firefox on Linux" in page
    assert "127.0.0.1" in page
    row = StaffSession.objects.get(device="Firefox on Linux")
    assert here.post("/console/sign-in/sessions/", {"session": str(row.pk)}).status_code == 302
    assert there.get("/console/companies/").status_code == 302
    assert elsewhere.get("/console/companies/").status_code == 200
    here.post("/console/sign-in/sessions/", {"session": "others"})
    assert elsewhere.get("/console/companies/").status_code == 302
    assert here.get("/console/companies/").status_code == 200
    lines = AccessLog.objects.filter(page="account", act="sessions ended", username="olga")
    assert [line.subject for line in lines] == [f"user={user.pk}"] * 2


def test_nobody_ends_a_session_of_somebody_else():
    other = signed_in(make_staff("olga", OPERATOR))
    row = StaffSession.objects.get()
    attacker = signed_in(make_staff("mallory", OPERATOR))
    attacker.post("/console/sign-in/sessions/", {"session": str(row.pk)})
    assert other.get("/console/companies/").status_code == 200
    assert attacker.post("/console/sign-in/sessions/", {"session": "x"}).status_code == 404


def test_sessions_survive_a_change_of_the_secret_key(settings):
    user = make_staff("olga", OPERATOR)
    client = Client()
    sign_in(client, user)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [django_settings.SECRET_KEY], "a new key of the test" * 3
    assert client.get("/console/companies/").status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    assert client.get("/console/companies/").status_code == 200, "the session was signed anew with the new key"
    assert Session.objects.exists()
