"""Users: created, read, replaced, patched and removed; what they state becomes facts of the source."""

import uuid
from datetime import timedelta
from hashlib import sha256
from urllib.parse import quote

import pytest

from compliance.facts.ledger.models import Origin
from compliance.facts.people import employees
from compliance.facts.people.erasing import erase_person
from compliance.facts.people.models import Employment, PersonalDetail, PersonRoles, Suspension
from compliance.history import actions
from compliance.interfaces.api import clock
from compliance.provisioning.models import ProvisionedAddress, ProvisionedUser
from compliance.tenancy import context
from tests import verbs
from tests.companies import make_present_company
from tests.interfaces.api.conftest import Caller, issue_everything
from tests.interfaces.scim import entra
from tests.interfaces.scim.conftest import ENTERPRISE, USER
from tests.interfaces.scim.test_protocol import fault

INACTIVE = {"op": "Replace", "path": "active", "value": "False"}
ACTIVE = {"op": "replace", "value": {"active": True}}


def _known(company, user):
    with context.company(company.organization_id):
        return employees.recorded_last(company.organization_id, uuid.UUID(user["id"]))


def _stays(company, user):
    with context.company(company.organization_id):
        found = Employment.objects.filter(
            organization_id=company.organization_id, learner_profile_id=uuid.UUID(user["id"])
        )
        return list(found.order_by("joined_at", "left_at"))


def _count(company, model):
    with context.company(company.organization_id):
        return model.objects.filter(organization_id=company.organization_id).count()


def _path(user):
    return f"/Users/{user['id']}"


def test_a_user_is_an_employee_with_what_was_said(client, company):
    answer = client(
        "POST",
        "/Users",
        {
            "schemas": [USER, ENTERPRISE],
            "userName": "anna@example.com",
            "externalId": "e-1",
            "displayName": "Anna Smith",
            "active": True,
            "title": "Nurse",
            "emails": [{"value": "a.smith@example.com", "type": "work", "primary": True}],
            ENTERPRISE: {"department": "Ward 3"},
        },
    )
    made = answer.json()
    assert answer.status_code == 201, made
    assert answer["Location"] == made["meta"]["location"]
    assert answer["Location"].endswith(f"/scim/v2/Users/{made['id']}")
    assert answer["ETag"] == made["meta"]["version"]
    assert made["meta"]["created"] == made["meta"]["lastModified"]
    assert made[ENTERPRISE] == {"department": "Ward 3"}
    assert client.get(_path(made)).json() == made
    known = _known(company, made)
    assert known[1:5] == (False, "Anna Smith", "anna@example.com", "a.smith@example.com")
    assert known.person_id is not None
    with context.company(company.organization_id):
        origin = Origin.objects.get(organization_id=company.organization_id)
        kept = ProvisionedUser.objects.get(organization_id=company.organization_id)
    assert (origin.channel, origin.name) == ("source", "Entra")
    assert "Smith" not in str(kept.attributes)  # what a fact holds is not stored twice
    assert "smith" not in str(kept.attributes)


@pytest.mark.parametrize(
    "told, name",
    [
        ({"displayName": "Anna", "name": {"formatted": "A. Smith"}}, "Anna"),
        ({"name": {"formatted": "A. Smith", "givenName": "Anna"}}, "A. Smith"),
        ({"name": {"givenName": "Anna", "familyName": "Smith"}}, "Anna Smith"),
        ({"name": {"familyName": "Smith"}}, "Smith"),
        ({}, None),
    ],
)
def test_the_name_is_the_best_that_was_said(client, company, told, name):
    made = client.user(**told)
    assert _known(company, made).person_name == name
    assert {each: made[each] for each in told} == told


@pytest.mark.parametrize(
    "emails, work",
    [
        ([{"value": "a@h.example", "type": "home"}, {"value": "a@w.example", "type": "Work"}], "a@w.example"),
        ([{"value": "a@x.example"}, {"value": "b@x.example", "primary": True}], "b@x.example"),
        ([{"value": "a@h.example", "type": "home", "primary": True}], None),
        ([{"value": "no address", "type": "work"}, {"value": "a@x.example"}], "a@x.example"),
    ],
)
def test_the_work_address_is_found_among_the_emails(client, company, emails, work):
    made = client.user(emails=emails)
    assert _known(company, made).work_email == work
    assert [each["value"] for each in made["emails"]] == [each["value"] for each in emails]


