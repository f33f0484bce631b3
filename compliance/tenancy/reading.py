"""Statements on the paths that answer requests: prepared once a connection, sent by libpq itself.

The driver's cursors hand a result over in as many steps as packets arrive, between which another thread may run; for a
page of 200 rows that costs half as much again as the statement does. `PQexecPrepared` waits once, outside of Python's
lock. `company` begins and ends its transaction without waiting for either.
"""

import contextlib
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import lru_cache
from itertools import count
from re import compile as pattern
from struct import Struct
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import errors, pq
from psycopg.adapt import AdaptersMap, Loader, Transformer
from psycopg.types.numeric import Int8BinaryLoader
from psycopg.types.string import ByteaBinaryLoader

from compliance.tenancy import arrays, cluster, context
from compliance.tenancy.errors import OtherCompanyError
from compliance.tenancy.sql import Row

_BINARY = pq.Format.BINARY
_DONE = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)
_FORGET = b"SET LOCAL app.organization = ''"
_UNNAMED = b""
_FORGOTTEN = ("26000", "0A000")
"""SQL states of a statement that a connection knows no more: the driver dropped all, or a table was altered."""

_NAMED = pattern(r"%\((\w+)\)s|%s")

_BIGINT = Struct("!q").pack
# How values are sent, by PostgreSQL's number of the type that a placeholder was found to have.
_ENCODERS: Final[dict[int, Callable[[Any], bytes]]] = {
    16: Struct("!?").pack,
    17: bytes,
    20: _BIGINT,
    21: Struct("!h").pack,
    23: Struct("!i").pack,
    25: str.encode,
    1001: lambda column: column.data,
    1005: lambda column: column.data,
    1016: lambda column: column.data,
    1184: lambda moment: _BIGINT(arrays.in_microseconds(moment)),
    2950: lambda identifier: identifier.bytes,
    2951: lambda identifiers: arrays.identifiers(identifiers).data,
}


class _Prepared(NamedTuple):
    """A statement that a connection knows: its name, and how the value of each placeholder is encoded."""

    name: bytes
    encoders: tuple[Callable[[Any], bytes], ...]
    formats: tuple[int, ...]


class _Reading:
    """How results are read, whatever the connection: it speaks UTF-8 and UTC."""

    connection = None

    def __init__(self, loaders: dict[str, type[Loader]]) -> None:
        self.adapters = AdaptersMap(psycopg.adapters)
        for kind, loader in loaders.items():
            self.adapters.register_loader(kind, loader)


_PLAIN = _Reading({})
_RAW = _Reading({"timestamptz": Int8BinaryLoader, "uuid": ByteaBinaryLoader})


# A page walks its indexes in their order; statistics of a table that has just begun to fill must not talk the planner
# out of it.
_PLANNING = "".join(
    f"; SET LOCAL {name} = {value}"
    for name, value in (("plan_cache_mode", cluster.PLANS), ("enable_seqscan", "off"), ("enable_sort", "off"))
)


class _Asked:
    """The transaction of a `company` block. `unsettled`: a command was sent, and its answer not yet looked at."""

    __slots__ = ("opened", "opening", "unsettled")

    def __init__(self, organization_id: uuid.UUID, timeout_milliseconds: int) -> None:
        self.opening = (
            f"SET LOCAL app.organization = '{organization_id}';"
            f" SET LOCAL statement_timeout = {int(timeout_milliseconds)}{_PLANNING}"
        ).encode()
        self.opened = self.unsettled = False

    def send(self, driver: psycopg.Connection[Any], command: bytes) -> None:
        """Hands a command over and goes on."""
        self.settle(driver)
        driver.pgconn.send_query(command)
        driver.pgconn.flush()
        self.unsettled = True

    def settle(self, driver: psycopg.Connection[Any]) -> None:
        """Takes the answers to what was sent. Raises the first error among them."""
        if not self.unsettled:
            return
        self.unsettled, failed = False, None
        while (result := driver.pgconn.get_result()) is not None:
            if result.status not in _DONE:
                failed = failed or _error(driver, result)
                if driver.pgconn.status != pq.ConnStatus.OK:
                    break
        if failed is not None:
            raise failed

    def open(self, driver: psycopg.Connection[Any], inside: bool) -> None:
        """Begins the transaction, without waiting for it where it is our own; `inside` of one of Django's it is not."""
        if not self.opened:
            self.opened = True
            if inside:
                _command(driver, self.opening)
            else:
                self.send(driver, b"BEGIN READ ONLY; " + self.opening)


