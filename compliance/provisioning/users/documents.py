"""The JSON document that is stored of a User beside the facts, and the answer that is made from both.

The document is the User as the client states it, without `userName` and `externalId`, which have columns. **A null in
it marks a value that facts hold**: that of `displayName`, of `active`, and of the work address among the `emails`.
So nothing is stored twice, and an answer includes what others record later. Attributes that the client has removed are
not in the document.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from scim2_models import Context, InvalidValueException, Meta

from compliance.facts.lines.fields import Email as Address
from compliance.facts.lines.fields import Name, RoleId
from compliance.provisioning.resources import POLICY, Employee, EnterpriseUser, User

ENTERPRISE = str(EnterpriseUser.__schema__)
MOST_CHARACTERS = 32_000
MOST_VALUES = 50
MOST_OPERATIONS = 60
"""Limits of one request: scim2-models compares each operation with every value of the attribute."""
LONGEST_NAME = 320

_ADDRESS: TypeAdapter[str] = TypeAdapter(Address)
_NAME: TypeAdapter[str] = TypeAdapter(Name)
_ROLE: TypeAdapter[str] = TypeAdapter(RoleId)


class Row(NamedTuple):
    """What is stored of a User; `document` is null where this client has stated nothing of them yet."""

    learner_profile_id: uuid.UUID
    external_id: str | None
    user_name: str
    active: bool
    person_name: str | None
    work_email: str | None
    document: dict[str, Any] | None
    teams: Sequence[Mapping[str, Any]]
    created: datetime
    changed: datetime
    version: str


class StatedFacts(NamedTuple):
    """The part of a User that facts hold; null where the User states nothing."""

    account_email: str | None
    person_name: str | None
    work_email: str | None
    role_ids: frozenset[str]
    active: bool | None


def answered(row: Row) -> Any:
    """The User as it is answered."""
    content = dict(row.document) if row.document is not None else _of_facts(row)
    for name, value in (("displayName", row.person_name), ("active", row.active)):
        if name in content:
            content[name] = value
    if "emails" in content:
        content["emails"] = [
            each | {"value": row.work_email} if each.get("value", "") is None else each for each in content["emails"]
        ]
    schemas = [str(User.__schema__)] + ([ENTERPRISE] if ENTERPRISE in content else [])
    content |= {"schemas": schemas, "id": str(row.learner_profile_id), "userName": row.user_name}
    if row.external_id is not None:
        content["externalId"] = row.external_id
    if row.teams:
        content["groups"] = [dict(each) | {"type": "direct"} for each in row.teams]
    user = Employee.model_validate(content, scim_policy=POLICY)
    user.meta = Meta(
        resource_type="User",
        created=row.created,
        last_modified=max(row.created, row.changed),
        version=f'W/"{row.version}"',
    )
    return user


def kept(user: Any, *, patched: bool = False) -> dict[str, Any]:
    """The document to store of a User. Raises InvalidValueException where it holds too much.

    `active` is answered whether a client has stated it or not, and is absent only where a patch has removed it.
    """
    content: dict[str, Any] = user.model_dump(scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST)
    for name in ("schemas", "userName", "externalId"):
        content.pop(name, None)
    if "displayName" in content:
        content["displayName"] = None
    if user.active is not None or not patched:
        content["active"] = None
    work = _work_entry(user)
    if work is not None:
        content["emails"][work]["value"] = None
    if len(json.dumps(content, ensure_ascii=False)) > MOST_CHARACTERS:
        raise InvalidValueException(detail=f"A User holds at most {MOST_CHARACTERS} characters.")
    return content


def addresses(document: Mapping[str, Any]) -> list[str]:
    """The e-mail addresses in a document: a User is found by these and by the addresses in facts."""
    return [each["value"] for each in document.get("emails", ()) if each.get("value")]


def stated_facts(user: Any) -> StatedFacts:
    """The part of a User that becomes facts. Raises InvalidValueException for values that no fact can hold."""
    work = _work_entry(user)
    roles = {str(role.value) for role in user.roles or () if role.value is not None}
    return StatedFacts(
        account_email=user.user_name if is_address(user.user_name) else None,
        person_name=_person_name(user),
        work_email=None if work is None else user.emails[work].value,
        role_ids=frozenset(role for role in roles if _is(_ROLE, role)),
        active=user.active,
    )


def check_patch(operations: Any) -> None:
    """Raises InvalidValueException for a patch whose operations would each search a long list."""
    done = operations.operations or []
    values = sum(len(each.value) for each in done if isinstance(each.value, list))
    values += sum(
        len(item)
        for each in done
        if isinstance(each.value, dict)
        for item in each.value.values()
        if isinstance(item, list)
    )
    if len(done) > MOST_OPERATIONS or values > MOST_VALUES:
        raise InvalidValueException(
            detail=f"A patch of a User has at most {MOST_OPERATIONS} operations, with {MOST_VALUES} values in lists."
        )


def check(user: Any) -> None:
    """Raises InvalidValueException where a User cannot be identified by its names, or holds lists that are too long."""
    for name in ("emails", "phone_numbers", "addresses", "roles"):
        if len(getattr(user, name) or ()) > MOST_VALUES:
            raise InvalidValueException(detail=f"An attribute of a User has at most {MOST_VALUES} values.")
    if any(len(each.value or "") > LONGEST_NAME for each in user.emails or ()):
        raise InvalidValueException(detail=f"An e-mail address of a User has at most {LONGEST_NAME} characters.")
    name = user.user_name
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise InvalidValueException(
            detail=f"userName is a text of 1 to {LONGEST_NAME} printable characters, without blanks around it."
        )
    if user.external_id is not None and (len(user.external_id) > LONGEST_NAME or not user.external_id.isprintable()):
        raise InvalidValueException(detail=f"externalId is a text of at most {LONGEST_NAME} printable characters.")


def is_address(text: Any) -> bool:
    """Whether a text is an e-mail address that facts accept."""
    return _is(_ADDRESS, text)


def _of_facts(row: Row) -> dict[str, Any]:
    """The document of a person of whom the client has stated nothing: all values come from facts."""
    document: dict[str, Any] = {"active": None}
    if row.person_name is not None:
        document["displayName"] = None
    if row.work_email is not None:
        document["emails"] = [{"value": None, "type": "work", "primary": True}]
    return document


def _person_name(user: Any) -> str | None:
    """`displayName`, else `name.formatted`, else given and family name."""
    name = user.name
    parts = [] if name is None else [each for each in (name.given_name, name.middle_name, name.family_name) if each]
    found = user.display_name or (name and name.formatted) or " ".join(parts) or None
    if found is not None and not _is(_NAME, found):
        raise InvalidValueException(detail="The name of a User is one line of at most 300 characters.")
    return found


def _work_entry(user: Any) -> int | None:
    """The index of the work address among the e-mail addresses: of type work, else without a type; primary first."""
    entries = list(enumerate(user.emails or ()))
    for kind in ("work", None):
        own = [(n, each) for n, each in entries if each.type == kind and is_address(each.value)]
        if own:
            return min(own, key=lambda entry: not entry[1].primary)[0]
    return None


def _is(adapter: TypeAdapter[str], text: Any) -> bool:
    try:
        adapter.validate_python(text)
    except ValidationError:
        return False
    return isinstance(text, str)