def test_other_addresses_find_a_user_as_long_as_the_client_gives_them(client):
    def found(address):
        return client.get(f"/Users?filter=emails.value%20eq%20%22{address}%22").json()["totalResults"]

    made = client.user(
        emails=[{"value": "Anna@Home.example", "type": "home"}, {"value": "a@w.example", "type": "work"}]
    )
    assert [found("anna@home.EXAMPLE"), found("A@w.example"), found("anna@home")] == [1, 1, 0]
    client.patch(_path(made), {"op": "remove", "path": 'emails[type eq "home"]'})
    assert [found("anna@home.example"), found("a@w.example")] == [0, 1]


@pytest.mark.parametrize("address", ["ΑΣ@home.example", "İda@home.example", "ẞ@home.example", "ı@home.example"])
def test_a_user_is_found_by_an_address_with_letters_that_python_lowers_otherwise(client, address):
    client.user(emails=[{"value": address, "type": "home"}, {"value": address, "type": "other"}])
    for asked in (address, address.replace("home", "HOME")):
        wanted = f'emails.value eq "{asked}"'
        assert client.get(f"/Users?filter={quote(wanted)}").json()["totalResults"] == 1


def test_a_user_name_that_only_python_takes_for_the_old_one_is_refused_where_another_user_has_it(client):
    first, second = client.user("ΑΣ"), client.user("ας")  # two names to the database, which alone compares them
    rename = {"op": "replace", "path": "userName", "value": "ας"}
    fault(client.patch(_path(first), rename), 409, "uniqueness")
    assert client.patch(_path(second), rename).status_code == 200
    assert client.patch(_path(first), rename | {"value": "ασ"}).json()["userName"] == "ασ"


def test_an_address_too_long_for_any_index_is_refused(client):
    longest = "".join(sha256(bytes([n])).hexdigest() for n in range(5))
    assert client.user(emails=[{"value": longest, "type": "home"}])["emails"][0]["value"] == longest
    body = {"schemas": [USER], "userName": "b@example.com", "emails": [{"value": f"{longest}x", "type": "home"}]}
    fault(client("POST", "/Users", body), 400, "invalidValue")


def test_leaving_and_coming_back_is_a_new_stay_in_the_same_teams(client, company, settings):
    team_id = company.team("Ward 3")
    made = client.user(externalId="e-1")
    verbs.add_to_team(
        organization_id=company.organization_id, at=clock.now(), team_id=team_id,
        learner_profile_id=uuid.UUID(made["id"]),
    )  # fmt: skip
    address = f"{settings.BASE_URL}/scim/v2/Groups/{team_id}"
    teams = [{"value": str(team_id), "$ref": address, "display": "Ward 3", "type": "direct"}]
    assert client.get(_path(made)).json()["groups"] == teams
    assert client.patch(_path(made), INACTIVE).json()["active"] is False
    assert [each.left_at is None for each in _stays(company, made)] == [False]
    back = client.patch(_path(made), ACTIVE).json()
    assert back["active"] is True
    assert back["groups"] == teams
    assert [each.left_at is None for each in _stays(company, made)] == [False, True]


def test_a_source_may_mean_suspended_by_inactive(client_of, company):
    client = client_of(leaving="suspended")
    made = client.user()
    assert client.patch(_path(made), INACTIVE).json()["active"] is False
    assert client.patch(_path(made), INACTIVE).json()["active"] is False
    assert client.patch(_path(made), ACTIVE).json()["active"] is True
    assert [each.left_at for each in _stays(company, made)] == [None]
    assert _count(company, Suspension) == 2
    client.patch(_path(made), INACTIVE)
    assert client("DELETE", _path(made)).status_code == 204
    assert _stays(company, made)[0].left_at is not None


def test_whoever_is_made_inactive_has_a_stay_that_ends_as_it_begins(client, client_of, company):
    made = client.user(active=False)
    assert made["active"] is False
    (stay,) = _stays(company, made)
    assert stay.joined_at == stay.left_at
    assert client.patch(_path(made), ACTIVE).json()["active"] is True
    other = client_of("Okta", leaving="suspended").user("bob@example.com", active="false")
    assert other["active"] is False
    assert _stays(company, other)[0].left_at is None


