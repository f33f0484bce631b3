"""Users as a client sees them: employees, and those of its own who have left (without those whom it has removed)."""

import hashlib
import re
import uuid
from collections.abc import Collection, Mapping
from typing import Any, Final

from scim2_models import NotFoundException

from compliance.facts.people.employees import (
    ADDRESSED,
    FIRST_JOINED,
    KNOWN,
    LAST_RECORDED,
    MARK,
    NOT_ERASED,
    PRESENT,
    SUSPENDED,
    TEAMS,
)
from compliance.provisioning.clients import Client
from compliance.provisioning.filtering import Attributes, Form, Stored, condition
from compliance.provisioning.kinds import Found, Search
from compliance.provisioning.resources import Employee, User
from compliance.provisioning.users.documents import ENTERPRISE, Row, answered
from compliance.tenancy import arrays, context, sql

_IDENTIFIER = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PEOPLE = f"""{KNOWN}
LEFT JOIN provisioning_provisioneduser u ON u.organization_id = f.organization_id
  AND u.learner_profile_id = f.learner_profile_id AND u.source_id = (SELECT %(source)s::uuid)"""
_VISIBLE = f"{NOT_ERASED} AND ({PRESENT} OR (u.id IS NOT NULL AND u.deleted_at IS NULL))"

_USER_NAME = "coalesce(u.user_name, f.account_email, f.work_email, f.learner_profile_id::text)"
_ACTIVE = f"({PRESENT} AND NOT {SUSPENDED})"
_CHANGED = f"greatest(u.changed_at, {LAST_RECORDED})"
_WORK_ALONE = """CASE WHEN f.work_email IS NOT NULL THEN
  jsonb_build_array(jsonb_build_object('type', 'work', 'primary', true, 'value', f.work_email)) END"""
_EMAILS = f"""(CASE WHEN u.attributes IS NULL THEN {_WORK_ALONE} ELSE (
  SELECT jsonb_agg(CASE WHEN m.entry -> 'value' = 'null' THEN m.entry || jsonb_build_object('value', f.work_email)
    ELSE m.entry END) FROM jsonb_array_elements(u.attributes -> 'emails') AS m(entry)) END)"""  # noqa: S608
_IDENTIFIED = "SELECT CASE WHEN {0} ~ '^[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}$' THEN {0}::uuid END"
_OF_CLIENT = "n.organization_id = (SELECT %(organization)s::uuid) AND n.source_id = (SELECT %(source)s::uuid)"
_BY_USER_NAME = f"""{ADDRESSED.format(address="{0}")}
UNION SELECT n.learner_profile_id FROM provisioning_provisioneduser n
WHERE {_OF_CLIENT} AND n.user_name_lower = lower({{0}})
UNION {_IDENTIFIED}"""  # noqa: S608 - constants of our own
_BY_ADDRESS = f"""{ADDRESSED.format(address="{0}")}
UNION SELECT n.learner_profile_id FROM provisioning_provisionedaddress n
WHERE {_OF_CLIENT} AND n.address = lower({{0}})"""  # noqa: S608 - constants of our own
_BY_EXTERNAL_ID = f"""SELECT n.learner_profile_id FROM provisioning_provisioneduser n
WHERE {_OF_CLIENT} AND n.external_id = {{0}}"""  # noqa: S608 - constants of our own


def _if_stated(name: str, value: str) -> str:
    """SQL of a value from facts, where the client has stated this attribute, or nothing at all of the person."""
    return f"(CASE WHEN u.attributes IS NULL OR u.attributes ? '{name}' THEN {value} END)"


ATTRIBUTES: Final = Attributes(
    Employee,
    {
        "id": Stored("f.learner_profile_id::text", by_index=_IDENTIFIED),
        "externalid": Stored("u.external_id", by_index=_BY_EXTERNAL_ID),
        "username": Stored(_USER_NAME, by_index=_BY_USER_NAME),
        "displayname": Stored(_if_stated("displayName", "f.person_name")),
        "active": Stored(_if_stated("active", _ACTIVE), Form.BOOLEAN),
        "emails": Stored(_EMAILS, Form.JSON),
        "emails.value": Stored("", by_index=_BY_ADDRESS),
        "groups": Stored(f"nullif({TEAMS}, '[]')", Form.JSON),
        "meta.resourcetype": Stored("'User'"),
        "meta.created": Stored(FIRST_JOINED, Form.INSTANT),
        "meta.lastmodified": Stored(_CHANGED, Form.INSTANT),
        "schemas": Stored(
            f"""(jsonb_build_array('{User.__schema__}') || CASE WHEN u.attributes ? '{ENTERPRISE}'
            THEN jsonb_build_array('{ENTERPRISE}') ELSE '[]' END)""",
            Form.JSON,
        ),
    },
    "u.attributes",
)

