"""Which members a request names, in any of the shapes that clients send, and what its operations do with them.

A group may have 50,000 members, so an operation is reduced to the few members that it names and is never applied to all
of them.
"""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from scim2_models import InvalidPathException, InvalidValueException, MutabilityException, PatchOp, PatchOperation
from scim2_models.path import AttrPath, CompareOperator, Comparison, FilterNode, LogicalExpr, LogicalOperator, ValuePath

from compliance.provisioning.groups.model import MEMBER_TYPE, Group, Member

NO_SUCH_MEMBER = "members: there is no User of that identifier; make the User first."
HOW_TO_SELECT = """Members are selected by their identifier: members[value eq "..."], joined by `or`."""
_MEMBERS = "members"


@dataclass
class Change:
    """A change of the members that does not depend on who they are now.

    `cleared`: all present members leave, except those in `come`. `come` and `go` are disjoint.
    """

    cleared: bool = False
    come: set[uuid.UUID] = field(default_factory=set)
    go: set[uuid.UUID] = field(default_factory=set)

    @property
    def empty(self) -> bool:
        """Whether the change does nothing."""
        return not (self.cleared or self.come or self.go)

    def add(self, named: Iterable[uuid.UUID]) -> None:
        """Adds these people."""
        self.come |= set(named)
        self.go -= self.come

    def remove(self, named: Iterable[uuid.UUID]) -> None:
        """Removes these people."""
        self.go |= set(named)
        self.come -= self.go

    def replace(self, named: Iterable[uuid.UUID]) -> None:
        """Removes everybody except these people, who are added or stay."""
        self.cleared, self.come, self.go = True, set(named), set()


def split(patch: PatchOp[Group]) -> tuple[Change, list[PatchOperation[Any]]]:
    """Separates what the operations do with members from the operations on anything else, which are returned unchanged.

    Raises InvalidPathException, InvalidValueException, MutabilityException.
    """
    change = Change()
    others: list[PatchOperation[Any]] = []
    for operation in patch.operations or []:
        if not _names_members(operation):
            others += _without_members(operation, change)
        elif operation.path is not None and isinstance(operation.path.ast, ValuePath):
            _selected(operation, operation.path.ast, change)
        else:
            _whole(operation.op, operation.value, change)
    return change, others


def identifiers(entries: Any) -> set[uuid.UUID]:
    """The people that entries of `members` name: objects with `value`, as in the schema, or bare identifiers.

    Raises InvalidValueException for a group within a group, and for an entry that cannot name a person.
    """
    return {_uuid(text, strict=True) for text in _values(entries)}


def _names_members(operation: PatchOperation[Any]) -> bool:
    path = operation.path
    if path is None or path.model is not None:
        return False
    node: Any = path.ast
    attribute = node if isinstance(node, AttrPath) else node.attr_path
    if attribute.attr.lower() != _MEMBERS:
        return False
    if isinstance(node, Comparison) or attribute.sub_attr is not None:
        raise InvalidPathException(detail=HOW_TO_SELECT)
    return True


def _without_members(operation: PatchOperation[Any], change: Change) -> Iterator[PatchOperation[Any]]:
    """The operation without the members among its values. Okta sends a whole group in this form."""
    value = operation.value
    if (operation.path is not None and operation.path.model is None) or not isinstance(value, dict):
        yield operation
        return
    rest = {}
    for name, item in value.items():
        if name.lower().rpartition(":")[2] == _MEMBERS:
            _whole(operation.op, item, change)
        else:
            rest[name] = item
    if rest:
        yield operation.model_copy(update={"value": rest})


def _whole(op: PatchOperation.Op, value: Any, change: Change) -> None:
    """Applies an operation on `members` itself."""
    if op is PatchOperation.Op.add:
        change.add(identifiers(value))
    elif op is PatchOperation.Op.replace_:
        change.replace(() if value is None else identifiers(value))
    elif value is None:
        change.replace(())
    else:
        change.remove(_known(_values(value)))


def _selected(operation: PatchOperation[Any], node: ValuePath, change: Change) -> None:
    """Applies an operation on the members that a filter selects."""
    if node.sub_attr is not None:
        raise MutabilityException(
            attribute=f"members.{node.sub_attr}", detail="What is stated of a member is immutable."
        )
    named = list(_compared(node.val_filter))
    if operation.op is PatchOperation.Op.remove:
        change.remove(_known(named))
    elif operation.op is PatchOperation.Op.add:
        change.add(_uuid(text, strict=True) for text in named)
    else:
        change.remove(_known(named))
        change.add(identifiers(operation.value))


def _compared(node: FilterNode) -> Iterator[str]:
    """The identifiers that the filter compares with `value`."""
    if isinstance(node, LogicalExpr) and node.op is LogicalOperator.or_:
        for term in node.terms:
            yield from _compared(term)
        return
    if isinstance(node, LogicalExpr):
        others = [term for term in node.terms if not _says_user(term)]
        if len(others) == 1:
            yield from _compared(others[0])
            return
    elif isinstance(node, Comparison) and node.op is CompareOperator.eq and node.attr_path.attr.lower() == "value":
        yield str(node.value)
        return
    raise InvalidPathException(detail=HOW_TO_SELECT)


def _says_user(node: FilterNode) -> bool:
    return (
        isinstance(node, Comparison)
        and node.op is CompareOperator.eq
        and node.attr_path.attr.lower() == "type"
        and str(node.value).lower() == MEMBER_TYPE.lower()
    )


def _values(entries: Any) -> Iterator[str]:
    """The `value` of each entry."""
    if entries is None:
        raise InvalidValueException(detail="members: no list of members.")
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, str):
            yield entry
            continue
        value, kind = _value_and_type(entry)
        if isinstance(kind, str) and kind.lower() != MEMBER_TYPE.lower():
            raise InvalidValueException(detail="members: a member is a User; groups in groups are not supported.")
        if not isinstance(value, str) or not value:
            raise InvalidValueException(detail="members: each member is an object whose `value` is the id of a User.")
        yield value


def _value_and_type(entry: Any) -> tuple[Any, Any]:
    """The `value` and `type` of an entry, either validated or as it was sent."""
    if isinstance(entry, Member):
        return entry.value, entry.type
    stated = {str(name).lower(): item for name, item in entry.items()} if isinstance(entry, dict) else {}
    return stated.get("value"), stated.get("type")


def _uuid(text: str, *, strict: bool) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        if not strict:
            raise
        raise InvalidValueException(detail=NO_SUCH_MEMBER) from None


def _known(texts: Iterable[str]) -> set[uuid.UUID]:
    """Those of the texts that are identifiers. No member has another form, so the others remove nobody."""
    found = set()
    for text in texts:
        try:
            found.add(_uuid(text, strict=False))
        except ValueError:
            continue
    return found