def test_who_is_removed_has_left_and_comes_back_as_the_same(client, company):
    made = client.user(externalId="e-1", displayName="Anna", title="Nurse", emails=[{"value": "a@h.x", "type": "home"}])
    answer = client("DELETE", _path(made))
    assert (answer.status_code, answer.content) == (204, b"")
    for gone in (
        client.get(_path(made)),
        client("DELETE", _path(made)),
        client("PUT", _path(made), {"schemas": [USER], "userName": "anna@example.com"}),
        client.patch(_path(made), ACTIVE),
    ):
        fault(gone, 404)
    assert client.get("/Users").json()["totalResults"] == 0
    assert _known(company, made).person_name == "Anna"  # nobody is erased
    with context.company(company.organization_id):
        kept = ProvisionedUser.objects.get(organization_id=company.organization_id)
        addresses = ProvisionedAddress.objects.filter(organization_id=company.organization_id)
        assert not addresses.exists()
    assert (kept.external_id, kept.attributes) == ("e-1", None)
    again = client.user("ANNA@example.com")
    assert again["id"] == made["id"]
    assert "title" not in again
    assert [each.left_at is None for each in _stays(company, made)] == [False, True]
    client("DELETE", _path(again))
    assert client.user("other@example.com", externalId="e-1")["id"] != made["id"]  # the userName has none since
    assert client.user("anna@example.com")["id"] == made["id"]


def test_who_is_removed_comes_back_by_the_external_id(client):
    made = client.user(externalId="e-1")
    client("DELETE", _path(made))
    assert client.user("anna.married@example.com", externalId="e-1")["id"] == made["id"]


def test_an_address_that_was_given_to_somebody_else_goes_with_the_external_id(client):
    first, second = client.user("a@example.com", externalId="1"), client.user("b@example.com", externalId="2")
    client("DELETE", _path(first))
    client("DELETE", _path(second))
    back = client.user("a@example.com", externalId="2")
    assert back["id"] == second["id"]
    assert client.user("c@example.com", externalId="1")["id"] == first["id"]


@pytest.mark.parametrize("blank", ["", " "])
def test_a_blank_external_identifier_is_none_and_makes_nobody_somebody_else(client, blank):
    made = client.user("a@example.com", externalId=blank)
    assert "externalId" not in made
    client("DELETE", _path(made))
    other = client.user("b@example.com", externalId=blank)
    assert other["id"] != made["id"]
    third = client.user("c@example.com", externalId="3")
    answer = client.patch(_path(third), {"op": "replace", "path": "externalId", "value": blank})
    assert answer.status_code == 200
    assert "externalId" not in answer.json()


@pytest.mark.parametrize("name", ["ΝΙΚΟΣ", "ΝΙΚΟΣ@example.com", "İbrahim@example.com"])
def test_names_that_python_puts_in_another_lower_case_are_found(client, name):
    made = client.user(name)
    found = client.get(entra.find_user(name).path).json()["Resources"]
    assert [each["id"] for each in found] == [made["id"]]


def test_a_name_that_somebody_present_has_is_a_conflict(client, company):
    made = client.user(externalId="e-1")
    other = client.user("bob@example.com", externalId="e-2")
    company.join("Fred", account_email="fred@example.com")
    for told in ("Anna@Example.com", "FRED@example.com"):
        fault(client("POST", "/Users", {"schemas": [USER], "userName": told}), 409, "uniqueness")
        answer = client.patch(_path(other), {"op": "replace", "path": "userName", "value": told})
        fault(answer, 409, "uniqueness")
        fault(client("PUT", _path(other), {"schemas": [USER], "userName": told}), 409, "uniqueness")
    known = {"schemas": [USER], "userName": "new@example.com", "externalId": "e-1"}
    fault(client("POST", "/Users", known), 409, "uniqueness")
    assert client.get(_path(made)).json() == made
    assert client.get(_path(other)).json() == other


def test_two_people_to_whom_a_file_gave_one_address_can_be_changed(client, company):
    for name in ("Fred", "Gina"):
        company.join(name, account_email="desk@example.org")
    listed = client.get('/Users?filter=userName eq "desk@example.org"').json()["Resources"]
    assert len(listed) == 2
    for each in listed:
        assert client.patch(_path(each), {"op": "add", "path": "title", "value": "Desk"}).status_code == 200
        body = {"schemas": [USER], "userName": "Desk@example.org", "displayName": each["displayName"]}
        assert client("PUT", _path(each), body).status_code == 200


