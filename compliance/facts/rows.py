"""Writes and reads rows set by set: the SQL that all recorders share.

Column values travel as one binary array each; the organization is sent once. A column that is itself an array travels
as PostgreSQL's array text and is cast on arrival.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from compliance.facts.lines.fields import FactLine
from compliance.tenancy import arrays as arrays_of
from compliance.tenancy import cluster, sql
from compliance.tenancy.models import CompanyRow

ONE_COMPANY = "organization_id = (SELECT %s::uuid)"


def append(
    table: str,
    organization_id: uuid.UUID,
    columns: dict[str, str],
    rows: Sequence[Sequence[Any]],
    *,
    constants: dict[str, tuple[str, Any]] | None = None,
    ending: str = cluster.ANSWER,
) -> Callable[[], int]:
    """Appends `rows` to `table`; `columns` maps names to types in the order of a row's values.

    `constants` maps names to (type, value), the same in every row. A `uuid[]` or `text[]` column takes a sequence.
    `ending` is appended as it is (`ON CONFLICT DO NOTHING`). Call the answer for how many rows were written.
    """
    if not rows:
        return lambda: 0
    filled = dict(zip(columns, zip(columns.values(), zip(*rows, strict=True), strict=True), strict=True))
    return _append(table, organization_id, filled, constants or {}, ending)


def keep(
    model: type[CompanyRow],
    organization_id: uuid.UUID,
    lines: Sequence[FactLine] | Sequence[tuple[Any, ...]],
    **others: Any,
) -> None:
    """Appends a row of `model` for each of `lines`, all of one kind: their fields that are columns, and `others`.

    A list in `others` is a column, with a value for each line; anything else is the same in every row. Other columns
    stay null.
    """
    if not lines:
        return
    named = _names(type(lines[0]))
    columns: dict[str, tuple[str, Sequence[Any]]] = {}
    constants: dict[str, tuple[str, Any]] = {}
    for name, kind in _types(model).items():
        if name not in others:
            if name in named:
                columns[name] = kind, [getattr(line, name) for line in lines]
        elif isinstance(others[name], list):
            columns[name] = kind, others[name]
        else:
            constants[name] = kind, others[name]
    _append(model._meta.db_table, organization_id, columns, constants)


@cache
def _names(kind: type) -> frozenset[str]:
    """The fields of a kind of line, or of a named tuple."""
    return frozenset(kind.model_fields if issubclass(kind, FactLine) else kind._fields)  # type: ignore[attr-defined]


@cache
def _types(model: type[CompanyRow]) -> dict[str, str]:
    """The PostgreSQL type of each column of `model`, without the columns that every row has."""
    fields = [field for field in model._meta.concrete_fields if field.name not in ("id", "organization_id")]
    return {field.name: _type(field) for field in fields if field.get_internal_type() in _TYPES}


def _type(field: Any) -> str:
    kind = _TYPES[field.get_internal_type()]
    return kind or _type(field.base_field) + "[]"


_TYPES = {
    "ArrayField": "", "BigIntegerField": "bigint", "BooleanField": "boolean", "CharField": "text",
    "DateField": "date", "DateTimeField": "timestamptz", "JSONField": "jsonb", "PositiveIntegerField": "integer",
    "PositiveSmallIntegerField": "smallint", "TextField": "text", "UUIDField": "uuid",
}  # fmt: skip


def _append(
    table: str,
    organization_id: uuid.UUID,
    columns: Mapping[str, tuple[str, Sequence[Any]]],
    constants: dict[str, tuple[str, Any]],
    ending: str = cluster.ANSWER,
) -> Callable[[], int]:
    names = ", ".join(["organization_id", *constants, *columns])
    chosen = ["%s::uuid", *(f"%s::{kind}" for kind, _ in constants.values())]
    parameters: list[Any] = [organization_id, *(value for _, value in constants.values())]
    arrays = []
    for index, (kind, values) in enumerate(columns.values()):
        if kind.endswith("[]"):
            arrays.append("%s::text[]")
            parameters.append([None if value is None else _array(value) for value in values])
            chosen.append(f"c{index}::{kind}")
        else:
            arrays.append(f"%s::{kind}[]")
            parameters.append(arrays_of.column(kind, values))
            chosen.append(f"c{index}")
    aliases = ", ".join(f"c{index}" for index in range(len(columns)))
    return sql.append(
        f"INSERT INTO {table} ({names}) SELECT {', '.join(chosen)} "  # noqa: S608
        f"FROM unnest({', '.join(arrays)}) AS x({aliases}) {ending}",
        parameters,
    )


def update(
    table: str,
    organization_id: uuid.UUID,
    columns: dict[str, str],
    assignments: str,
    condition: str,
    rows: Sequence[Sequence[Any]],
) -> None:
    """Updates `table` as `t` from `rows` as `x`: SET `assignments` WHERE the row is the company's AND `condition`."""
    if not rows:
        return
    arrays = ", ".join(f"%s::{kind}[]" for kind in columns.values())
    parameters: list[Any] = [
        arrays_of.column(kind, values) for kind, values in zip(columns.values(), zip(*rows, strict=True), strict=True)
    ]
    sql.append(
        f"UPDATE {table} AS t SET {assignments} FROM unnest({arrays}) AS x({', '.join(columns)}) "  # noqa: S608
        f"WHERE t.{ONE_COMPANY} AND {condition}",
        [*parameters, organization_id],
    )


def lock(model: type[CompanyRow], organization_id: uuid.UUID, name: str, ids: Iterable[Any]) -> None:
    """Keeps others from changing the rows whose column `name` is one of `ids` until the transaction ends.

    A statement that follows reads what an earlier transaction has changed of them.
    """
    lookup(
        f"SELECT {name}, true FROM {model._meta.db_table} WHERE organization_id = %s"  # noqa: S608 - names of a model
        f" AND {name} = ANY(%s) ORDER BY id FOR NO KEY UPDATE",
        organization_id,
        ids,
    )


def lookup(statement: str, organization_id: uuid.UUID, ids: Iterable[Any]) -> dict[Any, Any]:
    """Runs a statement on (organization_id, ids): {first column: second column, or a tuple of the others}.

    Without ids no statement is run. `organization_id = %s` becomes a sub-select: for a company that is not in the
    statistics yet the planner would otherwise expect a single row, and read all of them for each batch by the wrong
    index.
    """
    wanted = list(ids)
    if not wanted:
        return {}
    sent = arrays_of.uuids(wanted) if isinstance(wanted[0], uuid.UUID) else wanted
    found = sql.fetch(statement.replace("organization_id = %s", ONE_COMPANY), (organization_id, sent))
    if found and len(found[0]) == 2:
        return dict(found)
    return {row[0]: row[1:] for row in found}


def _array(values: Iterable[Any]) -> str:
    # Only our own identifiers and codes, which need no quoting.
    return "{" + ",".join(str(value) for value in values) + "}"
