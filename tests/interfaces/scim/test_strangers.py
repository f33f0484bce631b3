"""People of other companies, and people who are no User, are never read, found, changed or added to a team."""

import uuid

import pytest

from compliance.facts.lines.kinds import ContactJoined
from compliance.facts.people.erasing import erase_person
from compliance.facts.recording import act
from compliance.interfaces.api import clock
from compliance.rules.vocabulary import Door
from tests.companies import make_present_company
from tests.interfaces.scim import entra


def send(client, request):
    return client(request.method, request.path, request.body)


@pytest.fixture
def elsewhere(client_of):
    """The client of another company, with a User and a Group of its own."""
    other = make_present_company("Elsewhere")
    client = client_of("Elsewhere", organization_id=other.organization_id)
    user = client.user("bob@example.com", externalId="x-1")["id"]
    group = client("POST", "/Groups", {"schemas": [entra.GROUP], "displayName": "Crew", "members": [{"value": user}]})
    return client, user, group.json()["id"]


def test_another_company_is_not_there(client, elsewhere):
    other, user, group = elsewhere
    for path in (f"/Users/{user}", f"/Groups/{group}"):
        body = {"schemas": [entra.USER, entra.GROUP], "userName": "eve@example.com", "displayName": "Eve"}
        assert client.get(path).status_code == 404
        assert client("PUT", path, body).status_code == 404
        assert client.patch(path, {"op": "replace", "path": "displayName", "value": "Eve"}).status_code == 404
        assert client("DELETE", path).status_code == 404
    for endpoint, question in (
        ("/Users", 'userName eq "bob@example.com"'), ("/Users", 'externalId eq "x-1"'), ("/Users", f'id eq "{user}"'),
        ("/Users", "userName pr"), ("/Groups", 'displayName eq "Crew"'), ("/Groups", f'members eq "{user}"'),
    ):  # fmt: skip
        assert send(client, entra.search(endpoint, question)).json()["totalResults"] == 0
    own = client("POST", "/Groups", {"schemas": [entra.GROUP], "displayName": "Crew"})
    assert own.status_code == 201
    assert send(client, entra.add_members(own.json()["id"], user)).status_code == 400
    assert client.user("bob@example.com", externalId="x-1")["id"] != user
    assert [each["value"] for each in other.get(f"/Groups/{group}").json()["members"]] == [user]
    assert other.get(f"/Users/{user}").json()["userName"] == "bob@example.com"


def test_the_erased_and_those_who_are_no_employees_are_in_no_group(client, company):
    team = str(company.team("Crew"))
    anna, ben = company.join("Anna"), company.join("Ben")
    assert (
        send(client, entra.add_members(team, str(anna.learner_profile_id), str(ben.learner_profile_id))).status_code
        == 204
    )
    told = {"organization_id": company.organization_id, "at": clock.now()}
    erase_person(**told, learner_profile_id=anna.learner_profile_id)
    partner = uuid.uuid4()
    act(ContactJoined, **told, learner_profile_id=partner, door=Door.PARTNER, company="Else")
    for nobody in (str(anna.learner_profile_id), str(partner)):
        assert client.get(f"/Users/{nobody}").status_code == 404
        assert send(client, entra.add_members(team, nobody)).status_code == 400
        assert send(client, entra.remove_member(team, nobody)).status_code == 204
        assert send(client, entra.disable_plain(nobody)).status_code == 404
    members = client.get(f"/Groups/{team}").json()["members"]
    assert [each["value"] for each in members] == [str(ben.learner_profile_id)]
    assert client("DELETE", f"/Groups/{team}").status_code == 204
