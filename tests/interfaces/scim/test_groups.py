"""Groups: a client's requests become facts about teams."""

import uuid

import pytest
from scim2_models import Context, Error, ListResponse

from compliance.facts.people.models import Team, TeamMembership
from compliance.provisioning.groups.model import Group
from compliance.tenancy import context
from tests.interfaces.scim import entra, okta

GROUP = entra.GROUP


@pytest.fixture
def people(company):
    """Four employees who were there before any client."""
    return [company.join(name) for name in ("Anna", "Ben", "Chloe", "Dana")]


@pytest.fixture
def ids(people):
    return [str(each.learner_profile_id) for each in people]


def rows(company, model, **conditions):
    """The stored rows of a company."""
    with context.company(company.organization_id):
        return list(model.objects.filter(organization_id=company.organization_id, **conditions).values())


def send(client, request):
    return client(request.method, request.path, request.body)


def make(client, name="Crew", *members, **more):
    body = {"schemas": [GROUP], "displayName": name, "members": [{"value": each} for each in members]} | more
    answer = client("POST", "/Groups", body)
    assert answer.status_code == 201, answer.content
    group = answer.json()
    Group.model_validate(group, scim_ctx=Context.RESOURCE_CREATION_RESPONSE)
    assert answer["Location"] == group["meta"]["location"]
    return group


