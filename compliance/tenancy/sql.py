"""Raw, binary statements on Django's own connection, for the hot paths.

The cursor is psycopg's own, so results come in binary and no model instance is made; errors become Django's, and
each statement is counted where Django counts its own, so that query-count tests see it.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Self

import psycopg
from django.db import connection, transaction

from compliance.tenancy import arrays, cluster

Row = tuple[Any, ...]

MOST_BEHIND = 4
"""The most statements that may be under way, each of which keeps its rows in memory."""


def fetch(statement: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> list[Row]:
    """Runs one statement and returns all its rows."""
    return _execute(statement, parameters, True)


def execute(statement: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> int:
    """Runs one statement and returns how many rows it touched."""
    return _execute(statement, parameters, False)


def execute_soon(statement: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> int:
    """As `execute`, in a transaction whose commit waits for no disk and no standby, for notes that may be lost.

    A commit that waits for a standby waits for ever where none is left, and no reader may have to wait for a note.
    """
    with transaction.atomic():
        _execute("SET LOCAL synchronous_commit = off", (), False)
        return _execute(statement, parameters, False)


def insert(table: str, columns: dict[str, str], rows: Sequence[Sequence[Any]], *, ending: str = cluster.ANSWER) -> int:
    """Appends `rows` to `table` with one statement, each column sent as one binary array.

    `columns` maps column names to PostgreSQL types (`uuid`, `timestamptz`, ...) in the order of the values of a row.
    `ending` is appended as it is (`ON CONFLICT DO NOTHING`). Row-level security refuses COPY, and this is the fastest
    alternative; Citus turns it into a COPY too, unless it returns rows. A column that is itself an array cannot be sent
    this way.
    """
    if not rows:
        return 0
    names = ", ".join(columns)
    casts = ", ".join(f"%s::{kind}[]" for kind in columns.values())
    values = [
        arrays.column(kind, column) for kind, column in zip(columns.values(), zip(*rows, strict=True), strict=True)
    ]
    return execute(f"INSERT INTO {table} ({names}) SELECT * FROM unnest({casts}) {ending}", values)  # noqa: S608


class _Behind:
    """Statements that PostgreSQL works on while Python goes on: one after the other, on the same connection.

    The block's end waits for them, and raises the first error as Django's. A block that fails waits too, so that a
    rollback can follow.
    """

    def __init__(self) -> None:
        self._executor: ThreadPoolExecutor | None = None
        self._under_way: deque[Future[int]] = deque()

    def __enter__(self) -> Self:
        return self

    def execute(self, statement: str, parameters: Sequence[Any]) -> Callable[[], int]:
        """Hands one statement over; the answer waits for it and returns how many rows it touched.

        At most `MOST_BEHIND` are under way, so that what they carry stays bounded.
        """
        if len(self._under_way) >= MOST_BEHIND:
            with connection.wrap_database_errors:
                self._under_way.popleft().result()
        connection.ensure_connection()
        arrays.teach(connection.connection)
        if connection.queries_logged:
            connection.queries_log.append({"sql": statement, "time": "0"})
        if self._executor is None:
            self._executor = ThreadPoolExecutor(1)
        future = self._executor.submit(_run, connection.connection, statement, parameters)
        self._under_way.append(future)

        def touched() -> int:
            with connection.wrap_database_errors:
                return future.result()

        return touched

    def wait(self) -> None:
        """Returns when nothing is under way any more."""
        under_way, self._under_way = self._under_way, deque()
        if under_way:
            futures.wait(under_way)
            with connection.wrap_database_errors:
                for each in under_way:
                    each.result()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.wait()
        finally:
            if self._executor is not None:
                self._executor.shutdown()


class _Current(threading.local):
    behind: _Behind | None = None


_current = _Current()


@contextmanager
def pipelined() -> Iterator[None]:
    """Within it `append` returns at once; any other statement, of Django's models too, first waits for those under way.

    So every statement still sees all those before it. An error is raised by the next statement, or at the block's end.
    """

    def first_wait(execute: Callable[..., Any], *arguments: Any) -> Any:
        behind.wait()
        return execute(*arguments)

    with _Behind() as behind, connection.execute_wrapper(first_wait):
        _current.behind = behind
        try:
            yield
        finally:
            _current.behind = None


def append(statement: str, parameters: Sequence[Any]) -> Callable[[], int]:
    """Runs a statement whose rows nobody needs; call the answer to wait for it and learn how many rows it touched."""
    if _current.behind is None:
        touched = _execute(statement, parameters, False)
        return lambda: touched
    return _current.behind.execute(statement, parameters)


def _run(driver: psycopg.Connection[Any], statement: str, parameters: Sequence[Any]) -> int:
    with psycopg.Cursor(driver) as cursor:
        return cursor.execute(cluster.planned(statement), parameters).rowcount


def _execute(statement: str, parameters: Sequence[Any] | dict[str, Any], wanted: bool) -> Any:
    if _current.behind is not None:
        _current.behind.wait()
    connection.ensure_connection()
    started = time.monotonic()
    with connection.wrap_database_errors:
        arrays.teach(connection.connection)
        cursor = psycopg.Cursor(connection.connection)
        try:
            cursor.execute(cluster.planned(statement), parameters, binary=True)
            result: Any = cursor.fetchall() if wanted else cursor.rowcount
        finally:
            cursor.close()
            if connection.queries_logged:
                connection.queries_log.append({"sql": statement, "time": f"{time.monotonic() - started:.3f}"})
    return result
