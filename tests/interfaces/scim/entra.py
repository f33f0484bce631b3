"""The requests of Microsoft Entra ID, as its documentation for SCIM endpoints describes them.

With the flag `aadOptscim062020` in the tenant address it sends other shapes than without; both are here, the latter as
`plain`. Every shape differs in some way from a strict reading of RFC 7644.
"""

import uuid
from typing import Any, NamedTuple
from urllib.parse import quote

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
OLD_GROUP = "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"


class Request(NamedTuple):
    """One request: the address below `/scim/v2`, and what it carries."""

    method: str
    path: str
    body: Any = None


def search(endpoint: str, question: str, more: str = "") -> Request:
    """A GET with a filter; `more` are further parameters."""
    return Request("GET", f"{endpoint}?filter={quote(question)}{more}")


def patch(path: str, *operations: dict[str, Any]) -> Request:
    """A PATCH of that many operations, in one request."""
    return Request("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)})


def test_connection() -> Request:
    """The button *Test connection*: searches somebody who cannot exist, and expects an empty list and no error."""
    return search("/Users", f'userName eq "{uuid.uuid4()}"')


def find_user(user_name: str) -> Request:
    return search("/Users", f'userName eq "{user_name}"')


def find_user_by(attribute: str, value: str) -> Request:
    """A search by the attribute that is chosen for matching: `externalId`, or `emails[type eq "work"].value`."""
    return search("/Users", f'{attribute} eq "{value}"')


def create_user(name: str, **more: Any) -> Request:
    given, _, family = name.partition(" ")
    address = f"{name.lower().replace(' ', '.')}@contoso.example"
    body = {
        "schemas": [USER, ENTERPRISE],
        "externalId": name.lower().replace(" ", ""),
        "userName": address,
        "active": True,
        "displayName": name,
        "emails": [{"primary": True, "type": "work", "value": address}],
        "meta": {"resourceType": "User"},
        "name": {"formatted": name, "familyName": family, "givenName": given},
        "roles": [],
        "title": "Buyer",
        ENTERPRISE: {"department": "Purchasing", "employeeNumber": f"E-{abs(hash(name)) % 10000}"},
    }
    return Request("POST", "/Users", body | more)


def get_user(user_id: str) -> Request:
    return Request("GET", f"/Users/{user_id}")


def disable_plain(user_id: str) -> Request:
    """Somebody is unassigned or soft-deleted: a capitalised operation and a word in place of a boolean."""
    return patch(f"/Users/{user_id}", {"op": "Replace", "path": "active", "value": "False"})


def enable_plain(user_id: str) -> Request:
    return patch(f"/Users/{user_id}", {"op": "Replace", "path": "active", "value": "True"})


def disable(user_id: str) -> Request:
    return patch(f"/Users/{user_id}", {"op": "replace", "path": "active", "value": False})


def change_plain(user_id: str) -> Request:
    """One operation per attribute."""
    return patch(
        f"/Users/{user_id}",
        {"op": "Replace", "path": "displayName", "value": "Ines Ferreira Lima"},
        {"op": "Replace", "path": 'emails[type eq "work"].value', "value": "ines.lima@contoso.example"},
        {"op": "Replace", "path": "name.familyName", "value": "Lima"},
        {"op": "Replace", "path": "externalId", "value": "ineslima"},
        {"op": "Replace", "path": f"{ENTERPRISE}:employeeNumber", "value": "E-7"},
    )


def change(user_id: str) -> Request:
    """Single-valued attributes in one operation without a path; parts of complex ones have a dot in their name."""
    return patch(
        f"/Users/{user_id}",
        {"op": "replace", "path": 'emails[type eq "work"].value', "value": "ines.lima@contoso.example"},
        {
            "op": "replace",
            "value": {
                "displayName": "Ines Ferreira Lima",
                "name.givenName": "Ines",
                "name.familyName": "Lima",
                f"{ENTERPRISE}:employeeNumber": "E-7",
            },
        },
    )


def add_what_is_missing(user_id: str) -> Request:
    """Adds below a filter that matches nothing yet: expects that the address is there afterwards, with its type."""
    return patch(
        f"/Users/{user_id}",
        {"op": "Add", "path": 'emails[type eq "work"].value', "value": "ines@contoso.example"},
        {"op": "Add", "path": 'phoneNumbers[type eq "mobile"].value', "value": "55555555555"},
        {"op": "Add", "path": 'addresses[type eq "work"].postalCode', "value": "1000-205"},
        {"op": "Add", "path": "nickName", "value": "Nes"},
        {"op": "Add", "path": "name.givenName", "value": "Ines"},
        {"op": "Add", "path": f"{ENTERPRISE}:department", "value": "Quality"},
    )


def set_manager(user_id: str, manager_id: str) -> Request:
    """The manager as a bare identifier, though the schema has a complex attribute there."""
    return patch(f"/Users/{user_id}", {"op": "Add", "path": f"{ENTERPRISE}:manager", "value": manager_id})


def remove_manager(user_id: str) -> Request:
    return patch(f"/Users/{user_id}", {"op": "Remove", "path": f"{ENTERPRISE}:manager"})


def has_manager(user_id: str, manager_id: str) -> Request:
    """Asks with a filter whether a reference has a value."""
    question = f'id eq "{user_id}" and {ENTERPRISE}:manager eq "{manager_id}"'
    return search("/Users", question, "&attributes=id")


def delete_user(user_id: str) -> Request:
    """Thirty days after the soft deletion, or at once when somebody deletes permanently."""
    return Request("DELETE", f"/Users/{user_id}")


def find_group(name: str) -> Request:
    return search("/Groups", f'displayName eq "{name}"', "&excludedAttributes=members")


def create_group(name: str) -> Request:
    """Always without members, and with a schema that is not part of SCIM."""
    body = {
        "schemas": [GROUP, OLD_GROUP],
        "externalId": str(uuid.uuid5(uuid.NAMESPACE_OID, name)),
        "displayName": name,
        "meta": {"resourceType": "Group"},
    }
    return Request("POST", "/Groups", body)


def get_group(group_id: str) -> Request:
    return Request("GET", f"/Groups/{group_id}?excludedAttributes=members")


def rename_group(group_id: str, name: str) -> Request:
    return patch(f"/Groups/{group_id}", {"op": "Replace", "path": "displayName", "value": name})


def add_members(group_id: str, *user_ids: str) -> Request:
    members = [{"$ref": None, "value": user_id} for user_id in user_ids]
    return patch(f"/Groups/{group_id}", {"op": "Add", "path": "members", "value": members})


def remove_members_plain(group_id: str, *user_ids: str) -> Request:
    """The members to remove are in the value: read strictly, the path alone would remove everybody."""
    members = [{"$ref": None, "value": user_id} for user_id in user_ids]
    return patch(f"/Groups/{group_id}", {"op": "Remove", "path": "members", "value": members})


def remove_member(group_id: str, user_id: str) -> Request:
    return patch(f"/Groups/{group_id}", {"op": "remove", "path": f'members[value eq "{user_id}"]'})


def has_member(group_id: str, user_id: str) -> Request:
    return search("/Groups", f'id eq "{group_id}" and members eq "{user_id}"', "&attributes=id")


def delete_group(group_id: str) -> Request:
    return Request("DELETE", f"/Groups/{group_id}")
