"""Sources: a token is shown once, opens for its company until it ends, and is told from an API key."""

from datetime import UTC, datetime, timedelta

import pytest

from compliance.access import sources, tokens
from compliance.access.errors import BadExpiryError, BadNetworkError, BadSourceNameError, UnknownKindError
from compliance.access.models import Source
from compliance.access.sources import issue_source
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