def test_two_sources_speak_of_one_person(client, client_of, company):
    other = client_of("Okta")
    made = client.user(externalId="e-1", displayName="Anna", title="Nurse")
    fault(other("POST", "/Users", {"schemas": [USER], "userName": "anna@example.com"}), 409, "uniqueness")
    (seen,) = other.get('/Users?filter=userName eq "anna@example.com"').json()["Resources"]
    assert seen["id"] == made["id"]
    assert seen["displayName"] == "Anna"
    assert not {"title", "externalId"} & set(seen)  # a source does not see what another has stated beyond the facts
    changes = {"displayName": "Anna Jones", "externalId": "o-1"}
    assert other.patch(_path(made), {"op": "replace", "value": changes}).json()["externalId"] == "o-1"
    now = client.get(_path(made)).json()
    assert (now["displayName"], now["title"], now["externalId"]) == ("Anna Jones", "Nurse", "e-1")
    assert now["meta"]["version"] != made["meta"]["version"]
    other("DELETE", _path(made))
    fault(other.get(_path(made)), 404)
    assert client.get(_path(made)).json()["active"] is False
    client.patch(_path(made), ACTIVE)
    assert other.get(_path(made)).json()["active"] is True  # a person who is employed again is visible again


def test_whoever_came_by_another_way_is_a_user_until_they_leave(client, company):
    fred = company.join("Fred")
    (seen,) = client.get("/Users").json()["Resources"]
    assert seen["userName"] == "fred@example.org"
    assert seen["displayName"] == "Fred"
    assert seen["active"] is True
    company.leave(fred, clock.now())
    fault(client.get(_path(seen)), 404)
    back = client.user("fred@example.org")
    assert back["id"] == seen["id"]
    assert back["active"] is True


def test_no_staff_practice_and_no_contact_is_a_user(client, company):
    company.join("Practice", staff_practice=True)
    verbs.join_contact(
        organization_id=company.organization_id, at=company.start, now=company.now, door="partner", company="Bolt",
        learner_profile_id=uuid.uuid4(),
        person_name="Paul", account_email="paul@example.org",
    )  # fmt: skip
    assert client.get("/Users").json()["totalResults"] == 0
    assert client.user("paul@example.org", displayName="Paul")["displayName"] == "Paul"
    assert client.get("/Users").json()["totalResults"] == 1
    fault(client("POST", "/Users", {"schemas": [USER], "userName": "practice@example.org"}), 409)


def test_who_was_erased_is_not_there_and_is_not_revived(client, company):
    made = client.user(externalId="e-1", displayName="Anna", title="Nurse", emails=[{"value": "a@h.x", "type": "home"}])
    erase_person(organization_id=company.organization_id, learner_profile_id=uuid.UUID(made["id"]), at=clock.now())
    fault(client.get(_path(made)), 404)
    fault(client.patch(_path(made), ACTIVE), 404)
    assert client.get("/Users").json()["totalResults"] == 0
    with context.company(company.organization_id):
        kept = ProvisionedUser.objects.get(organization_id=company.organization_id)
        addresses = ProvisionedAddress.objects.filter(organization_id=company.organization_id)
        assert [each.address for each in addresses] == [None]
    assert (kept.external_id, kept.user_name, kept.attributes) == (None, None, None)
    assert client.user(externalId="e-1")["id"] != made["id"]


def test_a_user_name_that_is_no_address_is_kept_and_is_no_fact(client, company):
    made = client.user("Corp\\anna", displayName="Anna")
    assert made["userName"] == "Corp\\anna"
    assert _known(company, made).account_email is None
    fault(client("POST", "/Users", {"schemas": [USER], "userName": "corp\\ANNA"}), 409, "uniqueness")
    assert client.get('/Users?filter=userName eq "CORP\\\\anna"').json()["totalResults"] == 1
    changed = client.patch(_path(made), {"op": "replace", "path": "userName", "value": "anna@example.com"}).json()
    assert changed["userName"] == "anna@example.com"
    assert _known(company, made).account_email == "anna@example.com"


