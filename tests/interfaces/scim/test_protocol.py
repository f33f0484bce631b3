"""What is common to every address below /scim/v2: errors are SCIM's, tokens are required, discovery works."""

import pytest
from scim2_models import Error, ResourceType, Schema, ServiceProviderConfig

from tests.interfaces.scim.conftest import ScimClient


def fault(answer, status, scim_type=None):
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/scim+json"
    error = Error.model_validate(answer.json())
    assert (error.status, error.scim_type) == (status, scim_type)
    assert error.detail
    assert answer["X-Request-Id"]
    return error


def test_who_has_no_token_that_opens_is_told_so_in_scim(client, client_of):
    fault(ScimClient(None).get("/ServiceProviderConfig"), 401)
    fault(ScimClient("svc_in_test_nothing").get("/Schemas"), 401)
    assert ScimClient(None).get("/Schemas")["WWW-Authenticate"].startswith("Bearer")
    fault(client_of("Files", kinds=("employee_joined",)).get("/ServiceProviderConfig"), 403)
    fault(client_of("Elsewhere", networks=["192.0.2.0/24"]).get("/ServiceProviderConfig"), 403)


@pytest.mark.parametrize("path", ["", "/", "/Nobody", "/Users/", "/ServiceProviderConfig/", "/Schemas/urn:none"])
def test_what_is_not_there_is_404(client, path):
    fault(client.get(path), 404)


@pytest.mark.parametrize(
    "method, path", [("POST", "/ServiceProviderConfig"), ("PUT", "/Schemas"), ("DELETE", "/ResourceTypes/User")]
)
def test_what_cannot_be_done_is_405_and_says_what_can(client, method, path):
    answer = client(method, path, {})
    fault(answer, 405)
    assert answer["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("method, path", [("GET", "/Me"), ("POST", "/Bulk"), ("POST", "/.search")])
def test_what_is_not_supported_is_501(client, method, path):
    fault(client(method, path, {}), 501)


def test_a_token_in_the_address_is_refused(client):
    assert client.token is not None
    fault(client.get(f"/Schemas?token={client.token}"), 400)


def test_calls_are_limited(client, settings):
    settings.RATE_LIMIT_SOURCE_PER_MINUTE = 1
    assert client.get("/ServiceProviderConfig").status_code == 200
    answer = client.get("/ServiceProviderConfig")
    fault(answer, 429)
    assert int(answer["Retry-After"]) >= 1


def test_the_service_describes_itself(client):
    configuration = ServiceProviderConfig.model_validate(client.get("/ServiceProviderConfig").json())
    assert configuration.patch.supported
    assert configuration.filter.supported
    assert configuration.etag.supported
    assert not configuration.bulk.supported
    for path, model in (("/Schemas", Schema), ("/ResourceTypes", ResourceType)):
        answer = client.get(path)
        listed = answer.json()
        assert listed["totalResults"] == listed["itemsPerPage"] == len(listed["Resources"])
        for each in listed["Resources"]:
            model.model_validate(each)
            assert client.get(f"{path}/{each['id']}").json() == each
        fault(client.get(f'{path}?filter=id eq "1"'), 403)
