"""Filters of SCIM (RFC 7644, 3.4.2.2) as SQL, for any kind of resource.

A kind gives the SQL of each attribute that it stores: columns, or JSON in the form of the answer. A filter selects what
`ScimFilter.match` of scim2_models would select from the answered resources. Where the filter asks for an equality,
`narrowed` finds the few candidates by index, and the condition is then tested on these alone.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import Enum
from types import UnionType
from typing import Any, NamedTuple
from unicodedata import normalize

from scim2_models import InvalidFilterException, Path, Resource, ScimFilter
from scim2_models.path import (
    STRING_OPERATORS,
    AttributeBinding,
    AttrPath,
    CompareOperator,
    Comparison,
    FilterNode,
    FilterVisitor,
    LogicalExpr,
    LogicalOperator,
    Not,
    Present,
    ValuePath,
    coerce_value,
)

MOST_TERMS = 60


class Form(Enum):
    """How an attribute is stored."""

    TEXT = "text"
    BOOLEAN = "boolean"
    INSTANT = "timestamptz"
    JSON = "jsonb"


class Stored(NamedTuple):
    """The SQL of an attribute; its value is null where a resource lacks the attribute.

    `by_index` is SQL with a placeholder for the value. It selects the identifiers of all resources that may have the
    value, and possibly of others.
    """

    sql: str
    form: Form = Form.TEXT
    by_index: str | None = None


class Attributes(NamedTuple):
    """What a kind stores, by the names of attributes in lower case (`username`, `meta.created`, `emails.value`).

    `document` is the SQL of the JSON object that holds all others under their own names.
    """

    model: type[Resource[Any]]
    stored: Mapping[str, Stored]
    document: str


class Condition(NamedTuple):
    """SQL of a condition, with its parameters. `narrowed` is the SQL of the identifiers that it can hold for."""

    sql: str
    parameters: dict[str, Any]
    narrowed: str | None = None


def condition(attributes: Attributes, wanted: ScimFilter[Any] | None) -> Condition:
    """The condition of a filter. Raises InvalidFilterException for a filter that is too long."""
    if wanted is None:
        return Condition("true", {})
    visitor = _Conditions(attributes)
    text = visitor.visit(wanted.ast)
    return Condition(text, visitor.parameters, visitor.narrowed(wanted.ast))


class _Attribute(NamedTuple):
    """An attribute that a filter names: its binding, the SQL of its head, and the name of its sub-attribute."""

    binding: AttributeBinding
    head: Stored
    sub: str | None
    name: str


class _Conditions(FilterVisitor[str]):
    """Turns each node into a condition that is never null, so that `not` is correct."""

    def __init__(self, attributes: Attributes, within: str = "") -> None:
        self.attributes = attributes
        self.parameters: dict[str, Any] = {}
        self._within = within  # the multi-valued attribute whose values are tested, as `x.value`
        self._terms = 0

    def visit_not(self, node: Not) -> str:
        """`not (...)`."""
        return f"NOT {self.visit(node.expr)}"

    def visit_logical_expr(self, node: LogicalExpr) -> str:
        """`... and ...`, `... or ...`."""
        joint = " AND " if node.op is LogicalOperator.and_ else " OR "
        return f"({joint.join(self.visit(term) for term in node.terms)})"

    def visit_comparison(self, node: Comparison) -> str:
        """`userName eq "anna"`."""
        found = self._resolve(node.attr_path, comparing=True)
        if node.op in STRING_OPERATORS and (found.head.form is Form.INSTANT or not isinstance(node.value, str)):
            raise InvalidFilterException(detail=f"{node.op.value} compares texts with texts.")
        value = coerce_value(found.binding, node.value, node.op)
        if self._within or not found.binding.is_multivalued:
            return self._compared(found, self._scalar(found), node.op, value)
        each = f"x.value ->> '{found.sub}'" if found.sub else "x.value #>> '{}'"
        if value is None:
            missing = f"{found.head.sql} IS NULL OR {_any(found.head.sql, f'({each}) IS NULL')}"
            return f"({missing})" if node.op is CompareOperator.eq else f"NOT ({missing})"
        typed = _typed(each, found.binding)
        if node.op is CompareOperator.ne:
            return f"NOT {_any(found.head.sql, self._compared(found, typed, CompareOperator.eq, value))}"
        return _any(found.head.sql, self._compared(found, typed, node.op, value))

    def visit_present(self, node: Present) -> str:
        """`title pr`."""
        found = self._resolve(node.attr_path)
        if not self._within and found.binding.is_multivalued and found.sub:
            return _any(found.head.sql, f"coalesce(x.value ->> '{found.sub}', '') <> ''")
        if not self._within and found.sub is None and found.head.form is Form.JSON:
            return f"coalesce({found.head.sql} NOT IN ('null', '{{}}', '[]', '\"\"'), false)"
        scalar = self._scalar(found)
        return f"coalesce({scalar}{'::text' if found.head.form is not Form.TEXT else ''}, '') <> ''"

    def visit_value_path(self, node: ValuePath) -> str:
        """`emails[type eq "work"]`."""
        found = self._resolve(node.attr_path)
        within = _Conditions(self.attributes, found.name)
        within.parameters, within._terms = self.parameters, self._terms
        inner = within.visit(node.val_filter)
        self._terms = within._terms
        return _any(found.head.sql, inner)

    def narrowed(self, node: FilterNode, within: str = "") -> str | None:
        """The SQL of the identifiers of all resources for which the node may hold; None for any resource."""
        if isinstance(node, Comparison) and node.op is CompareOperator.eq and isinstance(node.value, str):
            path = AttrPath(within, node.attr_path.attr) if within else node.attr_path
            found = self._resolve(path, comparing=True, counting=False)
            by_index = (self.attributes.stored.get(found.name) or found.head).by_index
            return by_index and by_index.format(self._parameter(node.value))
        if isinstance(node, ValuePath):
            return self.narrowed(node.val_filter, node.attr_path.attr)
        if isinstance(node, LogicalExpr):
            parts = [self.narrowed(term, within) for term in node.terms]
            known = [part for part in parts if part is not None]
            if node.op is LogicalOperator.and_:
                return known[0] if known else None
            return " UNION ".join(known) if len(known) == len(parts) else None
        return None

    def _resolve(self, path: AttrPath, *, comparing: bool = False, counting: bool = True) -> _Attribute:
        self._terms += counting
        if self._terms > MOST_TERMS:
            raise InvalidFilterException(detail=f"A filter has at most {MOST_TERMS} terms.")
        written = f"{self._within}.{path}" if self._within else str(path)
        bound: Any = Path.__class_getitem__(self.attributes.model)
        binding: AttributeBinding | None = bound(written).resolve()
        if binding is None:
            raise InvalidFilterException(detail="The filter names an attribute that there is not.")
        if comparing and binding.sub_field_name is None and hasattr(binding.field_type, "model_fields"):
            return self._resolve(
                AttrPath(path.attr, "value", path.uri), comparing=comparing, counting=False
            )  # complex values are compared by their `value`
        schema, _, name = binding.urn.rpartition(":")
        head, _, sub = name.partition(".")
        stored = self.attributes.stored.get(name.lower())
        if stored is not None and stored.sql:
            return _Attribute(binding, stored, None, name.lower())
        stored = self.attributes.stored.get(head.lower())
        if stored is None or not stored.sql:
            if head == "meta":
                raise InvalidFilterException(detail=f"Nothing is found by {name}.")
            holder = self.attributes.document
            if schema.lower() != str(self.attributes.model.__schema__).lower() and ":" in schema:
                holder = f"({holder} -> '{schema}')"
            stored = Stored(f"({holder} -> '{head}')", Form.JSON)
        return _Attribute(binding, stored, sub or None, name.lower())

    def _scalar(self, found: _Attribute) -> str:
        """The SQL of the one value that is compared."""
        if self._within:
            return _typed(f"x.value ->> '{found.sub}'", found.binding)
        if found.head.form is not Form.JSON:
            return found.head.sql
        return _typed(f"{found.head.sql} ->> '{found.sub}'" if found.sub else f"{found.head.sql} #>> '{{}}'",
                      found.binding)  # fmt: skip

    def _compared(self, found: _Attribute, left: str, operator: CompareOperator, value: Any) -> str:
        if value is None:
            return f"({left}) IS {'' if operator is CompareOperator.eq else 'NOT '}NULL"
        if not isinstance(value, str):
            return _OPERATORS[operator](f"({left})", self._parameter(value))
        # Both sides are put in lower case by the database: Python does so otherwise with Σ and İ.
        left, right = f"normalize({left}, NFC)", self._parameter(normalize("NFC", value))
        if not found.binding.case_exact:
            left, right = f"lower({left})", f"lower({right})"
        return _OPERATORS[operator](f"({left})", right)

    def _parameter(self, value: Any) -> str:
        name = f"f{len(self.parameters)}"
        self.parameters[name] = value
        return f"%({name})s::{next(kind for python, kind in _TYPES.items() if isinstance(value, python))}"


# In this order: `bool` is an `int`. References are texts.
_TYPES: Mapping[type | UnionType, str] = {str: "text", bool: "boolean", int | float: "numeric", datetime: "timestamptz"}


def _ordered(sign: str) -> Callable[[str, str], str]:
    def compared(left: str, right: str) -> str:
        collation = ' COLLATE "C"' if "::text" in right else ""
        return f"coalesce({left}{collation} {sign} {right}, false)"

    return compared


_OPERATORS: Mapping[CompareOperator, Callable[[str, str], str]] = {
    CompareOperator.eq: lambda left, right: f"coalesce({left} = {right}, false)",
    CompareOperator.ne: lambda left, right: f"({left} IS DISTINCT FROM {right})",
    CompareOperator.co: lambda left, right: f"coalesce(position({right} in {left}) > 0, false)",
    CompareOperator.sw: lambda left, right: f"coalesce(starts_with({left}, {right}), false)",
    CompareOperator.ew: lambda left, right: f"coalesce(right({left}, length({right})) = {right}, false)",
    CompareOperator.gt: _ordered(">"),
    CompareOperator.ge: _ordered(">="),
    CompareOperator.lt: _ordered("<"),
    CompareOperator.le: _ordered("<="),
}


def _any(values: str, holds: str) -> str:
    """SQL of whether a condition holds of any value of a JSON array; the condition names each value `x.value`."""
    return f"EXISTS (SELECT 1 FROM jsonb_array_elements(coalesce({values}, '[]')) AS x(value) WHERE {holds})"  # noqa: S608


def _typed(text: str, binding: AttributeBinding) -> str:
    """SQL that casts a text taken from JSON to the attribute's type."""
    return f"({text})::boolean" if binding.target_type is bool else f"({text})"
