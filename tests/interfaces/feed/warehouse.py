"""A consumer's warehouse: the tables and the exact SQL of docs/feed.md, in PostgreSQL, in DuckDB, or translated to it.

BigQuery has no server that could be started here: sqlglot parses its SQL as BigQuery's, and DuckDB runs it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

import duckdb
import psycopg
import pyarrow
import sqlglot
from pydantic import BaseModel

from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Register
from compliance.catalogue.stored import stored_shape

PAGE = Path(__file__).parents[3] / "docs" / "feed.md"
DIALECTS = ("postgresql", "duckdb", "bigquery")
_BLOCK = re.compile(r"<!-- sql: ([a-z ]+) -->\n```sql\n(.*?)```", re.DOTALL)
_ENVELOPE = {
    "id": "uuid", "sequence": "bigint", "capture_sequence": "bigint", "valid_from": "timestamptz",
    "recorded_at": "timestamptz", "cause": "text", "logic_version": "bigint", "removed": "boolean",
}  # fmt: skip
_KINDS = {"integer": "bigint", "boolean": "boolean", "array": "json", "string": "text"}
_FORMATS = {"uuid": "uuid", "date-time": "timestamptz", "date": "date"}
Rows = dict[str, dict[str, Any]]


@cache
def statements(dialect: str) -> tuple[str, ...]:
    """The page's statements for a dialect, in order."""
    found = []
    for dialects, text in _BLOCK.findall(PAGE.read_text()):
        if dialect in dialects.split():
            if dialect == "bigquery":
                parsed = sqlglot.parse(text, read="bigquery", error_level=sqlglot.ErrorLevel.RAISE)
                found += [each.sql("duckdb") for each in parsed if each is not None]
            else:
                found += [each.strip() for each in text.split(";") if each.strip()]
    return tuple(found)


def table(register: Register) -> str:
    """The page's name for the register's table."""
    return register.name.replace("-", "_")


@cache
def columns(register: Register) -> dict[str, str]:
    """The columns of a register's history, with their types."""
    shapes: list[type[BaseModel]] = [stored_shape(register)]
    if register.basis is not None:
        shapes.append(register.basis)
    own = {name: _type(schema) for shape in shapes for name, schema in shape.model_json_schema()["properties"].items()}
    return _ENVELOPE | own


def _type(schema: dict[str, Any]) -> str:
    """The type of a column by its schema in the OpenAPI document; referenced schemas are enumerations."""
    kinds = [kind for kind in schema.get("anyOf", [schema]) if kind.get("type") != "null"]
    kind = kinds[0]
    return _FORMATS.get(kind.get("format", "")) or _KINDS[kind.get("type", "string")]


def row_of(change: dict[str, Any]) -> dict[str, Any]:
    """A version as a row of its register's history."""
    return {name: change[name] for name in _ENVELOPE} | change["fields"] | change.get("basis", {})


class Engine(Protocol):
    """The database that runs a warehouse."""

    def run(self, statement: str) -> None:
        """Runs a statement without a result."""

    def insert(self, name: str, types: dict[str, str], rows: list[dict[str, Any]]) -> None:
        """Inserts rows, whose values are those of JSON; a missing value is null."""

    def rows(self, query: str) -> Iterator[dict[str, Any]]:
        """The rows of a query as Python's values."""


class DuckDb:
    """DuckDB in memory."""

    def __init__(self) -> None:
        self._connection = duckdb.connect()
        self._connection.execute("SET TimeZone = 'UTC'")

    def run(self, statement: str) -> None:
        self._connection.execute(statement)

    def insert(self, name: str, types: dict[str, str], rows: list[dict[str, Any]]) -> None:
        texts = {column: pyarrow.array([_text(row.get(column)) for row in rows], pyarrow.string()) for column in types}
        self._connection.register("incoming", pyarrow.table(texts))
        cast = ", ".join(f"CAST({column} AS {kind})" for column, kind in types.items())
        self._connection.execute(f"INSERT INTO {name} SELECT {cast} FROM incoming")
        self._connection.unregister("incoming")

    def rows(self, query: str) -> Iterator[dict[str, Any]]:
        yield from self._connection.sql(query).to_arrow_table().to_pylist()


class PostgreSql:
    """Tables of a session of its own, which vanish with it; within `with`."""

    def __init__(self, address: str) -> None:
        self._connection = psycopg.connect(address, autocommit=True)
        self._connection.execute("SET search_path TO pg_temp")
        self._connection.execute("SET TimeZone TO 'UTC'")

    def run(self, statement: str) -> None:
        self._connection.execute(statement)

    def insert(self, name: str, types: dict[str, str], rows: list[dict[str, Any]]) -> None:
        cast = ", ".join(f"%({column})s::text::{kind}" for column, kind in types.items())
        values = [{column: _text(row.get(column)) for column in types} for row in rows]
        with self._connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {name} VALUES ({cast})", values)

    def rows(self, query: str) -> Iterator[dict[str, Any]]:
        cursor = self._connection.execute(query)
        names = [column.name for column in cursor.description or ()]
        for row in cursor:
            yield dict(zip(names, row, strict=True))

    def __enter__(self) -> "PostgreSql":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()


class Warehouse:
    """The history of one company from the feed, and the page's views over it."""

    def __init__(self, engine: Engine, dialect: str) -> None:
        self._engine = engine
        for register in REGISTERS.values():
            members = ", ".join(f"{name} {kind}" for name, kind in columns(register).items())
            engine.run(f"CREATE TABLE {table(register)}_history ({members})")
        engine.run("CREATE TABLE moment (as_at timestamptz, since timestamptz)")
        self._after_reading = []
        for statement in statements(dialect):
            if statement.startswith("UPDATE"):
                self._after_reading.append(statement)
            elif not statement.startswith("CREATE VIEW moment"):
                engine.run(statement)

    def empty(self) -> None:
        """Deletes its rows."""
        for register in REGISTERS.values():
            self._engine.run(f"DELETE FROM {table(register)}_history")

    def add(self, changes: Iterable[dict[str, Any]]) -> None:
        """Stores what a reading of the feed returned, as the page instructs."""
        by_register: dict[str, list[dict[str, Any]]] = {}
        for change in changes:
            by_register.setdefault(change["register"], []).append(row_of(change))
        for register in REGISTERS.values():
            if own := by_register.get(register.name):
                self._engine.insert(f"{table(register)}_history", columns(register), own)
        for statement in self._after_reading:
            self._engine.run(statement)

    def ask(self, query: str) -> list[dict[str, Any]]:
        """The rows of a query, with JSON's values."""
        return [{name: _json(value) for name, value in row.items()} for row in self._engine.rows(query)]

    def at(self, moment: datetime, since: datetime) -> dict[str, Rows]:
        """Every register as at a moment, by its name, then by the id of its rows."""
        self._engine.run("DELETE FROM moment")
        self._engine.run(
            f"INSERT INTO moment VALUES ('{moment.astimezone(UTC).isoformat()}', '{since.astimezone(UTC).isoformat()}')"
        )
        found: dict[str, Rows] = {}
        for register in REGISTERS.values():
            kept = self.ask(f"SELECT * FROM {table(register)}")
            lists = [name for name, kind in columns(register).items() if kind == "json"]
            for row in kept:
                row.update({name: json.loads(row[name]) for name in lists if isinstance(row[name], str)})
            found[register.name] = {row["id"]: row for row in kept}
            assert len(found[register.name]) == len(kept), register.name
        return found


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)


def _json(value: Any) -> Any:
    match value:
        case datetime():
            return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
        case bytes():
            return str(UUID(bytes=value))
        case _:
            return value
