"""API keys: their form, and how they are issued, rotated and revoked."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from compliance.access import actions, tokens
from compliance.access.errors import (
    BadExpiryError,
    BadKeyNameError,
    BadNetworkError,
    KeyNotUsableError,
    NoSuchKeyError,
    UnknownScopeError,
)
from compliance.access.models import ApiKey
from compliance.interfaces.api import networks
from compliance.tenancy.actions import create_organization
from compliance.tenancy.errors import NoSuchCompanyError


@pytest.fixture
def organization(db, now):
    return create_organization(name="Keys", time_zone="UTC", history_complete_from=now, now=now)


def _issue(organization, now, **more):
    values = {"scopes": ["training:read"], "environment": "test", "at": now, "actor": "a test"}
    return actions.issue_key(organization_id=organization.organization_id, **(values | more))


def test_a_token_has_the_prefix_of_its_environment_43_random_characters_and_a_checksum():
    for environment, prefix in (("live", "svc_live_"), ("test", "svc_test_")):
        token = tokens.new_token(tokens.KEY_PREFIXES[environment])
        assert token.startswith(prefix)
        assert len(token) == 9 + 43 + 6
        assert tokens.is_whole(token)


def test_the_checksum_is_the_same_everywhere():
    body = "svc_test_" + "0" * 43
    assert tokens.checksum(body) == "1ysabI"  # CRC-32 0x6C39BD88, as in the trailer that gzip writes


def test_any_single_changed_character_breaks_the_checksum():
    token = tokens.new_token(tokens.KEY_PREFIXES["test"])
    for position in range(9, len(token)):
        other = "x" if token[position] != "x" else "y"
        assert not tokens.is_whole(token[:position] + other + token[position + 1 :])


@pytest.mark.parametrize("form", ["{}", "before {} after", "{}%20", "a/{}/b"])
def test_logs_never_hold_a_token(form):
    token = tokens.new_token(tokens.KEY_PREFIXES["live"])
    assert token[9:20] not in tokens.redact(form.format(token))
    for encoded in ("%5F", "%255f", "%252525255F"):
        assert token[9:20] not in tokens.redact(form.format(token.replace("_", encoded)))


def test_only_a_digest_is_stored(organization, now):
    token, key = _issue(organization, now, name="Warehouse", networks=["192.0.2.0/24", "2001:db8::/32"])
    stored = ApiKey.objects.values().get(key_id=key.key_id)
    assert bytes(stored["digest"]) == tokens.digest(token)
    assert token not in repr(stored)
    assert stored["ending"] == token[-4:]
    assert stored["networks"] == ["192.0.2.0/24", "2001:db8::/32"]


@pytest.mark.parametrize(
    "wrong, error",
    [
        ({"scopes": []}, UnknownScopeError),
        ({"scopes": ["training:write"]}, UnknownScopeError),
        ({"name": "x" * 101}, BadKeyNameError),
        ({"networks": ["192.0.2.1/24"]}, BadNetworkError),
        ({"networks": ["everywhere"]}, BadNetworkError),
        ({"networks": ["fe80::1%eth0"]}, BadNetworkError),
        ({"networks": ["fe80::1%" + "a" * 60]}, BadNetworkError),
        ({"networks": ["::ffff:192.0.2.1%eth0"]}, BadNetworkError),
        ({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, BadExpiryError),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(organization, now, wrong, error):
    with pytest.raises(error):
        _issue(organization, now, **wrong)


@pytest.mark.parametrize(
    "written, kept",
    [
        ("::ffff:192.0.2.0/120", "192.0.2.0/24"),
        ("::ffff:c000:207", "192.0.2.7/32"),
        ("::ffff:0:0/96", "0.0.0.0/0"),
        ("::/0", "::/0"),
    ],
)
def test_a_network_of_ipv4_is_one_in_whichever_form_it_is_written(written, kept):
    assert actions.network(written) == kept
    caller = networks.client_address({"REMOTE_ADDR": "::ffff:192.0.2.7"}, [])
    assert networks.allowed(caller, [kept]) == (kept != "::/0")


def test_a_key_belongs_to_a_company_that_exists(db, now):
    with pytest.raises(NoSuchCompanyError):
        actions.issue_key(
            organization_id=uuid.uuid4(), scopes=["people:read"], environment="test", at=now, actor="a test"
        )


def test_every_key_has_an_end_within_a_year(organization, now):
    _, key = _issue(organization, now)
    assert key.expires_at == now + timedelta(days=365)
    assert key.issued_by == "a test"
    with pytest.raises(BadExpiryError):
        _issue(organization, now, expires_at=now + timedelta(days=367))


def test_a_rotated_key_without_an_end_gets_one(organization, now):
    _, old = _issue(organization, now)
    ApiKey.objects.filter(key_id=old.key_id).update(expires_at=None)
    _, new = actions.rotate_key(key_id=old.key_id, environment="test", at=now, actor="a test")
    assert new.expires_at == now + timedelta(days=365)


def test_rotation_keeps_everything_and_lets_the_old_key_open_for_a_while(organization, now):
    _, old = _issue(organization, now, name="GRC", networks=["192.0.2.0/24"], expires_at=now + timedelta(days=90))
    later = now + timedelta(days=10)
    token, new = actions.rotate_key(
        key_id=old.key_id, environment="test", at=later, actor="a test", overlap=timedelta(hours=3)
    )
    old.refresh_from_db()
    assert tokens.digest(token) == new.digest
    assert (new.name, new.scopes, new.networks, new.rotated_from) == (old.name, old.scopes, old.networks, old.key_id)
    assert new.expires_at == now + timedelta(days=90)
    assert old.expires_at == later + timedelta(hours=3)
    assert old.revoked_at is None


def test_rotation_never_lengthens_the_old_key_s_life(organization, now):
    _, old = _issue(organization, now, expires_at=now + timedelta(hours=1))
    actions.rotate_key(key_id=old.key_id, environment="test", at=now, actor="a test")
    old.refresh_from_db()
    assert old.expires_at == now + timedelta(hours=1)


def test_a_revoked_key_keeps_its_first_reason_and_cannot_be_rotated(organization, now):
    _, key = _issue(organization, now)
    actions.revoke_key(key_id=key.key_id, at=now, actor="a test", reason="left in a notebook")
    key = actions.revoke_key(key_id=key.key_id, at=now + timedelta(days=1), actor="a test", reason="again")
    assert (key.revoked_at, key.revoked_reason) == (now, "left in a notebook")
    with pytest.raises(KeyNotUsableError):
        actions.rotate_key(key_id=key.key_id, environment="test", at=now, actor="a test")
    with pytest.raises(NoSuchKeyError):
        actions.revoke_key(key_id=uuid.uuid4(), at=now, actor="a test", reason="none")


def test_last_use_is_written_once_a_minute_at_most(organization, now):
    _, key = _issue(organization, now)
    for seconds, stands in ((0, 0), (59, 0), (61, 61)):
        actions.note_use(key_id=key.key_id, at=now + timedelta(seconds=seconds))
        key.refresh_from_db()
        assert key.last_used_at == now + timedelta(seconds=stands)


def test_the_commands_issue_rotate_and_revoke(organization):
    out = StringIO()
    call_command("create_key", str(organization.organization_id), scopes=["people:read"], json=True, stdout=out)
    issued = json.loads(out.getvalue())
    assert tokens.is_whole(issued["key"])
    out = StringIO()
    call_command("rotate_key", issued["key_id"], "--json", stdout=out)
    rotated = json.loads(out.getvalue())
    assert ApiKey.objects.get(key_id=rotated["key_id"]).rotated_from == uuid.UUID(issued["key_id"])
    call_command("revoke_key", rotated["key_id"], "--reason", "no longer used", stdout=StringIO())
    assert ApiKey.objects.get(key_id=rotated["key_id"]).revoked_reason == "no longer used"
    out = StringIO()
    scopes = ("--scope", "training:read", "people:read", "--scope", "certificates:read")
    call_command("create_key", str(organization.organization_id), *scopes, "--json", stdout=out)
    key = ApiKey.objects.get(key_id=json.loads(out.getvalue())["key_id"])
    assert set(key.scopes) == {"training:read", "people:read", "certificates:read"}
    with pytest.raises(CommandError, match="no scope"):
        call_command("create_key", str(organization.organization_id), scopes=["all"])
    for expires in ("soon", "2027-01-31", "2027-01-31T00:00:00", "9999-12-31T23:59:59-14:00"):
        with pytest.raises(CommandError, match="no instant"):
            call_command("create_key", str(organization.organization_id), scopes=["people:read"], expires=expires)