def test_roles_that_courses_may_name_become_facts_and_all_are_answered(client, company):
    roles = [{"value": "first-aider", "primary": True}, {"value": "Ward Lead"}]
    made = client.user(roles=roles)
    assert made["roles"] == roles
    assert _known(company, made).role_ids == {"first-aider"}
    learner = uuid.UUID(made["id"])
    verbs.change_person(
        organization_id=company.organization_id, at=clock.now(), learner_profile_id=learner,
        role_ids=("driver", "first-aider"),
    )  # fmt: skip
    client.patch(_path(made), {"op": "add", "path": "roles", "value": [{"value": "warden"}]})
    assert _known(company, made).role_ids == {"driver", "first-aider", "warden"}
    client.patch(_path(made), {"op": "remove", "path": 'roles[value eq "first-aider"]'})
    assert _known(company, made).role_ids == {"driver", "warden"}
    assert client.patch(_path(made), {"op": "remove", "path": "roles"}).json().get("roles") is None
    assert _known(company, made).role_ids == {"driver"}  # roles from other sources stay
    client("DELETE", _path(made))
    client.user(roles=[{"value": "warden"}])
    assert _known(company, made).role_ids == {"driver", "warden"}
    facts = _count(company, PersonRoles)
    client.patch(_path(made), {"op": "replace", "path": "title", "value": "Nurse"})
    assert _count(company, PersonRoles) == facts


def test_a_put_says_all_of_it_and_a_repeated_one_records_nothing(client, company):
    made = client.user(displayName="Anna", title="Nurse", emails=[{"value": "a@w.example", "type": "work"}])
    body = {"schemas": [USER], "userName": "anna@example.com", "displayName": "Anna Jones", "active": True}
    replaced = client("PUT", _path(made), body)
    assert replaced.status_code == 200, replaced.content
    assert not {"title", "emails"} & set(replaced.json())
    assert replaced.json()["displayName"] == "Anna Jones"
    assert _known(company, made).work_email == "a@w.example"  # a fact stays when its value is no longer stated
    details = _count(company, PersonalDetail)
    again = client("PUT", _path(made), body)
    assert again.json() == replaced.json()
    assert again["ETag"] == replaced["ETag"]
    assert _count(company, PersonalDetail) == details


def test_what_others_have_changed_since_is_not_changed_back_by_a_patch_of_something_else(client, company):
    made = client.user(name={"givenName": "Anna", "familyName": "Smith"}, emails=[{"value": "a@w.x", "type": "work"}])
    verbs.change_person(
        organization_id=company.organization_id, at=clock.now(), learner_profile_id=uuid.UUID(made["id"]),
        person_name="Anna Jones", work_email="jones@w.x",
    )  # fmt: skip
    changed = client.patch(_path(made), {"op": "add", "path": "title", "value": "Nurse"}).json()
    assert changed["emails"] == [{"value": "jones@w.x", "type": "work"}]
    assert _known(company, made)[2:5] == ("Anna Jones", "anna@example.com", "jones@w.x")
    client("PUT", _path(made), {"schemas": [USER], "userName": "anna@example.com", "displayName": "Anna Smith"})
    assert _known(company, made).person_name == "Anna Smith"


@pytest.mark.parametrize("name", ["displayName", "active", "emails", "name", "title"])
def test_what_was_removed_is_absent_until_it_is_said_again(client, company, name):
    values = {
        "displayName": "Anna", "active": True, "emails": [{"value": "a@w.example", "type": "work"}],
        "name": {"givenName": "A"}, "title": "Nurse",
    }  # fmt: skip
    made = client.user(**values)
    without = client.patch(_path(made), {"op": "remove", "path": f"{USER}:{name}"}).json()
    assert name not in without
    assert name not in client.get(_path(made)).json()
    again = client.patch(_path(made), {"op": "add", "path": f"{USER}:{name}", "value": values[name]}).json()
    assert again[name] == values[name]
    assert _known(company, made).person_id is not None


