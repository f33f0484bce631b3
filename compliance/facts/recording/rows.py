"""Rows in and out, set by set: what every recorder needs of SQL (design 3 and 11).

Column values travel as one binary array each; the organization is sent once. A column that is itself an array travels
as PostgreSQL's array text and is cast on arrival.
"""

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from compliance.tenancy import arrays as arrays_of
from compliance.tenancy import sql

ONE_COMPANY = "organization_id = (SELECT %s::uuid)"


def append(
    table: str,
    organization_id: uuid.UUID,
    columns: dict[str, str],
    rows: Sequence[Sequence[Any]],
    *,
    constants: dict[str, tuple[str, Any]] | None = None,
    ending: str = "",
) -> None:
    """Appends `rows` to `table`; `columns` maps names to types in the order of a row's values.

    `constants` maps names to (type, value), the same in every row. A `uuid[]` or `text[]` column takes a sequence.
    """
    if not rows:
        return
    constants = constants or {}
    names = ", ".join(["organization_id", *constants, *columns])
    chosen = ["%s::uuid", *(f"%s::{kind}" for kind, _ in constants.values())]
    parameters: list[Any] = [organization_id, *(value for _, value in constants.values())]
    arrays = []
    for index, (kind, values) in enumerate(zip(columns.values(), zip(*rows, strict=True), strict=True)):
        if kind.endswith("[]"):
            arrays.append("%s::text[]")
            parameters.append([None if value is None else _array(value) for value in values])
            chosen.append(f"c{index}::{kind}")
        else:
            arrays.append(f"%s::{kind}[]")
            parameters.append(arrays_of.column(kind, values))
            chosen.append(f"c{index}")
    aliases = ", ".join(f"c{index}" for index in range(len(columns)))
    sql.append(
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
) -> int:
    """Updates `table` as `t` from `rows` as `x`: SET `assignments` WHERE the row is the company's AND `condition`."""
    if not rows:
        return 0
    arrays = ", ".join(f"%s::{kind}[]" for kind in columns.values())
    parameters: list[Any] = [
        arrays_of.column(kind, values) for kind, values in zip(columns.values(), zip(*rows, strict=True), strict=True)
    ]
    return sql.execute(
        f"UPDATE {table} AS t SET {assignments} FROM unnest({arrays}) AS x({', '.join(columns)}) "  # noqa: S608
        f"WHERE t.{ONE_COMPANY} AND {condition}",
        [*parameters, organization_id],
    )


def lookup(statement: str, organization_id: uuid.UUID, ids: Iterable[Any]) -> dict[Any, Any]:
    """Runs a statement on (organization_id, ids): {first column: second column, or a tuple of the others}.

    No statement is run for no ids. `organization_id = %s` becomes a sub-select: of a company that the statistics do not
    hold yet the planner would else expect a single row, and read all of them for each batch by the wrong index.
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
    # Identifiers and words of our own vocabulary only: nothing that needs quoting.
    return "{" + ",".join(str(value) for value in values) + "}"
