"""Whatever is sent, the answer is SCIM's: the server never fails, and each error names the fault.

`SCIM_HOSTILE=2000` sends as many random requests of each kind; the suite sends fewer, the same in every run.
"""

import json
import os
import uuid
from itertools import product
from random import Random
from urllib.parse import quote

import pytest
from scim2_models import Error

from tests.interfaces.scim import entra

TIMES = int(os.environ.get("SCIM_HOSTILE", "25"))
HUGE = 10**400
NAMES = [
    "schemas",
    "id",
    "externalId",
    "userName",
    "name",
    "name.givenName",
    "displayName",
    "emails",
    "active",
    "members",
    "groups",
    "roles",
    "manager",
    "meta",
    "meta.version",
    "password",
    "$ref",
    "value",
    "type",
    "primary",
    "x" * 300,
    "",
    entra.ENTERPRISE,
    f"{entra.ENTERPRISE}:manager",
    f"{entra.USER}:userName",
    "urn:",
    "URN:IETF",
    "ключ",
    "a b",
    "__proto__",
]
PATHS = [
    "userName",
    "emails",
    'emails[type eq "work"].value',
    "emails[",
    "emails[]",
    "emails[type eq work]",
    "emails.value",
    'emails[type eq "work" and not (primary pr)].display',
    "members",
    'members[value eq "{id}"]',
    "members[value eq 7]",
    'members[value co "a"]',
    'members[display eq "x"]',
    "members.value",
    'members.value eq "{id}"',
    "[",
    "]",
    "..",
    "a.b.c",
    "name.",
    ".name",
    "id",
    "meta.created",
    "schemas",
    "groups",
    "active",
    entra.ENTERPRISE,
    f"{entra.ENTERPRISE}:manager",
    f"{entra.ENTERPRISE}:manager.value",
    f'{entra.USER}:emails[type eq "work"]',
    entra.USER,
    "urn:nobody:knows",
    "\x00",
    "é",
    "a" * 5000,
    "members[" * 50,
    'emails[value eq "\\ud800"]',
    "displayName",
    "externalId",
]
FILTERS = [
    "",
    " ",
    "userName",
    "userName eq",
    'userName eq "',
    'userName eq "x" and',
    "userName eq x",
    'userName xx "x"',
    "(",
    "((((",
    "not",
    "not (",
    "pr",
    "userName pr pr",
    'userName eq "x" or or userName eq "y"',
    'nobody eq "x"',
    "active eq 7",
    "active gt true",
    'meta.created gt "yesterday"',
    "meta.created gt 7",
    'emails[type eq "work"',
    'emails[type eq "work"]] pr',
    'emails[emails[type eq "x"]]',
    "members eq 7",
    "id eq null",
    'id eq "\\u0000"',
    'id eq "\x00"',
    "userName eq " + "9" * 5000,
    'userName eq "\\ud800"',
    "(" * 500 + 'userName eq "x"' + ")" * 500,
    " or ".join(['userName eq "x"'] * 300),
    'userName co ""',
    'userName eq "%_\\\\"',
    "userName eq '; DROP TABLE people_profile; --'",
    'urn:x:y eq "z"',
    'userName eq "\ud83d\ude00"',
    "é eq 1",
    'groups.value eq "x"',
    'members[value eq "x"] and displayName pr',
    "not (members pr)",
    'schemas eq "x"',
    'userName.x eq "y"',
    "name.givenName gt 5",
    'emails.primary eq "true"',
    "emails.primary gt true",
    "externalId eq 1e999",
    "externalId eq -0",
    "manager eq true",
    'meta.created sw "2020"',
    "userName sw 7",
    'groups.$ref eq "x"',
    'groups[$ref gt "x"]',
]
QUERIES = [
    "startIndex=0",
    "startIndex=-5",
    "startIndex=x",
    "count=-1",
    "count=x",
    "count=99999999999999999999",
    "startIndex=9" * 9,
    "startIndex=1e3",
    "sortBy=nobody",
    'sortBy=emails[type eq "x"]',
    "sortOrder=sideways",
    "attributes=",
    "attributes=,,,",
    "attributes=nobody",
    "attributes=userName&excludedAttributes=id",
    "excludedAttributes=[",
    "attributes=urn:x:y",
    "filter=%ff%fe",
    "filter=%00",
    "cursor=x",
    "&&&===",
    "attributes=" + "a," * 3000,
    "startIndex=9223372036854775808&count=1",
    "a&" * 1001,
]
BODIES = [
    b"",
    b"{",
    b"[]",
    b"7",
    b"null",
    b'"x"',
    b"\xff\xfe{}",
    b"{}" * 2,
    b'{"a":NaN}',
    b'{"a":1e999}',
    b"[" * 20_000,
    b'{"a":' * 5000,
    b'{"userName":"a","userName":"b","schemas":[]}',
    b'{"schemas":[]}',
    b'{"schemas":"x"}',
    b'{"schemas":[7]}',
    b'{"schemas":["urn:nobody:knows"],"userName":"x","displayName":"x"}',
    b'{"userName":"\\ud800"}',
    b'{"userName":"\\u0000"}',
    b'{"' + b"x" * 100_000 + b'":1}',
    b'{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}',
    b'{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":{}}',
    b'{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[]}',
    b'{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[7,null,"x",{}]}',
]


