"""Which Groups a filter finds, and in which order.

PostgreSQL evaluates the part of a filter that names a team, as identity providers send it (`displayName eq`,
`id eq ... and members eq ...`). The rest is evaluated here, on the teams of one company, with only those members
loaded that the filter names.
"""

import uuid
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from scim2_models import Meta, ScimFilter
from scim2_models.path import AttrPath, CompareOperator, Comparison, FilterNode, LogicalExpr, LogicalOperator, ValuePath

from compliance.provisioning.clients import Client
from compliance.provisioning.groups import queries
from compliance.provisioning.groups.model import Group, members
from compliance.provisioning.groups.queries import Seen


def matching(client: Client, wanted: ScimFilter[Any] | None) -> list[Seen]:
    """The Groups that a filter finds, oldest first. Takes at most four statements."""
    if wanted is None:
        return queries.seen(client)
    found = queries.seen(client, **_narrowed(wanted.ast))
    inside: dict[uuid.UUID, set[uuid.UUID]] = {}
    if found and _asks_members(wanted.ast):
        inside = queries.members(client, [each.team_id for each in found], _named_members(wanted.ast))
    return [each for each in found if wanted.match(_resource(each, inside.get(each.team_id, set())))]


def order(name: str) -> Callable[[Seen], tuple[bool, str]]:
    """The sort key of an attribute; Groups without the attribute come last (RFC 7644, 3.4.2.3)."""
    keys: dict[str, Callable[[Seen], tuple[bool, str]]] = {
        "id": lambda each: (False, str(each.team_id)),
        "displayname": lambda each: (False, each.name.lower()),
        "externalid": lambda each: (each.external_id is None, each.external_id or ""),
    }
    return keys[name]


def version(seen: Seen, inside: set[uuid.UUID]) -> str:
    """The version of a Group: a digest of its name, its external identifier and its members, whoever changed them."""
    digest = sha256(f"{seen.team_id}\n{seen.name}\n{seen.external_id or ''}\n".encode())
    for profile_id in sorted(inside):
        digest.update(profile_id.bytes)
    return f'W/"{digest.hexdigest()[:32]}"'


def _resource(seen: Seen, inside: set[uuid.UUID]) -> Group:
    """The part of the resource that a filter compares."""
    meta = Meta(resource_type="Group", created=seen.created_at, last_modified=seen.changed_at)
    return Group.model_construct(
        id=str(seen.team_id),
        external_id=seen.external_id,
        display_name=seen.name,
        meta=meta,
        members=members(inside) or None,
    )


def _narrowed(node: FilterNode) -> dict[str, Any]:
    """Arguments of `seen` that all results of the filter fulfil; empty where the filter names no team."""
    for term in node.terms if isinstance(node, LogicalExpr) and node.op is LogicalOperator.and_ else (node,):
        if isinstance(term, Comparison) and term.op is CompareOperator.eq and term.attr_path.sub_attr is None:
            name = term.attr_path.attr.lower()
            if name == "displayname" and isinstance(term.value, str):
                return {"name": term.value}
            if name == "id" and isinstance(term.value, str):
                return {"team_ids": _identifiers([term.value])}
    return {}


def _asks_members(node: FilterNode) -> bool:
    return any(path.attr.lower() == "members" for path in _paths(node))


def _named_members(node: FilterNode) -> list[uuid.UUID] | None:
    """The member identifiers that the filter compares; None where it can be decided only with all members."""
    named: list[str] = []
    for term, inside in _leaves(node, False):
        if not inside and not _is_members(term):
            continue
        if not isinstance(term, Comparison) or term.op is not CompareOperator.eq:
            return None
        wanted = term.attr_path.attr if inside else term.attr_path.sub_attr or "value"
        if wanted.lower() != "value" or not isinstance(term.value, str):
            return None
        named.append(term.value)
    return _identifiers(named)


def _is_members(term: Any) -> bool:
    return bool(term.attr_path.attr.lower() == "members")


def _leaves(node: Any, inside: bool) -> Iterator[tuple[Any, bool]]:
    """The comparisons of a filter, each with whether it is within `members[...]`.

    A negation about members becomes `_Everybody`, because it may need all members.
    """
    if isinstance(node, LogicalExpr):
        for term in node.terms:
            yield from _leaves(term, inside)
    elif isinstance(node, ValuePath):
        if _is_members(node):
            yield from _leaves(node.val_filter, True)
    elif isinstance(node, Comparison):
        yield node, inside
    elif hasattr(node, "expr"):
        # A condition that is false of the members named may be true of others.
        if inside or _asks_members(node.expr):
            yield _Everybody(), inside
    else:
        yield node, inside


class _Everybody:
    """Replaces a condition that can be decided only with all members."""

    attr_path = AttrPath("members")


def _paths(node: Any) -> Iterator[AttrPath]:
    if isinstance(node, LogicalExpr):
        for term in node.terms:
            yield from _paths(term)
    elif hasattr(node, "expr"):
        yield from _paths(node.expr)
    else:
        yield node.attr_path


def _identifiers(texts: list[str]) -> list[uuid.UUID]:
    """Those of the texts that are identifiers; the others match nothing."""
    found = []
    for text in texts:
        try:
            found.append(uuid.UUID(text))
        except ValueError:
            continue
    return found
