"""Who may post facts, and the answers to everybody else."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from compliance.access.models import ApiKey, Source
from tests.companies import make_present_company
from tests.facts.files import fact, team
from tests.interfaces.api.conftest import issue_everything
from tests.interfaces.ingest.conftest import Sender
from tests.interfaces.ingest.test_views import answered, known_facts, refused

pytestmark = pytest.mark.django_db
DOCUMENT = "/in/v1/openapi.json"


@pytest.mark.parametrize("token", [None, "", "x", "svc_in_test_" + "0" * 49])
def test_without_a_token_nobody_posts(organization_id, token):
    problem = refused(Sender(token)([team("blue")]), 401, "invalid_token")
    assert "the token of a source" in problem["detail"]


def test_an_api_key_hears_that_it_is_none_of_a_source(organization_id):
    key = issue_everything(organization_id, datetime.now(UTC))
    problem = refused(Sender(key)([team("blue")]), 401, "invalid_token")
    assert problem["detail"] == "The token is an API key, which reads. Send the token of a source instead."
    refused(Sender(key)(b"", to=DOCUMENT, method="GET"), 401, "invalid_token")


def test_the_token_of_a_source_hears_from_v1_that_it_is_no_key(post):
    problem = refused(post(b"", to="/v1/snapshot", method="GET"), 401, "invalid_token")
    assert problem["detail"] == "The token is the token of a source. Send an API key instead."


def test_a_token_for_another_environment_hears_so(organization_id, sender_of):
    problem = refused(sender_of(organization_id, environment="live")([team("blue")]), 401, "invalid_token")
    assert "live" in problem["detail"]


def test_a_source_that_only_speaks_scim_posts_no_facts_and_reads_the_document(organization_id, sender_of):
    post = sender_of(organization_id, ["scim"])
    problem = refused(post([team("blue")]), 403, "insufficient_scope")
    assert "/scim/v2" in problem["detail"]
    assert post(b"", to=DOCUMENT, method="GET").status_code == 200


def test_a_source_posts_from_its_networks_only(organization_id, sender_of):
    post = sender_of(organization_id, networks=["192.0.2.0/24"])
    refused(post([team("blue")]), 403, "ip_not_allowed")
    answered(post([team("blue")], REMOTE_ADDR="192.0.2.7"), 1)


def test_a_source_that_has_ended_or_is_revoked_posts_nothing(organization_id, sender_of):
    now = datetime.now(UTC)
    ended = sender_of(organization_id, at=now - timedelta(days=9), expires_at=now - timedelta(seconds=1))
    refused(ended([team("blue")]), 401, "invalid_token")
    post = sender_of(organization_id)
    Source.objects.filter(organization_id=organization_id).update(revoked_at=now)
    refused(post([team("blue")]), 401, "invalid_token")


def test_facts_of_one_company_are_none_of_another(post, organization_id, sender_of):
    other = make_present_company("Other").organization_id
    answered(post([team("blue")]), 1)
    renamed = fact("team_renamed", "x", 1, team_id="team blue", name="x")
    answered(sender_of(other)([renamed]), 0, 0, [(1, "unresolved_reference")])
    answered(sender_of(other)([team("blue")]), 1)
    assert known_facts(other) == known_facts(organization_id) != set()


def test_a_key_in_the_address_is_revoked_and_records_nothing(post, organization_id):
    key = issue_everything(organization_id, datetime.now(UTC))
    refused(post([team("blue")], f"strict={key}"), 400, "key_in_url")
    assert ApiKey.objects.get(organization_id=organization_id).revoked_at is not None
    assert not known_facts(organization_id)


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "post"])
def test_facts_are_posted_and_nothing_else(post, method):
    answer = post([team("blue")], method=method)
    assert (answer.status_code, answer["Allow"]) == (405, "POST")


@pytest.mark.parametrize("path", ["/in/v1", "/in/v1/", "/in/v1/facts/", "/in/v1/people"])
def test_there_is_nothing_at_other_addresses(post, path):
    refused(post([team("blue")], to=path), 404, "not_found")


@pytest.mark.parametrize(
    "query, parameter",
    [
        ("strickt=true", "strickt"),
        ("strict=yes", "strict"),
        ("strict=", "strict"),
        ("strict=true&strict=true", "strict"),
    ],
)
def test_parameters_are_read_strictly(post, organization_id, query, parameter):
    problem = refused(post([team("blue")], query), 400, "invalid_request")
    assert [each["parameter"] for each in problem["errors"]] == [parameter]
    assert not known_facts(organization_id)


def test_calls_of_a_source_are_counted(post, settings):
    settings.RATE_LIMIT_SOURCE_PER_MINUTE = 2
    for _ in range(2):
        answered(post([team(str(uuid.uuid4()))]), 1)
    answer = post([team("blue")])
    refused(answer, 429, "rate_limited")
    assert int(answer["Retry-After"]) > 0
