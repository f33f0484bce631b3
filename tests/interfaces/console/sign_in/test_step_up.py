"""Actions that cannot be undone ask for a confirmation of the person's identity."""

import re
import time
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.pages import PAGES
from compliance.interfaces.console.permissions import OPERATOR, Permission
from tests.interfaces.console.conftest import PASSWORD, begin_session, make_staff
from tests.interfaces.console.sign_in.people import code, give_app
from tests.interfaces.console.test_permissions import sample_address

pytestmark = pytest.mark.django_db
AGAIN = "/console/sign-in/again/"
MUST = {"erase", "issue-key", "rotate-key", "revoke-key", "import", "import-people"}


def _grow_old(client: Client, seconds: int) -> None:
    """Moves the authentication times of this session back by so many seconds."""
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] = time.time() - seconds
    session.save()


@pytest.fixture
def old(settings):
    """A superuser whose last authentication is just too old."""
    client = Client()
    begin_session(client, make_staff("root", "Administrator"))
    _grow_old(client, settings.CONSOLE_RECENT_SECONDS + 1)
    return client


def test_what_must_ask_is_declared():
    assert {name for name, act in ACTS.items() if act.recent} >= MUST
    taken_away = {page.name for page in PAGES if page.permission == Permission.EXPORT and page.recent}
    assert taken_away >= {"export", "evidence-build", "evidence-file"}


@pytest.mark.parametrize("page", [page for page in PAGES if page.recent], ids=lambda page: page.name)
def test_every_declared_page_asks_and_nothing_happens_before(page, old, empty_company):
    where = sample_address(page, empty_company.organization_id)
    for method in page.methods:
        answer = old.get(where) if method == "GET" else old.post(where, {"step": "confirm"})
        if method == "GET":
            assert (answer.status_code, answer.url.partition("?")[0]) == (302, AGAIN)
        else:
            assert answer.status_code == 403
            assert b"Is it you?" in answer.content


def test_nine_minutes_are_recent(settings, empty_company):
    client = Client()
    begin_session(client, make_staff("olga", OPERATOR))
    _grow_old(client, settings.CONSOLE_RECENT_SECONDS - 60)
    where = f"/console/companies/{empty_company.organization_id}/act/issue-key/"
    assert client.get(where).status_code == 200


def test_the_password_leads_back_to_the_page(old, empty_company):
    where = f"/console/companies/{empty_company.organization_id}/act/issue-key/"
    asked = old.get(where).url
    assert b"not your password" in old.post(asked, {"password": "wrong"}).content
    assert old.get(where).status_code == 302
    assert old.post(asked, {"password": PASSWORD}).url == where
    assert old.get(where).status_code == 200


def test_what_was_typed_travels_with_the_question_and_is_kept_nowhere(old, empty_company):
    where = f"/console/companies/{empty_company.organization_id}/act/issue-key/"
    typed = {"key_name": "Warehouse <1>", "scopes": ["training:read", "certificates:read"], "step": "preview"}
    typed |= {"expires_on": f"{timezone.now() + timedelta(days=90):%Y-%m-%d}"}
    page = old.post(where, typed).content.decode()
    assert 'name="key_name" value="Warehouse &lt;1&gt;"' in page
    assert re.findall(r'name="scopes" value="([^"]+)"', page) == typed["scopes"]
    assert "Warehouse" not in str(dict(old.session))
    wrong = old.post(where, typed | {"step_up": "wrong"})
    assert wrong.status_code == 403
    assert b"not your password" in wrong.content
    done = old.post(where, typed | {"step_up": PASSWORD})
    assert done.status_code == 200
    assert "Why you do this" in done.content.decode()
    assert PASSWORD not in done.content.decode()
    twice = old.post(where, typed | {"step_up": PASSWORD})  # by a second click on the button
    assert "Why you do this" in twice.content.decode()
    assert PASSWORD not in twice.content.decode()


def test_an_account_with_an_app_is_asked_for_its_code(settings, empty_company):
    user = make_staff("root", "Administrator")
    secret = give_app(user)
    client = Client()
    begin_session(client, user, second_factor=True)
    _grow_old(client, settings.CONSOLE_RECENT_SECONDS + 1)
    where = f"/console/companies/{empty_company.organization_id}/act/issue-key/"
    typed = {"key_name": "Warehouse", "scopes": "training:read", "step": "preview"}
    assert client.post(where, typed | {"step_up": PASSWORD}).status_code == 403
    assert client.post(where, typed | {"step_up": code(secret)}).status_code == 200


def test_guesses_at_the_question_are_limited(old, empty_company):
    where = f"/console/companies/{empty_company.organization_id}/act/issue-key/"
    for _ in range(5):
        assert b"Too many" not in old.post(where, {"step_up": "wrong"}).content
    assert b"Too many" in old.post(where, {"step_up": PASSWORD}).content
    assert AccessLog.objects.filter(page="signing in", act="wrong password", status=401).count() == 5


def test_a_file_is_chosen_again(old, empty_company):
    where = f"/console/companies/{empty_company.organization_id}/act/import/"
    sent = old.post(where, {"file": SimpleUploadedFile("facts.jsonl", b"{}"), "step": "preview"})
    assert b"choose it again" in sent.content


def test_the_staff_accounts_ask(old):
    assert old.get("/console/staff/").url.startswith(AGAIN)
    values = {"username": "nina", "usable_password": "true", "password1": "a secret", "password2": "a secret"}
    answer = old.post("/console/staff/auth/user/add/", values)
    assert answer.status_code == 403
    assert "a secret" not in str(dict(old.session))