def test_versions_hold_writers_apart(client):
    made = client.user()
    path, first = _path(made), made["meta"]["version"]
    title = {"op": "replace", "path": "title", "value": "Nurse"}
    changed = client.patch(path, title, HTTP_IF_MATCH=first)
    assert changed.status_code == 200
    assert changed["ETag"] != first
    fault(client.patch(path, title, HTTP_IF_MATCH=first), 412)
    body = {"schemas": [USER], "userName": "anna@example.com"}
    fault(client("PUT", path, body, HTTP_IF_MATCH=first), 412)
    fault(client("DELETE", path, HTTP_IF_MATCH=first), 412)
    fault(client.patch(path, title, HTTP_IF_NONE_MATCH="*"), 412)
    unchanged = client.get(path, HTTP_IF_NONE_MATCH=f'"x", {changed["ETag"]}')
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert unchanged["ETag"] == changed["ETag"]
    assert client.get(path, HTTP_IF_NONE_MATCH=first).status_code == 200
    assert client("PUT", path, body, HTTP_IF_MATCH="*").status_code == 200
    assert client("DELETE", path, HTTP_IF_MATCH=client.get(path)["ETag"]).status_code == 204


def test_a_team_that_gets_another_name_changes_the_versions_of_its_members(client, company):
    team_id = company.team("Ward 3")
    made, other = client.user(), client.user("bob@example.com")
    verbs.add_to_team(
        organization_id=company.organization_id, at=clock.now(), team_id=team_id,
        learner_profile_id=uuid.UUID(made["id"]),
    )  # fmt: skip
    before, others = client.get(_path(made))["ETag"], client.get(_path(other))["ETag"]
    client.patch(f"/Groups/{team_id}", {"op": "replace", "path": "displayName", "value": "Ward 4"})
    after = client.get(_path(made), HTTP_IF_NONE_MATCH=before)
    assert after.status_code == 200
    assert [each["display"] for each in after.json()["groups"]] == ["Ward 4"]
    assert client.get(_path(other), HTTP_IF_NONE_MATCH=others).status_code == 304


def test_facts_come_after_those_of_a_clock_that_runs_ahead(client, company):
    ahead = clock.now() + timedelta(minutes=4)
    fred = verbs.join_employee(
        organization_id=company.organization_id, at=ahead, now=clock.now(), person_name="Fred",
        account_email="fred@example.org",
    )  # fmt: skip
    path = f"/Users/{fred[1]}"
    assert client.get(path).json()["active"] is True
    assert client.patch(path, {"op": "replace", "path": "displayName", "value": "Frederick"}).status_code == 200
    assert client.get(path).json()["displayName"] == "Frederick"
    assert client.patch(path, INACTIVE).json()["active"] is False
    (stay,) = _stays(company, {"id": str(fred[1])})
    assert stay.left_at > stay.joined_at == ahead
    assert client.patch(path, ACTIVE).json()["active"] is True


def test_a_company_sees_its_own_users_alone(client, client_of):
    other = make_present_company("Bolt")
    elsewhere = client_of("Elsewhere", organization_id=other.organization_id)
    made = client.user()
    fault(elsewhere.get(_path(made)), 404)
    assert elsewhere.get("/Users").json()["totalResults"] == 0
    assert elsewhere.get('/Users?filter=userName eq "anna@example.com"').json()["totalResults"] == 0
    fault(elsewhere.patch(_path(made), ACTIVE), 404)
    assert elsewhere.user()["id"] != made["id"]


@pytest.mark.parametrize("identifier", ["1", "x" * 5000, "00000000-0000-4000-8000-000000000000", "%00", "..%2F"])
def test_an_identifier_that_is_nobodys_is_404(client, identifier):
    for method in ("GET", "DELETE"):
        fault(client(method, f"/Users/{identifier}"), 404)


def test_people_of_v1_follow_at_the_next_capture(client, company, django_capture_on_commit_callbacks):
    reader = Caller(issue_everything(company.organization_id, company.now))

    def states(user):
        actions.capture_all(company.organization_id, clock.now())
        period = f"from={(clock.now() - timedelta(days=2)).date()}&to={(clock.now() + timedelta(days=2)).date()}"
        rows = reader.pull(f"/v1/people?{period}")
        return sorted(each["access_state"] for each in rows if each["learner_profile_id"] == user["id"])

    with django_capture_on_commit_callbacks() as asked:
        made = client.user(displayName="Anna")
    assert asked  # a capture is requested as soon as the user is there
    assert states(made) == ["active"]
    with django_capture_on_commit_callbacks() as asked:
        client.patch(_path(made), INACTIVE)
    assert asked
    assert states(made) == ["ended"]
    client.patch(_path(made), ACTIVE)
    assert states(made) == ["active", "ended"]