ORDERS: Final[Mapping[str, str]] = {
    "id": "f.learner_profile_id",
    "username": f"lower({_USER_NAME})",
    "displayname": f"lower({ATTRIBUTES.stored['displayname'].sql})",
    "externalid": "u.external_id",
    "meta.created": FIRST_JOINED,
    "meta.lastmodified": _CHANGED,
}
"""The SQL by which a list is ordered; newest first where no order is asked for."""

_FOUND = """
WITH found AS MATERIALIZED (SELECT f.id, f.learner_profile_id{key} FROM {people} WHERE {visible} AND {condition})
SELECT (SELECT count(*) FROM found),
  ARRAY(SELECT learner_profile_id FROM found ORDER BY {order} OFFSET %(offset)s LIMIT %(count)s)
"""
_ROWS = f"""
SELECT f.learner_profile_id, u.external_id, {_USER_NAME}, {_ACTIVE}, f.person_name, f.work_email, u.attributes,
  CASE WHEN %(teams)s THEN {TEAMS} END, {FIRST_JOINED}, {_CHANGED}, u.version, {MARK}
FROM {_PEOPLE} WHERE f.organization_id = (SELECT %(organization)s::uuid) AND f.learner_profile_id = ANY(%(ids)s::uuid[])
AND {_VISIBLE}
"""  # noqa: S608 - constants of our own


def search(client: Client, asked: Search) -> Found:
    """The results of a search, by two statements."""
    wanted = condition(ATTRIBUTES, asked.filter)
    where = wanted.sql
    if wanted.narrowed is not None:
        # As an array the identifiers are found once, and the people then by index.
        where = f"f.learner_profile_id = ANY(ARRAY({wanted.narrowed})) AND {where}"
    key = ORDERS.get(asked.sort_by or "")
    order = "id DESC" if key is None else f"key {'DESC' if asked.descending else 'ASC'}, id DESC"
    statement = _FOUND.format(
        key="" if key is None else f", {key} AS key", people=_PEOPLE, visible=_VISIBLE, condition=where, order=order
    )
    parameters = client.asked | wanted.parameters | {"offset": asked.start - 1, "count": asked.most}
    with context.company(client.organization_id):
        ((total, ids),) = sql.fetch(statement, parameters)
        found = rows(client, ids, teams=asked.wanted.usual("groups"))
    return Found(total, [answered(found[each]) for each in ids if each in found])


def read(client: Client, identifier: str, *, teams: bool = True) -> Any:
    """One User. Raises NotFoundException for a person whom the client does not see."""
    with context.company(client.organization_id):
        return answered(row(client, identified(identifier), teams=teams))


def row(client: Client, learner_profile_id: uuid.UUID, *, teams: bool = True) -> Row:
    """What is stored of one User, in the company's context. Raises NotFoundException."""
    found = rows(client, [learner_profile_id], teams=teams).get(learner_profile_id)
    if found is None:
        raise NotFoundException(detail="There is no such User.")
    return found


def rows(client: Client, ids: Collection[uuid.UUID], *, teams: bool = True) -> dict[uuid.UUID, Row]:
    """What is stored of those of the Users whom the client sees, by one statement, in the company's context."""
    if not ids:
        return {}
    parameters = client.asked | {"ids": arrays.uuids(list(ids)), "teams": teams}
    return {found[0]: _row(found) for found in sql.fetch(_ROWS, parameters)}


def visible(client: Client, ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str | None]:
    """Those of the people who are Users of the client, with their names, in the company's context."""
    parameters = client.asked | {"ids": arrays.uuids(list(ids))}
    return dict(
        sql.fetch(
            f"SELECT f.learner_profile_id, f.person_name FROM {_PEOPLE} WHERE {_VISIBLE}"  # noqa: S608
            " AND f.learner_profile_id = ANY(%(ids)s::uuid[])",
            parameters,
        )
    )


def identified(identifier: str) -> uuid.UUID:
    """The identifier of a User from an address. Raises NotFoundException for a text that is not an identifier."""
    if not _IDENTIFIER.fullmatch(identifier):
        raise NotFoundException(detail="There is no such User.")
    return uuid.UUID(identifier)


def _row(found: sql.Row) -> Row:
    (*columns, teams, created, changed, version, mark) = found
    digest = hashlib.blake2b(f"{version or 0}.{mark}".encode(), digest_size=8).hexdigest()
    return Row._make([*columns, teams or (), created, changed, digest])
