"""Any filter finds in the database what scim2-models finds in the answered resources."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scim2_models import ScimFilter

from compliance.provisioning.resources import POLICY, Employee
from tests.companies import Company
from tests.interfaces.scim.conftest import ENTERPRISE, USER, ScimClient, client_of, company

__all__ = ["client_of", "company"]

USERS: tuple[dict[str, Any], ...] = (
    {"userName": "anna@example.com", "displayName": "Anna", "active": True, "title": "Nurse", "externalId": "A1"},
    {"userName": "Bob", "active": False, "name": {"givenName": "Bob", "familyName": "Ähre"}, "externalId": "a1"},
    {
        "userName": "cleo@example.com",
        "displayName": "cleo % _",
        "emails": [
            {"value": "C.leo@example.com", "type": "work", "primary": True},
            {"value": "cleo@home.example", "type": "home", "primary": False},
        ],
        ENTERPRISE: {"department": "Ward 3", "manager": {"value": "anna"}},
    },
    {
        "userName": "dora",
        "emails": [{"value": "no address", "type": "work"}, {"value": "dora@home.example"}],
        "phoneNumbers": [{"value": "+44 1", "type": "mobile"}, {"value": "+44 2", "type": "work", "primary": True}],
        "roles": [{"value": "first-aider"}, {"value": "Ward Lead"}],
        ENTERPRISE: {"department": "ward 3"},
    },
    {"userName": "emil@example.com", "title": "", "nickName": "ẞ", "addresses": [{"locality": "Łódź"}]},
)
TEXTS = (
    "id", "externalId", "userName", "displayName", "title", "nickName", "name.givenName", "name.familyName", "emails",
    "emails.value", "emails.type", "phoneNumbers.value", "roles.value", "addresses.locality", "groups.display",
    "schemas", "meta.resourceType", f"{USER}:userName", f"{ENTERPRISE}:department", f"{ENTERPRISE}:manager.value",
)  # fmt: skip
VALUES = (
    "anna@example.com", "ANNA@EXAMPLE.COM", "Bob", "bob", "A1", "a1", "Nurse", "nurse", "c.leo@example.com", "ward 3",
    "Ward 3", "work", "home", "+44 2", "first-aider", "", "%", "_", "ähre", "cleo % _", "example", "no address", "User",
    "Team", "anna", "łódź", ENTERPRISE, "ß", "dora@home.example", "'; --", "\\",
)  # fmt: skip
BOOLEANS = ("active", "emails.primary", "phoneNumbers.primary")
WHOLE = (*TEXTS, *BOOLEANS, "name", "addresses", "groups", "roles", "phoneNumbers", ENTERPRISE + ":manager")

_texts = st.builds(
    lambda path, sign, value: f"{path} {sign} {json.dumps(value)}",
    st.sampled_from(TEXTS), st.sampled_from(("eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le", "EQ")),
    st.sampled_from(VALUES),
)  # fmt: skip
_booleans = st.builds(
    "{} {} {}".format, st.sampled_from(BOOLEANS), st.sampled_from(("eq", "ne")), st.sampled_from(("true", "false"))
)
_nulls = st.builds("{} {} null".format, st.sampled_from((*TEXTS, *BOOLEANS)), st.sampled_from(("eq", "ne")))
_present = st.builds("{} pr".format, st.sampled_from(WHOLE))
_inner = st.one_of(
    st.builds('value {} "{}"'.format, st.sampled_from(("eq", "ne", "co", "sw")), st.sampled_from(VALUES[:-1])),
    st.builds('type {} "{}"'.format, st.sampled_from(("eq", "ne")), st.sampled_from(("work", "Home", "mobile"))),
    st.builds("{} pr".format, st.sampled_from(("primary", "type", "value", "display"))),
    st.sampled_from(("primary eq true", "primary ne false", "not (primary eq true)", "type eq null")),
)
_paths = st.builds(
    "{}[{} {} {}]".format, st.sampled_from(("emails", "phoneNumbers")), _inner, st.sampled_from(("and", "or")), _inner
)
_terms = st.one_of(_texts, _texts, _booleans, _nulls, _present, _paths)
FILTERS = st.recursive(
    _terms,
    lambda inner: st.one_of(
        st.builds("{} and {}".format, inner, inner),
        st.builds("{} or {}".format, inner, inner),
        st.builds("not ({})".format, inner),
        st.builds("({})".format, inner),
    ),
    max_leaves=5,
)


@pytest.fixture
def filled(company: Company, client_of: Callable[..., ScimClient]) -> ScimClient:
    client = client_of()
    for told in USERS:
        client.user(**{"user_name" if name == "userName" else name: value for name, value in told.items()})
    team_id = company.team("Team")
    company.join("Fred", team_ids=(team_id,))
    company.join("Gina", account_email=None)
    return client


def test_any_filter_finds_what_it_says(filled):
    everybody = [Employee.model_validate(each) for each in filled.get("/Users").json()["Resources"]]
    assert len(everybody) == len(USERS) + 2
    tried = set()

    @settings(max_examples=150)
    @given(FILTERS)
    def find(wanted: str) -> None:
        try:
            with POLICY:
                bound = ScimFilter[Employee](wanted)
                expected = {each.id for each in everybody if bound.match(each)}
        except Exception:  # noqa: BLE001 - an operator that the attribute cannot take: the answer is 400
            expected = None
        answer = filled.get(f"/Users?filter={quote(wanted)}&attributes=id")
        if expected is None:
            assert answer.json()["scimType"] == "invalidFilter", (wanted, answer.content)
        else:
            assert answer.status_code == 200, (wanted, answer.content)
            assert {each["id"] for each in answer.json()["Resources"]} == expected, wanted
            tried.add(frozenset(expected))

    find()
    assert len(tried) > 5  # the filters tell people apart