def sound(answer, what):
    """Checks that an answer is no server error, and that an error is SCIM's and has a message."""
    assert answer.status_code < 500 or answer.status_code == 501, (what, answer.content[:500])
    if answer.status_code >= 400:
        assert answer["Content-Type"] == "application/scim+json", what
        error = Error.model_validate(json.loads(answer.content))
        assert error.status == answer.status_code
        assert error.detail, what
        assert "Traceback" not in error.detail
    return answer


@pytest.fixture(autouse=True)
def without_limits(settings):
    """These tests make more calls than a caller may."""
    for name in ("SOURCE", "COMPANY", "ADDRESS"):
        setattr(settings, f"RATE_LIMIT_{name}_PER_MINUTE", 10**6)


@pytest.fixture
def known(client):
    """An existing user and group, by their addresses."""
    user = client.user()
    group = client(
        "POST", "/Groups", {"schemas": [entra.GROUP], "displayName": "Crew", "members": [{"value": user["id"]}]}
    )
    return user["id"], group.json()["id"]


def test_filters_of_any_kind(client, known):
    for endpoint, text in product(("/Users", "/Groups"), FILTERS):
        sound(client.get(f"{endpoint}?filter={quote(text.encode('utf-8', 'surrogatepass'))}"), text)
        body = {"schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], "filter": text}
        sound(client("POST", f"{endpoint}/.search", body), text)


def test_parameters_of_any_kind(client, known):
    for endpoint, identifier in zip(("/Users", "/Groups"), known, strict=True):
        for query in QUERIES:
            sound(client.get(f"{endpoint}?{query}"), query)
            sound(client.get(f"{endpoint}/{identifier}?{query}"), query)


def test_bodies_of_any_kind(client, known):
    for endpoint, identifier in zip(("/Users", "/Groups"), known, strict=True):
        one = f"{endpoint}/{identifier}"
        for body in BODIES:
            for method, path in (("POST", endpoint), ("PUT", one), ("PATCH", one), ("POST", f"{endpoint}/.search")):
                sound(client(method, path, body), (method, body[:60]))


def test_identifiers_of_any_kind(client, known):
    body = {"schemas": [entra.USER], "userName": "x", "displayName": "x"}
    for identifier in ("x", "0", "%00", "..", "%2e%2e", "a" * 5000, f"{{{known[0]}}}", "é"):
        for endpoint in ("/Users", "/Groups"):
            for method in ("GET", "PUT", "PATCH", "DELETE"):
                answer = sound(client(method, f"{endpoint}/{identifier}", body), identifier)
                assert answer.status_code in (400, 404)


def test_documents_at_random(client, known):
    chance = Random(7643)
    for _ in range(TIMES):
        kind, endpoint = chance.choice([(entra.USER, "/Users"), (entra.GROUP, "/Groups")])
        body = {"schemas": [kind], "userName": f"u{chance.random()}@example.org", "displayName": f"d{chance.random()}"}
        for _ in range(chance.randint(1, 4)):
            body[chance.choice(NAMES)] = _value(chance, known, 0)
        sound(client("POST", endpoint, body), body)
        sound(client("PUT", f"{endpoint}/{known[endpoint == '/Groups']}", body), body)


def test_operations_at_random(client, known):
    chance = Random(7644)
    for _ in range(TIMES * 2):
        operations = []
        for _ in range(chance.randint(1, 3)):
            operation = {"op": chance.choice(["add", "Remove", "replace", "REPLACE", "move", "", 7, None])}
            if chance.random() < 0.8:
                path = chance.choice(PATHS)
                operation["path"] = (
                    path.replace("{id}", known[0]) if chance.random() < 0.97 else _value(chance, known, 0)
                )
            if chance.random() < 0.9:
                operation["value"] = _value(chance, known, 0)
            operations.append(operation)
        endpoint = chance.choice(["/Users", "/Groups"])
        sound(client.patch(f"{endpoint}/{known[endpoint == '/Groups']}", *operations), operations)
    for path in (f"/Users/{known[0]}", f"/Groups/{known[1]}", "/Users", "/Groups"):
        assert sound(client.get(path), path).status_code in (200, 404)


def test_many_members_twice(client, known):
    members = [{"value": known[0]}] * 3000 + [{"value": str(uuid.uuid4())}]
    operation = {"op": "add", "path": "members", "value": members}
    assert sound(client.patch(f"/Groups/{known[1]}", operation), "many").status_code == 400
    operation["value"] = members[:3000]
    assert client.patch(f"/Groups/{known[1]}", operation).status_code == 204
    assert len(client.get(f"/Groups/{known[1]}").json()["members"]) == 1


def test_a_body_that_is_too_large_is_refused(client, known):
    body = {"schemas": [entra.USER], "userName": "x", "nickName": "x" * (1 << 20)}
    assert sound(client("POST", "/Users", body), "large").status_code == 413


def _value(chance, known, depth):
    """Any value of JSON, often one that nearly fits."""
    pick = chance.randrange(14 if depth < 3 else 9)
    if pick < 9:
        return [
            None,
            True,
            "False",
            chance.randrange(-5, 5),
            HUGE,
            1.5,
            chance.choice(PATHS),
            chance.choice(known),
            "text " * chance.randrange(200),
        ][pick]
    if pick < 11:
        return [_value(chance, known, depth + 1) for _ in range(chance.randrange(4))]
    if pick == 11:
        return [
            {"value": _value(chance, known, 3), "type": chance.choice(["work", "User", "Group", 7]), "primary": True}
        ]
    return {chance.choice(NAMES): _value(chance, known, depth + 1) for _ in range(chance.randrange(4))}
