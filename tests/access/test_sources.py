"""Sources: a token is displayed once, is valid for its company until it ends, and differs from an API key."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from compliance.access import sources, tokens
from compliance.access.errors import (
    BadExpiryError,
    BadNetworkError,
    BadSourceNameError,
    NoSuchSourceError,
    SourceRevokedError,
    UnknownKindError,
)
from compliance.access.exposure import revoke_seen_in_url
from compliance.access.models import Source
from compliance.access.sources import issue_source, revoke_source, rotate_source
from compliance.interfaces.operations import tidying
from compliance.tenancy.actions import create_organization


@pytest.fixture
def organization(db, now):
    return create_organization(name="Sources", time_zone="UTC", history_complete_from=now, now=now)


def _issue(organization, now, **others):
    told = {"name": "HR", "kinds": ["employee_joined", "scim"]} | others
    return issue_source(
        organization_id=organization.organization_id, environment="test", at=now, actor="a test", **told
    )


def test_only_a_digest_is_stored_and_it_finds_the_source_until_its_end(organization, now):
    token, source = _issue(organization, now, networks=["192.0.2.0/24"], expires_at=now + timedelta(days=2))
    assert token.startswith("svc_in_test_")
    assert tokens.is_whole(token)
    assert token not in repr(Source.objects.values().get(source_id=source.source_id))
    found = sources.caller(tokens.digest(token), now)
    assert found is not None
    assert (found.source_id, found.organization_id) == (source.source_id, organization.organization_id)
    assert found.kinds == {"employee_joined", "scim"}
    assert list(found.networks) == ["192.0.2.0/24"]
    assert sources.caller(tokens.digest(token), now + timedelta(days=2)) is None
    assert sources.caller(tokens.digest(tokens.new_token("svc_in_test_")), now) is None


def test_a_use_is_noted_once_a_minute(organization, now):
    _, source = _issue(organization, now)
    for seconds in (0, 30, 90):
        sources.note_use(source_id=source.source_id, at=now + timedelta(seconds=seconds))
        source.refresh_from_db()
        assert source.last_used_at == now + timedelta(seconds=90 if seconds == 90 else 0)


@pytest.mark.parametrize(
    "wrong, error",
    [
        ({"kinds": []}, UnknownKindError),
        ({"kinds": ["person_promoted"]}, UnknownKindError),
        ({"name": " "}, BadSourceNameError),
        ({"name": "H\nR"}, BadSourceNameError),
        ({"networks": ["everywhere"]}, BadNetworkError),
        ({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, BadExpiryError),
        ({"expires_at": datetime(2090, 1, 1, tzinfo=UTC)}, BadExpiryError),
    ],
)
def test_a_source_that_makes_no_sense_is_refused(organization, now, wrong, error):
    with pytest.raises(error):
        _issue(organization, now, **wrong)
    assert not Source.objects.exists()


@pytest.mark.parametrize("form", ["Bearer {}", "/in/v1/facts?token={}", "svc%5Fin%5F{}"])
def test_a_token_is_left_out_of_logs(form):
    token = tokens.new_token("svc_in_live_")
    written = form.format(token.removeprefix("svc_in_") if "%5F" in form else token)
    assert token[14:30] not in tokens.redact(written)


def _opens(token, at):
    return sources.caller(tokens.digest(token), at) is not None


def _rotate(source, at, **others):
    return rotate_source(source_id=source.source_id, environment="test", at=at, actor="another", **others)


def test_a_rotation_replaces_the_token_in_the_row_and_the_former_one_opens_for_a_while(organization, now):
    former, source = _issue(organization, now, networks=["192.0.2.0/24"], expires_at=now + timedelta(days=90))
    later = now + timedelta(days=10)
    token, rotated = _rotate(source, later, overlap=timedelta(hours=3))
    assert rotated.source_id == source.source_id
    assert (rotated.expires_at, rotated.issued_by) == (now + timedelta(days=90), "another")
    assert _opens(token, later)
    assert _opens(former, later + timedelta(hours=2))
    assert not _opens(former, later + timedelta(hours=3))
    third, _ = _rotate(source, later, overlap=timedelta(hours=3))
    assert [_opens(each, later) for each in (former, token, third)] == [False, True, True]


def test_a_former_token_never_outlives_the_end_that_it_had(organization, now):
    former, source = _issue(organization, now, expires_at=now + timedelta(hours=1))
    token, rotated = _rotate(source, now, expires_at=now + timedelta(days=300))
    assert rotated.expires_at == now + timedelta(days=300)
    assert not _opens(former, now + timedelta(hours=2))
    assert _opens(token, now + timedelta(days=299))
    with pytest.raises(BadExpiryError):
        _rotate(source, now, expires_at=now + timedelta(days=367))


def test_without_an_overlap_the_former_token_opens_no_more(organization, now):
    former, source = _issue(organization, now)
    _rotate(source, now, overlap=timedelta(0))
    assert not _opens(former, now)


def test_a_revoked_source_stays_revoked(organization, now):
    first, source = _issue(organization, now)
    second, _ = _rotate(source, now)
    revoke_source(source_id=source.source_id, at=now, actor="a test", reason="no longer used")
    revoke_source(source_id=source.source_id, at=now, actor="a test", reason="again")
    source.refresh_from_db()
    assert source.revoked_reason == "no longer used"
    assert not _opens(first, now)
    assert not _opens(second, now)
    with pytest.raises(SourceRevokedError):
        _rotate(source, now)
    with pytest.raises(NoSuchSourceError):
        revoke_source(source_id=uuid.uuid4(), at=now, actor="a test", reason="none")


def test_a_token_seen_in_a_url_ends_and_its_source_goes_on_with_a_new_one(organization, now):
    former, source = _issue(organization, now)
    token, _ = _rotate(source, now)
    assert revoke_seen_in_url(candidates=[former, tokens.new_token("svc_in_test_"), "svc_in_test_"], at=now) == 1
    assert not _opens(former, now)
    assert _opens(token, now)
    assert revoke_seen_in_url(candidates=[token], at=now) == 1
    assert not _opens(token, now)
    third, rotated = _rotate(source, now)
    assert (rotated.revoked_at, rotated.former_digest) == (None, None)
    assert [_opens(each, now) for each in (former, token, third)] == [False, False, True]


@pytest.mark.parametrize("path", ["/in/v1/facts?token={}", "/scim/v2/Users/{}", "/console/?next={}", "/learn/{}"])
def test_a_token_in_the_url_of_any_page_is_revoked(organization, path):
    token, source = _issue(organization, timezone.now())
    response = Client().get(path.format(token))
    assert response.status_code == 400
    assert token not in response.content.decode()
    source.refresh_from_db()
    assert source.revoked_reason == "sent in a URL"


def test_expired_sources_are_closed_and_open_again_by_a_new_token(organization, now, caplog):
    _, source = _issue(organization, now, expires_at=now + timedelta(days=1))
    _, soon = _issue(organization, now, name="LMS", expires_at=now + timedelta(days=12))
    _rotate(soon, now, overlap=timedelta(hours=1))
    then = now + timedelta(days=2)
    assert tidying.expire_sources(then) == 1
    source.refresh_from_db()
    soon.refresh_from_db()
    assert (source.revoked_reason, soon.revoked_at, soon.former_until) == ("expired", None, None)
    (warned,) = [each for each in caplog.records if each.message == "source_expires_soon"]
    assert warned.source_id == str(soon.source_id)
    token, rotated = _rotate(source, then)
    assert rotated.expires_at == then + timedelta(days=365)
    assert _opens(token, then)


def test_the_commands_issue_rotate_list_and_revoke(organization):
    def run(*arguments):
        out = StringIO()
        call_command(*arguments, stdout=out)
        return out.getvalue()

    company = str(organization.organization_id)
    kinds = ("--kind", "team_created", "team_joined", "--kind", "scim")
    issued = json.loads(
        run(
            "create_source", company, "Workday", *kinds, "--network", "192.0.2.0/24", "--leaving", "suspended", "--json"
        )
    )
    source = Source.objects.get(source_id=issued["source_id"])
    assert (source.kinds, source.leaving) == (["team_created", "team_joined", "scim"], "suspended")
    rotated = json.loads(run("rotate_source", issued["source_id"], "--overlap-days", "0", "--json"))
    assert rotated["source_id"] == issued["source_id"]
    assert not _opens(issued["token"], timezone.now())
    assert _opens(rotated["token"], timezone.now())
    (listed,) = json.loads(run("list_sources", company, "--json"))
    assert (listed["name"], listed["issued_by"], listed["networks"]) == ("Workday", "rotate_source", ["192.0.2.0/24"])
    assert "Workday" in run("list_sources")
    with pytest.raises(CommandError, match="could be reopened"):  # the reason for which its token alone would end
        run("revoke_source", issued["source_id"], "--reason", "expired")
    run("revoke_source", issued["source_id"], "--reason", "no longer used")
    assert run("list_sources", company) == "0 sources.\n"
    with pytest.raises(CommandError, match="no kind of fact"):
        run("create_source", company, "HR", "--kind", "person_promoted")
    with pytest.raises(CommandError, match="no source"):
        run("rotate_source", str(uuid.uuid4()))
