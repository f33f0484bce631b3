"""Bodies of requests: whatever is sent, the answer is SCIM's and names the fault, and nothing is recorded."""

import json

import pytest

from compliance.facts.people.models import Profile
from compliance.tenancy import context
from tests.interfaces.scim.conftest import ENTERPRISE, PATCH, USER
from tests.interfaces.scim.test_protocol import fault

USER_SENT = {"schemas": [USER], "userName": "anna@example.com"}


def _people(company):
    with context.company(company.organization_id):
        return Profile.objects.filter(organization_id=company.organization_id).count()


@pytest.mark.parametrize(
    "body",
    [
        b" ",
        b"{",
        b"[]",
        b'"text"',
        b"null",
        b'{"schemas": ["\xff"]}',
        b'{"userName": NaN}',
        json.dumps({**USER_SENT, "title": "a\x00b"}).encode(),
        json.dumps({**USER_SENT, "title": "\ud800"}).encode(),
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
        b"[" * 200_000,
    ],
)
def test_what_is_no_json_object_is_refused(client, company, body):
    fault(client("POST", "/Users", body), 400, "invalidSyntax")
    assert _people(company) == 0


@pytest.mark.parametrize(
    "told",
    [
        {"userName": ""},
        {"userName": " anna"},
        {"userName": "a\nb"},
        {"userName": "a" * 321},
        {"userName": 7},
        {"userName": None},
        {"active": "perhaps"},
        {"displayName": "a\nb"},
        {"displayName": "a" * 301},
        {"name": "Anna"},
        {"emails": "anna@example.com"},
        {"emails": [{"value": {"a": 1}}]},
        {"emails": [{"value": "a@b.c", "primary": True}, {"value": "b@b.c", "primary": True}]},
        {"externalId": "x" * 321},
        {"title": "x" * 40_000},
    ],
)
def test_a_value_that_does_not_fit_is_refused(client, company, told):
    fault(client("POST", "/Users", USER_SENT | told), 400, "invalidValue")
    assert _people(company) == 0


def test_a_body_is_at_most_a_mebibyte_of_json(client):
    fault(client("POST", "/Users", json.dumps(USER_SENT | {"x": "a" * (1 << 20)}).encode()), 413)
    for wrong in ("text/plain", "application/x-www-form-urlencoded", ""):
        fault(client("POST", "/Users", USER_SENT, CONTENT_TYPE=wrong), 415)
    fault(client("POST", "/Users", USER_SENT, HTTP_CONTENT_ENCODING="gzip"), 415)
    for right in ("application/json", "application/scim+json; charset=utf-8", "APPLICATION/SCIM+JSON"):
        answer = client("POST", "/Users", USER_SENT | {"userName": right[:8]}, CONTENT_TYPE=right)
        assert answer.status_code in (201, 409)


@pytest.mark.parametrize("status", [400, 408, 413, 503])
def test_a_body_that_the_server_did_not_take_is_a_fault_of_scim(client, status):
    fault(client("POST", "/Users", USER_SENT, **{"compliance.body_refused": status}), status)


def test_a_body_of_another_schema_is_refused(client):
    other = {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "userName": "anna@example.com"}
    fault(client("POST", "/Users", other), 400, "invalidSyntax")


def test_what_is_not_known_is_passed_over(client):
    made = client.user(
        password="secret", favouriteColour="red", groups=[{"value": "x"}], id="mine", meta={"version": "3"},
        **{"urn:example:Extension": {"a": 1}, ENTERPRISE: {"department": "Ward 3", "shoeSize": 40}},
    )  # fmt: skip
    assert set(made) == {"schemas", "id", "meta", "userName", "active", ENTERPRISE}
    assert made["schemas"] == [USER, ENTERPRISE]
    assert made["id"] != "mine"


@pytest.mark.parametrize(
    "operation, scim_type",
    [
        ({"op": "move", "path": "title", "value": "x"}, "invalidValue"),
        ({"op": "add", "path": "title"}, "invalidValue"),
        ({"op": "remove"}, "noTarget"),
        ({"op": "replace", "path": "emails[type eq", "value": "x"}, "invalidPath"),
        ({"op": "replace", "path": "id", "value": "x"}, "mutability"),
        ({"op": "replace", "path": "groups", "value": []}, "mutability"),
        ({"op": "remove", "path": "userName"}, "mutability"),
        ({"op": "replace", "path": "userName", "value": ""}, "invalidValue"),
        ({"op": "replace", "path": "active", "value": "perhaps"}, "invalidValue"),
        ({"op": "replace", "value": "x"}, "invalidValue"),
        ({"op": "replace", "path": "title", "value": 5}, "invalidValue"),
        ({"op": "replace", "path": 'emails[type ne "work"].value', "value": "x"}, "noTarget"),
    ],
)
def test_an_operation_that_cannot_be_done_changes_nothing(client, operation, scim_type):
    made = client.user()
    first = {"op": "replace", "path": "title", "value": "Nurse"}
    error = fault(client.patch(f"/Users/{made['id']}", first, operation), 400, scim_type)
    assert "\n" not in error.detail
    assert "pydantic" not in error.detail
    assert client.get(f"/Users/{made['id']}").json() == made


@pytest.mark.parametrize(
    "operations, scim_type",
    [
        ([{"op": "add", "path": "title", "value": "x"}] * 61, "invalidValue"),
        ([{"op": "add", "path": "emails", "value": [{"value": f"{n}@x.example"} for n in range(51)]}], "invalidValue"),
        ([{"op": "add", "value": {"emails": [{"value": f"{n}@x.example"} for n in range(51)]}}], "invalidValue"),
        ([{"op": "remove", "path": "emails[" + "(" * 21 + "value pr" + ")" * 21 + "]"}], "invalidPath"),
        ([{"op": "remove", "path": "emails[" + " or ".join(['value eq "1"'] * 400) + "]"}], "invalidPath"),
    ],
)
def test_a_patch_is_bounded_before_others_wait_for_it(client, operations, scim_type):
    path = f"/Users/{client.user()['id']}"
    fault(client.patch(path, *operations), 400, scim_type)
    many = [{"value": f"{n}@x.example"} for n in range(51)]
    fault(client("PUT", path, USER_SENT | {"emails": many}), 400, "invalidValue")
    assert client("PUT", path, USER_SENT | {"emails": many[1:]}).status_code == 200


def test_a_patch_of_nothing_is_refused(client):
    path = f"/Users/{client.user()['id']}"
    fault(client("PATCH", path, {"schemas": [PATCH], "Operations": []}), 400, "invalidValue")
    fault(client("PATCH", path, {"schemas": [PATCH]}), 400, "invalidValue")
    fault(client("PATCH", path, {"schemas": [USER], "Operations": [{"op": "add"}]}), 400, "invalidValue")
