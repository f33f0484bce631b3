"""The requests of Okta are understood, and answered as its reference expects."""

import json

import pytest
from scim2_models import Context

from compliance.provisioning.groups.model import Group
from compliance.provisioning.models import ProvisionedUser
from compliance.provisioning.resources import Employee
from compliance.tenancy import context
from tests.interfaces.scim import okta
from tests.interfaces.scim.test_entra import listed, person, send


@pytest.fixture
def okta_user(client):
    answer = send(client, okta.create_user("Test User"))
    assert answer.status_code == 201, answer.content
    Employee.model_validate(answer.json(), scim_ctx=Context.RESOURCE_CREATION_RESPONSE)
    return answer.json()


def test_credentials_are_tested_by_lists(client):
    for request in okta.test_credentials():
        answer = send(client, request)
        assert answer.status_code == 200
        assert isinstance(answer.json()["totalResults"], int)


def test_somebody_is_looked_for_and_made_and_nobody_keeps_the_password(client, company, okta_user):
    found = listed(client, okta.find_user("test.user@okta.example"))
    assert [each["id"] for each in found["Resources"]] == [okta_user["id"]]
    assert person(company, okta_user).person_name == "Test User"
    assert "password" not in okta_user
    with context.company(company.organization_id):
        kept = ProvisionedUser.objects.get(organization_id=company.organization_id)
    assert "1mz050nq" not in json.dumps(kept.attributes)
    assert send(client, okta.create_user("Test User")).status_code == 409


def test_somebody_is_put_as_they_were_read_with_what_changed(client, company, okta_user):
    read = client.get(f"/Users/{okta_user['id']}").json()
    name = {"givenName": "Another", "middleName": "Excited", "familyName": "User"}
    answer = send(client, okta.put_user(read, name=name, displayName="Another User"))
    assert answer.status_code == 200, answer.content
    Employee.model_validate(answer.json(), scim_ctx=Context.RESOURCE_REPLACEMENT_RESPONSE)
    assert (answer.json()["name"], answer.json()["id"]) == (name, okta_user["id"])
    assert answer.json()["externalId"] == okta_user["externalId"]
    assert person(company, okta_user).person_name == "Another User"
    inactive = send(client, okta.put_user(answer.json(), active=False))
    assert inactive.json()["active"] is False
    assert send(client, okta.put_user(inactive.json(), active=True)).json()["active"] is True


def test_somebody_is_deactivated_without_a_path(client, okta_user):
    assert send(client, okta.deactivate(okta_user["id"])).json()["active"] is False
    assert send(client, okta.reactivate(okta_user["id"])).json()["active"] is True


def test_a_list_is_read_a_hundred_at_a_time(client, company):
    for number in range(3):
        company.join(f"Anna {number}")
    answer = listed(client, okta.list_users(1))
    assert (answer["totalResults"], answer["itemsPerPage"], answer["startIndex"]) == (3, 3, 1)
    answer = listed(client, okta.list_users(101))
    assert (answer["totalResults"], answer["itemsPerPage"]) == (3, 0)


def test_groups_are_pushed_renamed_filled_and_unlinked(client, okta_user):
    answer = send(client, okta.push_group("Test SCIMv2"))
    assert answer.status_code == 201, answer.content
    group = answer.json()["id"]
    other = send(client, okta.create_user("Another User")).json()["id"]

    def inside():
        read = client.get(f"/Groups/{group}").json()
        Group.model_validate(read, scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
        return read["displayName"], {each["value"] for each in read.get("members", [])}

    for request, status, expected in (
        (okta.push_all_members(group, okta_user["id"]), 204, ("Test SCIMv2", {okta_user["id"]})),
        (okta.change_members(group, okta_user["id"], other), 204, ("Test SCIMv2", {other})),
        (okta.rename_group(group, "Test SCIMv20"), 204, ("Test SCIMv20", {other})),
        (okta.put_group(group, "By PUT", other, okta_user["id"]), 200, ("By PUT", {other, okta_user["id"]})),
        (okta.push_now_without_path(group, "By PUT"), 204, ("By PUT", set())),
    ):
        answer = send(client, request)
        assert answer.status_code == status, answer.content
        assert inside() == expected
    assert send(client, okta.push_group("By PUT")).status_code == 409
    assert send(client, okta.unlink_group(group)).status_code == 204
    assert send(client, okta.push_group("By PUT")).json()["id"] == group