_numbers = count()
_prepared: WeakKeyDictionary[psycopg.Connection[Any], dict[str, _Prepared]] = WeakKeyDictionary()
_asked: ContextVar[_Asked | None] = ContextVar("reading", default=None)


@contextlib.contextmanager
def company(organization_id: uuid.UUID, *, timeout_milliseconds: int) -> Iterator[None]:
    """Within it, `fetch` shows the rows of `organization_id`, and no statement runs longer than the timeout.

    One transaction that only reads; PostgreSQL begins it while the caller goes on. Within `context.company` it uses
    that transaction. The block uses the connection by `fetch` alone. Raises OtherCompanyError.
    """
    around = context.current_company()
    if around is not None:
        if around != organization_id:
            raise OtherCompanyError("A transaction serves one company; finish it before the next one.")
        yield
        return
    asked = _Asked(organization_id, timeout_milliseconds)
    django = connections[DEFAULT_DB_ALIAS]
    token = _asked.set(asked)
    try:
        context.close_unfinished(django)
        django.ensure_connection()
        with django.wrap_database_errors:
            if django.in_atomic_block:
                _begin_as_django_would(django.connection)
            asked.open(django.connection, django.in_atomic_block)
        yield
    except BaseException:
        # The connection may be what failed, and a transaction around this block may be at an end already.
        with contextlib.suppress(psycopg.Error):
            asked.settle(django.connection)
        with contextlib.suppress(psycopg.Error):
            if asked.opened:
                _command(django.connection, _FORGET if django.in_atomic_block else b"ROLLBACK")
        raise
    else:
        with django.wrap_database_errors:
            finish()
            asked.settle(django.connection)
    finally:
        context.close_unfinished(django)
        _asked.reset(token)


def finish() -> None:
    """Says that nothing more will be read in this block: the transaction ends while the caller goes on."""
    asked = _asked.get()
    if asked is None or not asked.opened:
        return
    django = connections[DEFAULT_DB_ALIAS]
    driver = django.connection
    if django.in_atomic_block:
        # A transaction that someone opened around this block (the suite does) is left without a company.
        _command(driver, _FORGET)
    else:
        asked.send(driver, b"COMMIT")
    asked.opened = False


def fetch(statement: str, parameters: Sequence[Any] | dict[str, Any] = (), *, raw: bool = False) -> list[Row]:
    """Runs one statement and returns all its rows; within `company`, in its transaction.

    The text is kept with each connection, so it must not vary with what is asked. With `raw` instants come as
    PostgreSQL keeps them (`arrays.in_microseconds`) and identifiers as 16 bytes: objects for these cost ten times that.
    """
    django = connections[DEFAULT_DB_ALIAS]  # asked for once: `connection` looks it up for each of its attributes
    django.ensure_connection()
    started = time.monotonic()
    try:
        with django.wrap_database_errors:
            return _fetch(django, statement, parameters, raw)
    finally:
        if django.queries_logged:
            django.queries_log.append({"sql": statement, "time": f"{time.monotonic() - started:.3f}"})


def ask(
    statement: str, parameters: Sequence[Any] | dict[str, Any] = (), *, raw: bool = False
) -> Callable[[], list[Row]]:
    """Sends a statement as `fetch` does, and returns what gives its rows: PostgreSQL works while the caller goes on.

    Within `company`, after a `fetch`. The rows must be taken before anything else is asked.
    """
    django = connections[DEFAULT_DB_ALIAS]
    asked = _asked.get()
    driver: psycopg.Connection[Any] = django.connection
    prepared = None
    if asked is not None and asked.opened and not asked.unsettled and not django.in_atomic_block:
        prepared = _prepared.get(driver, {}).get(statement)
    if prepared is None:  # not here, or not yet
        rows = fetch(statement, parameters, raw=raw)
        return lambda: rows
    if django.queries_logged:
        django.queries_log.append({"sql": statement, "time": "0"})
    with django.wrap_database_errors:
        driver.pgconn.send_query_prepared(
            prepared.name, _encoded(prepared, statement, parameters), prepared.formats, _BINARY
        )
        driver.pgconn.flush()

    def take() -> list[Row]:
        with django.wrap_database_errors:
            found, result = None, driver.pgconn.get_result()
            while result is not None:
                found, result = result, driver.pgconn.get_result()
            if found is None or driver.pgconn.status != pq.ConnStatus.OK:
                raise psycopg.OperationalError("The connection was lost.")
            if found.status == pq.ExecStatus.TUPLES_OK:
                return _loaded(found, raw)
            if not _is_forgotten(found):
                raise _error(driver, found)
            _begin_anew(driver, asked, _prepared[driver])
            return _fetch(django, statement, parameters, raw)

    return take


