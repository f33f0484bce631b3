"""The requests of Entra ID are understood, and answered as its documentation expects."""

import uuid

import pytest
from scim2_models import Context, ListResponse, PatchOp

from compliance.facts.people.queries import displayed_people
from compliance.provisioning.groups.model import Group
from compliance.provisioning.resources import Employee
from compliance.tenancy import context
from tests.interfaces.scim import entra

ENTERPRISE = entra.ENTERPRISE


def send(client, request):
    return client(request.method, request.path, request.body)


def listed(client, request, model=Employee):
    answer = send(client, request)
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "application/scim+json"
    ListResponse.__class_getitem__(model).model_validate(answer.json(), scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
    return answer.json()


def changed(client, request):
    answer = send(client, request)
    assert answer.status_code == 200, answer.content
    Employee.model_validate(answer.json(), scim_ctx=Context.RESOURCE_PATCH_RESPONSE)
    return answer.json()


def person(company, user):
    """The facts of a User."""
    profile_id = uuid.UUID(user["id"])
    with context.company(company.organization_id):
        return displayed_people(company.organization_id, [profile_id])[profile_id]


@pytest.fixture
def ines(client):
    answer = send(client, entra.create_user("Ines Ferreira"))
    assert answer.status_code == 201, answer.content
    Employee.model_validate(answer.json(), scim_ctx=Context.RESOURCE_CREATION_RESPONSE)
    return answer.json()


def test_the_connection_is_tested_by_somebody_who_cannot_be(client, ines):
    answer = listed(client, entra.test_connection())
    assert (answer["totalResults"], answer.get("Resources", [])) == (0, [])


def test_somebody_is_looked_for_and_made_and_found(client, company):
    request = entra.create_user("Ines Ferreira")
    assert listed(client, entra.find_user(request.body["userName"]))["totalResults"] == 0
    made = send(client, request).json()
    for found in (
        entra.find_user(request.body["userName"].upper()),
        entra.find_user_by("externalId", request.body["externalId"]),
        entra.find_user_by('emails[type eq "work"].value', request.body["emails"][0]["value"]),
    ):
        assert [each["id"] for each in listed(client, found)["Resources"]] == [made["id"]]
    read = send(client, entra.get_user(made["id"])).json()
    for name in ("userName", "externalId", "displayName", "title", "active", "emails", "name", ENTERPRISE):
        assert read[name] == request.body[name], name
    assert person(company, made) == ("Ines Ferreira", request.body["userName"], request.body["userName"], False)


@pytest.mark.parametrize("request_for", [entra.change_plain, entra.change])
def test_many_attributes_change_at_once(client, company, ines, request_for):
    user = changed(client, request_for(ines["id"]))
    assert user["displayName"] == "Ines Ferreira Lima"
    assert user["name"]["familyName"] == "Lima"
    assert user["emails"] == [{"primary": True, "type": "work", "value": "ines.lima@contoso.example"}]
    assert user[ENTERPRISE]["employeeNumber"] == "E-7"
    assert user[ENTERPRISE]["department"] == "Purchasing"
    told = person(company, ines)
    assert (told.person_name, told.work_email) == ("Ines Ferreira Lima", "ines.lima@contoso.example")


def test_what_is_missing_below_a_filter_is_made(client, company):
    bare = entra.create_user("Ines Ferreira", emails=[], **{ENTERPRISE: {}})
    made = send(client, bare).json()
    user = changed(client, entra.add_what_is_missing(made["id"]))
    assert user["emails"] == [{"type": "work", "value": "ines@contoso.example"}]
    assert user["phoneNumbers"] == [{"type": "mobile", "value": "55555555555"}]
    assert user["addresses"] == [{"type": "work", "postalCode": "1000-205"}]
    assert (user["nickName"], user["name"]["givenName"]) == ("Nes", "Ines")
    assert user[ENTERPRISE]["department"] == "Quality"
    assert person(company, made).work_email == "ines@contoso.example"


def test_a_manager_is_an_identifier_alone_and_asked_for_by_a_filter(client, ines):
    manager = send(client, entra.create_user("Rui Costa")).json()
    user = changed(client, entra.set_manager(ines["id"], manager["id"]))
    assert user[ENTERPRISE]["manager"]["value"] == manager["id"]
    found = listed(client, entra.has_manager(ines["id"], manager["id"]))
    assert [each["id"] for each in found["Resources"]] == [ines["id"]]
    assert listed(client, entra.has_manager(ines["id"], ines["id"]))["totalResults"] == 0
    user = changed(client, entra.remove_manager(ines["id"]))
    assert "manager" not in user.get(ENTERPRISE, {})


def test_who_is_deleted_softly_is_inactive_and_comes_back(client, ines):
    assert changed(client, entra.disable_plain(ines["id"]))["active"] is False
    assert send(client, entra.get_user(ines["id"])).json()["active"] is False
    assert changed(client, entra.disable(ines["id"]))["active"] is False
    assert changed(client, entra.enable_plain(ines["id"]))["active"] is True


def test_who_is_deleted_for_good_is_gone_and_comes_back_as_the_same(client, ines):
    assert send(client, entra.delete_user(ines["id"])).status_code == 204
    assert send(client, entra.get_user(ines["id"])).status_code == 404
    assert listed(client, entra.find_user(ines["userName"]))["totalResults"] == 0
    again = send(client, entra.create_user("Ines Ferreira"))
    assert (again.status_code, again.json()["id"]) == (201, ines["id"])


def test_a_group_lives_as_entra_has_it_live(client, ines):
    assert listed(client, entra.find_group("Buyers"), Group)["totalResults"] == 0
    group = send(client, entra.create_group("Buyers"))
    assert group.status_code == 201, group.content
    group_id = group.json()["id"]
    assert listed(client, entra.find_group("Buyers"), Group)["Resources"][0]["id"] == group_id
    assert "members" not in send(client, entra.get_group(group_id)).json()
    other = send(client, entra.create_user("Rui Costa")).json()
    for request, inside in (
        (entra.add_members(group_id, ines["id"], other["id"]), {ines["id"], other["id"]}),
        (entra.remove_members_plain(group_id, ines["id"]), {other["id"]}),
        (entra.rename_group(group_id, "Purchasing"), {other["id"]}),
        (entra.add_members(group_id, ines["id"]), {ines["id"], other["id"]}),
        (entra.remove_member(group_id, other["id"]), {ines["id"]}),
    ):
        PatchOp[Group].model_validate(request.body)
        answer = send(client, request)
        assert (answer.status_code, answer.content) == (204, b""), answer.content
        for user in (ines, other):
            found = listed(client, entra.has_member(group_id, user["id"]), Group)["Resources"]
            assert [each["id"] for each in found] == [group_id] * (user["id"] in inside)
    groups = send(client, entra.get_user(ines["id"])).json()["groups"]
    assert [(each["value"], each["display"]) for each in groups] == [(group_id, "Purchasing")]
    assert send(client, entra.delete_group(group_id)).status_code == 204
    assert "groups" not in send(client, entra.get_user(ines["id"])).json()


def test_the_flag_in_the_address_changes_nothing_here(client, ines):
    assert client.get(f"/Users/{ines['id']}?aadOptscim062020").status_code == 200