def read(client, group_id):
    answer = client.get(f"/Groups/{group_id}")
    assert answer.status_code == 200, answer.content
    Group.model_validate(answer.json(), scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
    return answer.json()


def inside(client, group_id):
    return {each["value"] for each in read(client, group_id).get("members", [])}


def refused(answer, status, kind=None):
    assert answer.status_code == status, answer.content
    error = Error.model_validate(answer.json())
    assert (error.status, error.scim_type) == (status, kind)
    assert error.detail
    return error.detail


def test_a_group_is_a_team_and_its_members_are_in_it(client, company, people, ids):
    group = make(client, "Crew", *ids[:2])
    (team,) = rows(company, Team)
    assert (str(team["team_id"]), team["name"]) == (group["id"], "Crew")
    assert {each["value"] for each in group["members"]} == set(ids[:2])
    assert all(each["$ref"].endswith(f"/scim/v2/Users/{each['value']}") for each in group["members"])
    assert {each["type"] for each in group["members"]} == {"User"}
    assert {str(each["learner_profile_id"]) for each in rows(company, TeamMembership)} == set(ids[:2])


def test_teams_that_others_made_are_groups(client, company, people, ids):
    team_id = company.team("Warehouse")
    answer = client.get("/Groups")
    ListResponse[Group].model_validate(answer.json(), scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
    assert [(each["id"], each["displayName"]) for each in answer.json()["Resources"]] == [(str(team_id), "Warehouse")]
    assert send(client, entra.add_members(str(team_id), ids[0])).status_code == 204
    assert inside(client, team_id) == {ids[0]}


def test_members_come_and_go_by_patch(client, ids):
    group = make(client)["id"]
    path = f"/Groups/{group}"
    assert client.patch(path, {"op": "add", "path": "members", "value": {"value": ids[0]}}).status_code == 204
    assert client.patch(path, {"op": "add", "value": {"members": [{"value": ids[1]}]}}).status_code == 204
    assert inside(client, group) == set(ids[:2])
    assert (
        client.patch(path, {"op": "add", "path": f"{GROUP}:members", "value": [{"value": ids[2]}]}).status_code == 204
    )
    assert client.patch(path, {"op": "remove", "path": f'members[value eq "{ids[0]}"]'}).status_code == 204
    assert inside(client, group) == {ids[1], ids[2]}
    assert client.patch(path, {"op": "replace", "path": "members", "value": [{"value": ids[3]}]}).status_code == 204
    assert inside(client, group) == {ids[3]}
    assert client.patch(path, {"op": "remove", "path": "members"}).status_code == 204
    assert inside(client, group) == set()
    assert client.patch(path, {"op": "replace", "path": "members", "value": None}).status_code == 204


def test_operations_of_one_request_are_taken_together(client, company, ids):
    group = make(client, "Crew", ids[0])["id"]
    before = len(rows(company, TeamMembership))
    answer = client.patch(
        f"/Groups/{group}",
        {"op": "remove", "path": f'members[value eq "{ids[0]}"]'},
        {"op": "add", "path": "members", "value": [{"value": ids[0]}, {"value": ids[1]}, {"value": ids[1]}]},
        {"op": "add", "path": "members", "value": [{"value": ids[2]}]},
        {"op": "remove", "path": f'members[value eq "{ids[2]}" or value eq "{ids[3]}"]'},
    )
    assert answer.status_code == 204, answer.content
    assert inside(client, group) == set(ids[:2])
    assert len(rows(company, TeamMembership)) == before + 1


def test_what_is_so_already_is_no_fact(client, company, ids):
    group = make(client, "Crew", ids[0])["id"]
    before = len(rows(company, TeamMembership))
    assert send(client, entra.add_members(group, ids[0])).status_code == 204
    assert send(client, entra.remove_member(group, ids[1])).status_code == 204
    assert send(client, entra.remove_member(group, str(uuid.uuid4()))).status_code == 204
    assert send(client, entra.remove_member(group, "nobody")).status_code == 204
    assert send(client, okta.rename_group(group, "Crew")).status_code == 204
    assert len(rows(company, TeamMembership)) == before


def test_a_group_is_renamed_and_replaced(client, company, ids):
    group = make(client, "Crew", ids[0], externalId="g-1")
    assert send(client, entra.rename_group(group["id"], "Night crew")).status_code == 204
    assert read(client, group["id"])["displayName"] == "Night crew"
    answer = send(client, okta.put_group(group["id"], "Day crew", ids[1], ids[2]))
    assert answer.status_code == 200, answer.content
    assert answer.json()["displayName"] == "Day crew"
    assert {each["value"] for each in answer.json()["members"]} == set(ids[1:3])
    answer = client("PUT", f"/Groups/{group['id']}", {"schemas": [GROUP], "displayName": "Late crew"})
    assert {each["value"] for each in answer.json()["members"]} == set(ids[1:3])
    assert [each["name"] for each in rows(company, Team)] == ["Late crew"]


def test_a_removed_group_is_gone_its_members_left_and_it_comes_back_by_name_or_identifier(client, company, ids):
    group = make(client, "Crew", *ids, externalId="g-1")
    assert client("DELETE", f"/Groups/{group['id']}").status_code == 204
    refused(client.get(f"/Groups/{group['id']}"), 404)
    refused(client("DELETE", f"/Groups/{group['id']}"), 404)
    refused(send(client, entra.add_members(group["id"], ids[0])), 404)
    assert client.get("/Groups").json()["totalResults"] == 0
    assert len(rows(company, TeamMembership, joined=False)) == len(ids)
    assert len(rows(company, Team)) == 1
    assert make(client, "Crew")["id"] == group["id"]
    assert inside(client, group["id"]) == set()
    assert client("DELETE", f"/Groups/{group['id']}").status_code == 204
    again = make(client, "Another name", ids[0], externalId="g-1")
    assert again["id"] != group["id"], "the identifier was given up when the group came back without it"
    assert client("DELETE", f"/Groups/{again['id']}").status_code == 204
    assert make(client, "Third name", externalId="g-1")["id"] == again["id"]
    assert read(client, again["id"])["displayName"] == "Third name"


def test_a_removed_group_keeps_its_identifier_from_nobody(client):
    group, other = make(client, "Crew", externalId="g-1"), make(client, "Other")
    assert client("DELETE", f"/Groups/{group['id']}").status_code == 204
    taken = {"op": "add", "path": "externalId", "value": "g-1"}
    assert client.patch(f"/Groups/{other['id']}", taken).status_code == 204
    assert read(client, other["id"])["externalId"] == "g-1"
    assert make(client, "Crew")["id"] == group["id"]


def test_a_blank_external_identifier_is_none(client):
    assert "externalId" not in make(client, "Crew", externalId="")
    assert "externalId" not in make(client, "Other", externalId="")


def test_names_in_greek_capitals_are_found_and_unique(client):
    made = make(client, "ΠΩΛΗΣΕΙΣ")
    found = send(client, entra.find_group("ΠΩΛΗΣΕΙΣ")).json()["Resources"]
    assert [each["id"] for each in found] == [made["id"]]
    refused(send(client, okta.push_group("ΠΩΛΗΣΕΙΣ")), 409, "uniqueness")


def test_names_and_external_identifiers_are_unique_and_case_of_names_does_not_count(client, client_of, company):
    group = make(client, "Crew", externalId="g-1")
    assert "displayName" in refused(send(client, okta.push_group("CREW")), 409, "uniqueness")
    body = {"schemas": [GROUP], "displayName": "Other", "externalId": "g-1"}
    assert "externalId" in refused(client("POST", "/Groups", body), 409, "uniqueness")
    other = make(client, "Other")["id"]
    refused(send(client, entra.rename_group(other, "crew")), 409, "uniqueness")
    refused(client.patch(f"/Groups/{other}", {"op": "add", "path": "externalId", "value": "g-1"}), 409, "uniqueness")
    assert send(client, entra.rename_group(group["id"], "CREW")).status_code == 204
    # Each client has identifiers of its own, and sees the teams of all.
    second = client_of("Okta")
    assert "externalId" not in read(second, group["id"])
    assert second.patch(f"/Groups/{group['id']}", {"op": "add", "path": "externalId", "value": "z"}).status_code == 204
    assert read(second, group["id"])["externalId"] == "z"
    assert read(client, group["id"])["externalId"] == "g-1"
    # A team that one client has removed is empty for the other.
    assert client("DELETE", f"/Groups/{group['id']}").status_code == 204
    assert inside(second, group["id"]) == set()


def test_who_is_no_user_cannot_be_a_member(client, client_of, company, ids, db):
    group = make(client, "Crew", ids[0])["id"]
    stranger = str(uuid.uuid4())
    for value in (stranger, "nobody", group, ids[0].upper() + "x"):
        refused(send(client, entra.add_members(group, ids[1], value)), 400, "invalidValue")
    refused(
        client("POST", "/Groups", {"schemas": [GROUP], "displayName": "B", "members": [{"value": stranger}]}),
        400,
        "invalidValue",
    )
    assert inside(client, group) == {ids[0]}
    assert client.get("/Groups").json()["totalResults"] == 1


def test_groups_in_groups_are_refused_and_it_says_so(client):
    outer, inner = make(client, "Outer")["id"], make(client, "Inner")["id"]
    member = {"value": inner, "type": "Group"}
    detail = refused(
        client.patch(f"/Groups/{outer}", {"op": "add", "path": "members", "value": [member]}), 400, "invalidValue"
    )
    assert "groups in groups" in detail
    body = {"schemas": [GROUP], "displayName": "B", "members": [member]}
    assert "groups in groups" in refused(client("POST", "/Groups", body), 400, "invalidValue")


def test_members_are_left_out_when_nobody_wants_them(client, ids, django_assert_num_queries):
    group = make(client, "Crew", *ids)["id"]
    answer = send(client, entra.get_group(group))
    assert "members" not in answer.json()
    assert "ETag" not in answer
    answer = send(client, entra.find_group("crew"))
    assert [each["id"] for each in answer.json()["Resources"]] == [group]
    assert "members" not in answer.json()["Resources"][0]
    assert client.get(f"/Groups/{group}?attributes=displayName").json().keys() == {"schemas", "id", "displayName"}
    named = client.get(f"/Groups/{group}?attributes=members.display,members.value").json()["members"]
    assert {each["display"] for each in named} == {"Anna", "Ben", "Chloe", "Dana"}


@pytest.mark.parametrize(
    "question, found",
    [
        ('displayName eq "alpha"', ["Alpha"]),
        ('displayName sw "al"', ["Alpha", "Alto"]),
        ('displayName co "L" and not (displayName eq "alto")', ["Alpha"]),
        ('externalId eq "g-alpha"', ["Alpha"]),
        ('externalId eq "G-ALPHA"', []),
        ("externalId pr", ["Alpha"]),
        ("members pr", ["Alpha"]),
        ("not (members pr)", ["Alto", "Bravo"]),
        ('members eq "{anna}"', ["Alpha"]),
        ('members.value eq "{anna}"', ["Alpha"]),
        ('members[value eq "{anna}"]', ["Alpha"]),
        ('not (members eq "{anna}")', ["Alto", "Bravo"]),
        ('not (members[value eq "{anna}"])', ["Alto", "Bravo"]),
        ('members[not (value eq "{anna}")]', ["Alpha"]),
        ('members.value ne "{anna}"', ["Alto", "Bravo"]),
        ('members.value sw "{anna}"', ["Alpha"]),
        ('members eq "nobody"', []),
        ('id eq "{alpha}" and members eq "{anna}"', ["Alpha"]),
        ('id eq "{alpha}" and members eq "{chloe}"', []),
        ('id eq "no identifier"', []),
        ('id eq "{alpha}" or displayName eq "Bravo"', ["Alpha", "Bravo"]),
        ('meta.created gt "2000-01-01T00:00:00Z"', ["Alpha", "Alto", "Bravo"]),
    ],
)  # fmt: skip
def test_groups_are_found_by_filters(client, ids, question, found):
    alpha = make(client, "Alpha", ids[0], ids[1], externalId="g-alpha")
    make(client, "Alto")
    make(client, "Bravo")
    text = question.format(anna=ids[0], chloe=ids[2], alpha=alpha["id"])
    answer = send(client, entra.search("/Groups", text))
    assert answer.status_code == 200, answer.content
    assert sorted(each["displayName"] for each in answer.json()["Resources"]) == found


def test_lists_are_paged_and_ordered(client):
    for name in ("Bravo", "alpha", "Charlie"):
        make(client, name)
    answer = client.get("/Groups?startIndex=2&count=1&sortBy=displayName").json()
    assert (answer["totalResults"], answer["startIndex"], answer["itemsPerPage"]) == (3, 2, 1)
    assert answer["Resources"][0]["displayName"] == "Bravo"
    assert (
        "Resources" not in client.get("/Groups?count=0").json() or not client.get("/Groups?count=0").json()["Resources"]
    )
    assert client.get("/Groups?count=0").json()["totalResults"] == 3


def test_groups_without_the_attribute_of_the_order_come_last(client):
    make(client, "None")
    make(client, "B", externalId="b")
    make(client, "A", externalId="a")
    for order, names in (("", ["A", "B", "None"]), ("&sortOrder=descending", ["None", "B", "A"])):
        listed = client.get(f"/Groups?sortBy=externalId{order}").json()["Resources"]
        assert [each["displayName"] for each in listed] == names


def test_a_precondition_that_fails_changes_nothing(client, ids):
    group = make(client, "Crew", ids[0])["id"]
    old = client.get(f"/Groups/{group}")["ETag"]
    assert client.get(f"/Groups/{group}", HTTP_IF_NONE_MATCH=old).status_code == 304
    assert send(client, entra.add_members(group, ids[1])).status_code == 204
    operation = {"op": "add", "path": "members", "value": [{"value": ids[2]}]}
    refused(client.patch(f"/Groups/{group}", operation, HTTP_IF_MATCH=old), 412)
    refused(client("DELETE", f"/Groups/{group}", HTTP_IF_MATCH=old), 412)
    now = client.get(f"/Groups/{group}")["ETag"]
    assert client.patch(f"/Groups/{group}", operation, HTTP_IF_MATCH=now).status_code == 204
    assert inside(client, group) == set(ids[:3])


def test_whatever_is_wrong_is_said_and_nothing_of_the_request_is_done(client, ids):
    group = make(client, "Crew", ids[0])["id"]
    path = f"/Groups/{group}"
    good = {"op": "add", "path": "members", "value": [{"value": ids[1]}]}
    for bad, kind in [
        ({"op": "remove", "path": "displayName"}, "mutability"),
        ({"op": "replace", "path": "displayName", "value": " "}, "invalidValue"),
        ({"op": "replace", "path": "displayName", "value": "x" * 301}, "invalidValue"),
        ({"op": "replace", "path": "displayName", "value": ["x"]}, "invalidValue"),
        ({"op": "replace", "path": "id", "value": "other"}, "mutability"),
        ({"op": "remove"}, "noTarget"),
        ({"op": "move", "path": "members"}, "invalidValue"),
        ({"op": "add", "path": "members[value eq", "value": []}, "invalidPath"),
        ({"op": "remove", "path": 'members[display eq "x"]'}, "invalidPath"),
        ({"op": "remove", "path": f'members[value eq "{ids[0]}"].value'}, "mutability"),
        ({"op": "add", "path": "members", "value": [{"display": "x"}]}, "invalidValue"),
        ({"op": "add", "path": "members", "value": 7}, "invalidValue"),
        ({"op": "add", "path": "members", "value": [None]}, "invalidValue"),
        ({"op": "add", "path": "members"}, "invalidValue"),
    ]:
        refused(client.patch(path, good, bad), 400, kind)
        assert inside(client, group) == {ids[0]}, bad
        assert read(client, group)["displayName"] == "Crew", bad