def _fetch(
    django: BaseDatabaseWrapper, statement: str, parameters: Sequence[Any] | dict[str, Any], raw: bool
) -> list[Row]:
    driver: psycopg.Connection[Any] = django.connection
    inside = django.in_atomic_block
    known = _prepared.setdefault(driver, {})
    asked = _asked.get()
    if inside:
        _begin_as_django_would(driver)
    if asked is not None:
        asked.open(driver, inside)
        asked.settle(driver)
    result = _execute(driver, inside, known, statement, parameters)
    if result.status != pq.ExecStatus.TUPLES_OK and not inside and _is_forgotten(result):
        _begin_anew(driver, asked, known)
        result = _execute(driver, inside, known, statement, parameters)
    if result.status != pq.ExecStatus.TUPLES_OK:
        raise _error(driver, result)
    return _loaded(result, raw)


def _begin_anew(driver: psycopg.Connection[Any], asked: _Asked | None, known: dict[str, _Prepared]) -> None:
    """After a statement that the connection had forgotten: nothing was written, so nothing is lost."""
    known.clear()
    if asked is not None:
        _command(driver, b"ROLLBACK")
        asked.opened = False
        asked.open(driver, False)
        asked.settle(driver)


def _loaded(result: Any, raw: bool) -> list[Row]:
    transformer = Transformer(_RAW if raw else _PLAIN)
    transformer.set_pgresult(result)
    return transformer.load_rows(0, result.ntuples, tuple)


def _begin_as_django_would(driver: psycopg.Connection[Any]) -> None:
    """Within Django's own: the driver sends BEGIN before the first statement of its own; ours is not its own."""
    if driver.pgconn.transaction_status == pq.TransactionStatus.IDLE:
        _command(driver, b"BEGIN")


def _execute(
    driver: psycopg.Connection[Any],
    inside: bool,
    known: dict[str, _Prepared],
    statement: str,
    parameters: Sequence[Any] | dict[str, Any],
) -> Any:
    prepared = known.get(statement)
    if prepared is None or inside:
        # In somebody else's transaction a name that is forgotten would cost them all their work: it gets none.
        name = _UNNAMED if inside else f"reading_{next(_numbers)}".encode()
        prepared = _prepare(driver, name, _positional(statement)[1])
        if name:
            known[statement] = prepared
    encoded = _encoded(prepared, statement, parameters)
    return driver.pgconn.exec_prepared(prepared.name, encoded, prepared.formats, _BINARY)


def _encoded(prepared: _Prepared, statement: str, parameters: Sequence[Any] | dict[str, Any]) -> list[Any]:
    """The values of a statement's placeholders in their order, as they are sent."""
    values = parameters
    if isinstance(parameters, dict):
        values = [parameters[name] for name in _positional(statement)[0]]
    return [None if value is None else encode(value) for encode, value in zip(prepared.encoders, values, strict=True)]


def _prepare(driver: psycopg.Connection[Any], name: bytes, text: bytes) -> _Prepared:
    """Lets PostgreSQL find the types of the placeholders, and keeps how to send values of these."""
    for result in (driver.pgconn.prepare(name, text), described := driver.pgconn.describe_prepared(name)):
        if result.status != pq.ExecStatus.COMMAND_OK:
            raise _error(driver, result)
    encoders = tuple(_ENCODERS[described.param_type(number)] for number in range(described.nparams))
    return _Prepared(name, encoders, (_BINARY,) * len(encoders))


def _command(driver: psycopg.Connection[Any], command: bytes) -> None:
    result = driver.pgconn.exec_(command)
    if result.status not in _DONE:
        raise _error(driver, result)


def _is_forgotten(result: Any) -> bool:
    state = result.error_field(pq.DiagnosticField.SQLSTATE)
    return state is not None and state.decode() in _FORGOTTEN


@lru_cache(maxsize=512)
def _positional(statement: str) -> tuple[tuple[str, ...], bytes]:
    """The names of a statement's parameters in the order of their numbers, and its text with numbers for names."""
    names: list[str] = []

    def number(found: Any) -> str:
        name = found[1]
        if name is None or name not in names:
            names.append(name or "")
        return f"${len(names) if name is None else names.index(name) + 1}"

    text = _NAMED.sub(number, cluster.planned(statement)).replace("%%", "%").encode()
    return tuple(names), text


def _error(driver: psycopg.Connection[Any], result: Any) -> psycopg.Error:
    if driver.pgconn.status != pq.ConnStatus.OK:
        return psycopg.OperationalError(result.get_error_message())
    return errors.error_from_result(result)
