"""The second factor: who may enrol it, what is open without it, how its secrets are stored, that codes work once."""

import base64
import json
import tracemalloc
import uuid

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from compliance.interfaces.console.permissions import OPERATOR
from compliance.interfaces.console.sign_in import sealing, second_factor
from compliance.interfaces.console.sign_in.models import Invitation, StaffSession
from compliance.tenancy import sql
from tests.interfaces.console.conftest import begin_session, make_staff
from tests.interfaces.console.sign_in.people import (
    ACCOUNT,
    APP,
    CODE,
    FIRST,
    INVITATION,
    PASSKEY,
    code,
    enrol_app,
    give_app,
    invite,
    sign_in,
    stored_secret,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def required(settings):
    """Requires a second factor, as in production."""
    settings.CONSOLE_SECOND_FACTOR_REQUIRED = True


def _opens_nothing(client: Client) -> None:
    for address in ("/console/", "/console/staff/", ACCOUNT, PASSKEY, f"/console/companies/{uuid.uuid4()}/"):
        assert client.post(address).status_code in (302, 405), address
        answer = client.get(address)
        assert answer.status_code == 302, address
        assert answer.headers["Location"].startswith(("/console/sign-in/?next=", "/console/staff/login/", FIRST)), (
            address,
            answer.headers["Location"],
        )


def test_a_session_stopped_before_the_second_factor_stays_stopped_when_the_owner_enrols(required):
    user = make_staff("olga", OPERATOR)
    thief, owner = Client(), Client()
    sign_in(thief, user)
    _opens_nothing(thief)
    sign_in(owner, user)
    assert owner.post(FIRST, {"code": invite(user)}).status_code == 302
    assert enrol_app(owner).status_code == 302
    assert owner.get("/console/companies/").status_code == 200
    _opens_nothing(thief)
    assert "_auth_user_id" not in thief.session


def test_a_session_of_before_is_closed_even_if_its_row_was_left(required):
    user = make_staff("olga", OPERATOR)
    thief = Client()
    sign_in(thief, user)
    give_app(user)  # whichever way it was added
    assert StaffSession.objects.count() == 1
    _opens_nothing(thief)


def test_enrolling_ends_every_other_session_also_where_it_is_not_required():
    user = make_staff("olga", OPERATOR)
    owner, other = Client(), Client()
    sign_in(owner, user)
    sign_in(other, user)
    owner.post(FIRST, {"code": invite(user)})
    enrol_app(owner)
    assert other.get("/console/companies/").status_code == 302
    assert owner.get("/console/companies/").status_code == 200


@pytest.mark.parametrize("must", [True, False])
def test_a_stolen_password_enrols_nothing(must, settings):
    settings.CONSOLE_SECOND_FACTOR_REQUIRED = must
    user = make_staff("olga", OPERATOR)
    other = invite(make_staff("otto", OPERATOR))
    thief = Client()
    sign_in(thief, user)
    for address in (APP, PASSKEY):
        for answer in (thief.get(address), thief.post(address, {"code": "000000"})):
            assert (answer.status_code, answer.headers["Location"]) == (302, FIRST)
    assert b"is not one of ours" in thief.post(FIRST, {"code": "a guess"}).content
    assert b"for another account" in thief.post(FIRST, {"code": other}).content
    assert thief.get(APP).status_code == 302
    assert not Authenticator.objects.exists()


def test_an_invitation_leads_to_a_password_and_a_second_factor_once(required):
    user = User.objects.create_user("olga", password=None)
    found = invite(user)
    client = Client()
    assert client.get(f"{INVITATION}{found}/").status_code == 200
    assert Invitation.objects.exists(), "looking uses nothing up"
    values = {"code": found, "password1": "seven turnips dance at noon", "password2": "seven turnips dance at noon"}
    assert b"not the same" in client.post(INVITATION, values | {"password2": "x"}).content
    assert b"too short" in client.post(INVITATION, values | {"password1": "short", "password2": "short"}).content
    assert client.post(INVITATION, values).headers["Location"] == FIRST
    assert client.get("/console/companies/").headers["Location"] == FIRST
    assert enrol_app(client).status_code == 302
    assert client.get("/console/sign-in/second-factor/codes/").status_code == 200
    assert client.get("/console/companies/").status_code == 403, "in, but without a group"
    assert b"is not one of ours" in Client().post(INVITATION, values).content


def test_an_invitation_ends(required):
    user = User.objects.create_user("olga", password=None)
    found = invite(user)
    Invitation.objects.update(ends_at=timezone.now())
    values = {"code": found, "password1": "seven turnips dance at noon", "password2": "seven turnips dance at noon"}
    assert b"has run out" in Client().post(INVITATION, values).content
    user.refresh_from_db()
    assert not user.has_usable_password()


def test_an_invitation_of_an_account_with_a_second_factor_sets_a_password_and_no_more(required):
    user = make_staff("olga", OPERATOR)
    give_app(user)
    found = invite(user)
    values = {"code": found, "password1": "seven turnips dance at noon", "password2": "seven turnips dance at noon"}
    client = Client()
    assert client.post(INVITATION, values).headers["Location"] == "/console/sign-in/"
    assert client.get("/console/companies/").headers["Location"].startswith("/console/sign-in/")
    assert sign_in(client, user, "seven turnips dance at noon").headers["Location"] == CODE


def test_the_first_superuser_is_invited_from_the_command_line(required, capsys):
    call_command("invite_staff", "root", "--superuser", "--email", "root@example.com", "--json")
    told = json.loads(capsys.readouterr().out)
    client = Client()
    address = told["link"].split("/console/")[1]
    page = client.get(f"/console/{address}")
    assert page.context["form"].initial["code"] == told["code"]
    words = "seven turnips dance at noon"
    client.post(INVITATION, {"code": told["code"], "password1": words, "password2": words})
    enrol_app(client)
    assert client.get("/console/staff/").status_code == 200


def test_the_only_second_factor_stays_where_one_is_required(required):
    user = make_staff("olga", OPERATOR)
    give_app(user)
    client = Client()
    begin_session(client, user, second_factor=True)
    assert b"only second factor" in client.post("/console/sign-in/second-factor/off/").content
    assert Authenticator.objects.filter(type="totp").exists()


def test_secrets_are_sealed_in_the_database_from_the_first_page_on():
    user = make_staff("olga", OPERATOR)
    client = Client()
    sign_in(client, user)
    client.post(FIRST, {"code": invite(user)})
    page = client.get(APP)
    secret = page.context["form"].secret
    waiting = Session.objects.get(pk=client.session.session_key).get_decoded()
    assert secret not in json.dumps(waiting)
    client.post(APP, {"code": code(secret)})
    ((stored,),) = sql.fetch("SELECT string_agg(data::text, ' ') FROM mfa_authenticator")
    assert secret not in stored
    assert stored_secret(user) == secret
    seed = sealing.unseal(Authenticator.objects.get(type="recovery_codes").data["seed"])
    assert seed not in stored


def test_what_was_stored_in_clear_is_sealed_by_the_migration_and_keys_rotate(settings):
    user = make_staff("olga", OPERATOR)
    Authenticator.objects.create(user=user, type="totp", data={"secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"})
    Authenticator.objects.create(user=user, type="recovery_codes", data={"seed": "aa" * 40, "used_mask": 0})
    import importlib

    migration = importlib.import_module("compliance.interfaces.console.sign_in.migrations.0002_seal_stored")
    keys, settings.SECOND_FACTOR_KEYS = settings.SECOND_FACTOR_KEYS, []
    with connection.schema_editor() as editor:
        migration.seal_stored(apps, editor)  # the schema's owner has no such keys
    settings.SECOND_FACTOR_KEYS = keys
    with pytest.raises(sealing.UnreadableSecretError):
        stored_secret(user)
    with connection.schema_editor() as editor:
        migration.seal_stored(apps, editor)
        migration.seal_stored(apps, editor)  # interrupted and repeated
    assert stored_secret(user) == "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    old = settings.SECOND_FACTOR_KEYS
    settings.SECOND_FACTOR_KEYS = ["a new key of the test" * 3, *old]
    assert second_factor.reseal_all() == 2
    settings.SECOND_FACTOR_KEYS = settings.SECOND_FACTOR_KEYS[:1]
    assert stored_secret(user) == "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    settings.SECOND_FACTOR_KEYS = old
    with pytest.raises(sealing.UnreadableSecretError):
        stored_secret(user)


def test_what_the_migration_left_in_clear_is_sealed_by_the_command(capsys):
    user = make_staff("olga", OPERATOR)
    Authenticator.objects.create(user=user, type="totp", data={"secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"})
    call_command("reseal_second_factors")
    assert stored_secret(user) == "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    assert "JBSW" not in str(Authenticator.objects.get().data)


def test_a_code_serves_once_and_no_older_one_after_it():
    user = make_staff("olga", OPERATOR)
    secret = give_app(user)
    first, second = Client(), Client()
    sign_in(first, user)
    sign_in(second, user)
    shown = code(secret)
    assert first.post(CODE, {"code": shown}).status_code == 302
    assert b"was used already" in second.post(CODE, {"code": shown}).content
    assert b"was used already" in second.post(CODE, {"code": code(secret, -1)}).content
    assert second.post(CODE, {"code": code(secret, 1)}).status_code == 302


def test_the_code_of_the_enrolment_signs_nobody_in():
    user = make_staff("olga", OPERATOR)
    owner, watcher = Client(), Client()
    sign_in(owner, user)
    owner.post(FIRST, {"code": invite(user)})
    secret = owner.get(APP).context["form"].secret
    shown = code(secret)
    owner.post(APP, {"code": shown})
    sign_in(watcher, user)
    assert b"was used already" in watcher.post(CODE, {"code": shown}).content


def test_a_recovery_code_serves_once():
    user = make_staff("olga", OPERATOR)
    give_app(user)
    one = RecoveryCodes.activate(user).get_unused_codes()[0]
    first, second = Client(), Client()
    sign_in(first, user)
    sign_in(second, user)
    assert first.post(CODE, {"code": one}).status_code == 302
    assert b"was used already" in second.post(CODE, {"code": one}).content


def _in_base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _credential(said: bytes = b"{}", **response: object) -> str:
    """What a browser sends of a passkey, with `said` in place of what it signed."""
    response = {"clientDataJSON": _in_base64(said)} | response
    return json.dumps({"id": "AA", "rawId": "AA", "type": "public-key", "response": response})


HOSTILE = [
    "\0", "[]", "null", '{"id": 1}', '{"response": 1}', "[" * 30_000, _credential(), _credential(b"[" * 30_000),
    _credential(attestationObject="oA", authenticatorData="AA", signature="\u00e9"),
    _credential(attestationObject=_in_base64(b"\x81" * 30_000)), _credential(attestationObject=_in_base64(b"\xa3\x63")),
]  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_no_browser_sends_of_a_passkey_is_refused_on_the_page(hostile):
    user = make_staff("olga", OPERATOR)
    secret = give_app(user)
    client = Client()
    sign_in(client, user)
    assert client.post(CODE, {"credential": hostile}).status_code == 200
    client.post(CODE, {"code": code(secret)})
    client.get(PASSKEY)
    assert client.post(PASSKEY, {"credential": hostile, "name": "Laptop"}).status_code == 200
    assert not Authenticator.objects.filter(user=user, type="webauthn").exists()


def test_a_number_in_a_passkey_does_not_become_as_many_bytes():
    user = make_staff("olga", OPERATOR)
    give_app(user)
    client = Client()
    sign_in(client, user)
    tracemalloc.start()
    try:
        client.post(CODE, {"credential": json.dumps({"rawId": 50_000_000, "response": {"signature": 50_000_000}})})
        assert tracemalloc.get_traced_memory()[1] < 25_000_000
    finally:
        tracemalloc.stop()


def test_whoever_waits_with_the_old_password_is_stopped_when_it_is_changed():
    user = make_staff("olga", OPERATOR)
    secret = give_app(user)
    thief = Client()
    assert sign_in(thief, user).headers["Location"] == CODE
    user.set_password("seven turnips dance at noon")
    user.save()
    assert b"was changed meanwhile" in thief.post(CODE, {"code": code(secret)}).content
    assert thief.get("/console/companies/").status_code == 302


def test_the_only_superuser_who_lost_the_device_comes_back_from_the_command_line(capsys):
    user = make_staff("root", "Administrator")
    give_app(user)
    call_command("invite_staff", "root", "--lost-device", "--json")
    found = json.loads(capsys.readouterr().out)["code"]
    words = "seven turnips dance at noon"
    client = Client()
    client.post(INVITATION, {"code": found, "password1": words, "password2": words})
    assert enrol_app(client).status_code == 302
    assert client.get("/console/staff/").status_code == 200
