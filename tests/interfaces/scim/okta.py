"""What Okta sends, request by request, as its SCIM 2.0 protocol reference describes it.

Integrations made with the App Integration Wizard change users and groups by PUT, those of the catalogue by PATCH.
"""

from typing import Any

from tests.interfaces.scim.entra import GROUP, USER, Request, patch, search


def test_credentials() -> list[Request]:
    """The button *Test API Credentials*, and what saving asks when groups are imported."""
    return [Request("GET", "/Users?startIndex=1&count=2"), Request("GET", "/Groups?startIndex=1&count=100")]


def find_user(user_name: str) -> Request:
    return search("/Users", f'userName eq "{user_name}"', "&startIndex=1&count=100")


def create_user(name: str, **more: Any) -> Request:
    """With groups, which only the server may write, and a password, which nobody here wants to know."""
    given, _, family = name.partition(" ")
    address = f"{name.lower().replace(' ', '.')}@okta.example"
    body = {
        "schemas": [USER],
        "userName": address,
        "name": {"givenName": given, "familyName": family},
        "emails": [{"primary": True, "value": address, "type": "work"}],
        "displayName": name,
        "locale": "en-US",
        "externalId": f"00u{name.lower().replace(' ', '')}",
        "groups": [],
        "password": "1mz050nq",
        "active": True,
    }
    return Request("POST", "/Users", body | more)


def put_user(user: dict[str, Any], **changed: Any) -> Request:
    """The user as just read, with what changed: `id`, `meta` and `groups` come back with it."""
    return Request("PUT", f"/Users/{user['id']}", user | changed)


def deactivate(user_id: str) -> Request:
    return patch(f"/Users/{user_id}", {"op": "replace", "value": {"active": False}})


def reactivate(user_id: str) -> Request:
    return patch(f"/Users/{user_id}", {"op": "replace", "value": {"active": True}})


def list_users(start: int) -> Request:
    return Request("GET", f"/Users?startIndex={start}&count=100")


def push_group(name: str) -> Request:
    """Group push: neither an external identifier nor members."""
    return Request("POST", "/Groups", {"schemas": [GROUP], "displayName": name, "members": []})


def rename_group(group_id: str, name: str) -> Request:
    """Without a path, and with the identifier among what is replaced. Sent with each change of members, too."""
    return patch(f"/Groups/{group_id}", {"op": "replace", "value": {"id": group_id, "displayName": name}})


def change_members(group_id: str, gone: str, come: str) -> Request:
    return patch(
        f"/Groups/{group_id}",
        {"op": "remove", "path": f'members[value eq "{gone}"]'},
        {"op": "add", "path": "members", "value": [{"value": come, "display": "someone@okta.example"}]},
    )


def push_all_members(group_id: str, *user_ids: str) -> Request:
    members = [{"value": user_id, "display": "someone@okta.example"} for user_id in user_ids]
    return patch(f"/Groups/{group_id}", {"op": "replace", "path": "members", "value": members})


def push_now_without_path(group_id: str, name: str) -> Request:
    """*Push now* of an empty group: members among what is replaced, without a path."""
    value = {"members": [], "id": group_id, "displayName": name}
    return patch(f"/Groups/{group_id}", {"op": "replace", "value": value})


def put_group(group_id: str, name: str, *user_ids: str) -> Request:
    members = [{"value": user_id, "display": None} for user_id in user_ids]
    body = {"schemas": [GROUP], "id": group_id, "displayName": name, "members": members}
    return Request("PUT", f"/Groups/{group_id}", body)


def unlink_group(group_id: str) -> Request:
    """*Unlink pushed group*, *Delete the group in the target app*."""
    return Request("DELETE", f"/Groups/{group_id}")
