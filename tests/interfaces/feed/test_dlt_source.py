"""The views that docs/dlt_source.py makes in each run, beside those that a reader of the warehouse has made.

dlt itself is not installed here: a few lines stand in for its client of a database. `make clients` runs all of it.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from runpy import run_path
from types import ModuleType, SimpleNamespace
from typing import Any

import duckdb
import psycopg
import pytest
from django.db import connections

from compliance.catalogue import REGISTERS
from tests.interfaces.feed.warehouse import DuckDb, Engine, PostgreSql, columns, table

pytestmark = pytest.mark.django_db
SOURCE = Path(__file__).parents[3] / "docs" / "dlt_source.py"


class UndefinedError(Exception):
    """There is no such table."""


class TerminalError(Exception):
    """The database refuses a statement."""


class Client:
    """The methods of dlt's client of a database that the program uses."""

    def __init__(self, engine: Engine, schema: str) -> None:
        self._engine, self._schema = engine, schema

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def make_qualified_table_name(self, name: str) -> str:
        return f"{self._schema}.{name}"

    def execute_sql(self, statement: str) -> None:
        try:
            self._engine.run(statement)
        except (psycopg.errors.UndefinedTable, duckdb.CatalogException) as error:
            raise UndefinedError from error
        except (psycopg.Error, duckdb.Error) as error:
            raise TerminalError(str(error)) from error

    @contextlib.contextmanager
    def begin_transaction(self) -> Iterator[None]:
        self._engine.run("BEGIN")
        try:
            yield
        except BaseException:
            self._engine.run("ROLLBACK")
            raise
        self._engine.run("COMMIT")


@pytest.fixture(params=["postgres", "duckdb"])
def warehouse(request: pytest.FixtureRequest, db: None) -> Iterator[tuple[Engine, str]]:
    """An empty warehouse with the tables of each register, and its kind."""
    values = connections["owner"].settings_dict
    address = f"postgresql://{values['USER']}:{values['PASSWORD']}@{values['HOST']}:{values['PORT']}/{values['NAME']}"
    with contextlib.ExitStack() as stack:
        engine = DuckDb() if request.param == "duckdb" else stack.enter_context(PostgreSql(address))
        for register in REGISTERS.values():
            members = ", ".join(f"{name} {kind}" for name, kind in columns(register).items())
            engine.run(f"CREATE TABLE {table(register)}_history ({members})")
        yield engine, request.param


@pytest.fixture
def finish(warehouse: tuple[Engine, str], monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """What the program does at the end of each run."""
    engine, kind = warehouse
    modules: dict[str, dict[str, Any]] = {
        "dlt": {},
        "dlt.destinations": {},
        "dlt.destinations.exceptions": {
            "DatabaseTerminalException": TerminalError, "DatabaseUndefinedRelation": UndefinedError,
        },
        "dlt.sources": {},
        "dlt.sources.helpers": {"requests": None},
    }  # fmt: skip
    for name, members in modules.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    client = Client(engine, "main" if kind == "duckdb" else "pg_temp")
    pipeline = SimpleNamespace(
        destination=SimpleNamespace(destination_type=f"dlt.destinations.{kind}"),
        default_schema=SimpleNamespace(tables={f"{table(register)}_history" for register in REGISTERS.values()}),
        sql_client=lambda: client,
    )
    run = run_path(str(SOURCE))["finish"]
    return lambda: run(pipeline)


def test_a_view_on_ours_and_a_moment_that_was_replaced_outlast_every_run(
    warehouse: tuple[Engine, str], finish: Callable[[], None]
) -> None:
    engine, _ = warehouse
    finish()
    engine.run("CREATE VIEW mine AS SELECT id, access_state_then FROM people")
    moments = "TIMESTAMPTZ '2020-06-01 00:00:00+00' AS as_at, TIMESTAMPTZ '2019-06-01 00:00:00+00' AS since"
    engine.run(f"CREATE OR REPLACE VIEW moment AS SELECT {moments}")
    for _ in range(2):
        finish()
        (moment,) = engine.rows("SELECT as_at FROM moment")
        assert (moment["as_at"].year, list(engine.rows("SELECT * FROM mine"))) == (2020, [])


def test_a_moment_may_be_a_table(warehouse: tuple[Engine, str], finish: Callable[[], None]) -> None:
    engine, _ = warehouse
    engine.run("CREATE TABLE moment (as_at timestamptz, since timestamptz)")
    finish()
    assert list(engine.rows("SELECT * FROM people")) == []


def test_a_table_with_a_new_column_has_it_in_its_views(
    warehouse: tuple[Engine, str], finish: Callable[[], None]
) -> None:
    engine, kind = warehouse
    finish()
    engine.run("ALTER TABLE people_history ADD COLUMN shoe_size bigint")
    if kind == "postgres":
        engine.run("CREATE VIEW mine AS SELECT id FROM people")
        with pytest.raises(TerminalError, match="depends on view people"):
            finish()
        assert list(engine.rows("SELECT * FROM mine")) == []  # nothing was dropped
        engine.run("DROP VIEW mine")
    finish()
    assert list(engine.rows("SELECT shoe_size FROM people")) == []
