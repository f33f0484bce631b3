"""Statements that are prepared on a connection under our names and sent by libpq itself, and the rows that come back.

Every statement of `reading` goes through here, whichever server answers it: the primary or a standby.
"""

import select
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from re import compile as pattern
from struct import Struct
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import psycopg
from psycopg import errors, pq
from psycopg.adapt import AdaptersMap, Loader, Transformer
from psycopg.types.numeric import Int8BinaryLoader
from psycopg.types.string import ByteaBinaryLoader

from compliance.tenancy import arrays, cluster
from compliance.tenancy.sql import Row

Driver = psycopg.Connection[Any]
Parameters = Sequence[Any] | dict[str, Any]

DONE: Final = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)
_BINARY = pq.Format.BINARY
_UNNAMED = b""
_ROWS_AT_ONCE = 50  # measured: 25, 50 and 67 make no difference (docs/benchmarks.md); with 100, more rows wait
FORGOTTEN: Final = ("26000", "0A000")
"""SQLSTATEs of a statement that the connection no longer has: the driver dropped all, or a table was altered."""

_NAMED = pattern(r"%\((\w+)\)s|%s")

_BIGINT = Struct("!q").pack
# Encoders of values, by the OID of the type that PostgreSQL found for the placeholder.
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


class Prepared(NamedTuple):
    """A statement that a connection has prepared: its name, and how the value of each placeholder is encoded."""

    name: bytes
    encoders: tuple[Callable[[Any], bytes], ...]
    formats: tuple[int, ...]


class _Reading:
    """How results are decoded, whatever the connection: all of them use UTF-8 and UTC."""

    connection = None

    def __init__(self, loaders: dict[str, type[Loader]]) -> None:
        self.adapters = AdaptersMap(psycopg.adapters)
        for kind, loader in loaders.items():
            self.adapters.register_loader(kind, loader)


_PLAIN = _Reading({})
_RAW = _Reading({"timestamptz": Int8BinaryLoader, "uuid": ByteaBinaryLoader})

_numbers = count()
_prepared: WeakKeyDictionary[Driver, dict[str, Prepared]] = WeakKeyDictionary()


def known(driver: Driver, statement: str) -> Prepared | None:
    """The statement as this connection has prepared it; None if it has not."""
    return _prepared.get(driver, {}).get(statement)


def forget(driver: Driver) -> None:
    """Records that the connection has no prepared statement any more."""
    _prepared.pop(driver, None)


def execute(driver: Driver, statement: str, parameters: Parameters, *, named: bool) -> Any:
    """Runs a statement and waits for its result, which may be an error. `named` keeps it prepared."""
    names = _prepared.setdefault(driver, {})
    prepared = names.get(statement)
    if prepared is None or not named:
        # In the caller's transaction a forgotten name would abort all of the caller's work, so none is used there.
        name = f"reading_{next(_numbers)}".encode() if named else _UNNAMED
        prepared = _prepare(driver, name, positional(statement)[1])
        if named:
            names[statement] = prepared
    encoded = _encoded(prepared, statement, parameters)
    return driver.pgconn.exec_prepared(prepared.name, encoded, prepared.formats, _BINARY)


def send(driver: Driver, prepared: Prepared, statement: str, parameters: Parameters) -> None:
    """Sends a prepared statement without waiting; `answer` waits for its result."""
    driver.pgconn.send_query_prepared(
        prepared.name, _encoded(prepared, statement, parameters), prepared.formats, _BINARY
    )
    driver.pgconn.flush()


def send_for_portions(driver: Driver, prepared: Prepared, statement: str, parameters: Parameters) -> None:
    """As `send`, for rows that are taken by `portion`."""
    send(driver, prepared, statement, parameters)
    driver.pgconn.set_chunked_rows_mode(_ROWS_AT_ONCE)


def portion(driver: Driver, raw: bool) -> tuple[list[Row], bool]:
    """The next rows after `send_for_portions`, and whether they are the last. Raises the statement's error.

    Waits for some rows without holding the GIL, and takes all that have arrived by then.
    """
    found: list[Row] = []
    wait(driver)
    while not driver.pgconn.is_busy():
        result = driver.pgconn.get_result()
        if result is None:
            if driver.pgconn.status != pq.ConnStatus.OK:
                raise psycopg.OperationalError("The connection was lost.")
            return found, True
        if result.status != pq.ExecStatus.TUPLES_CHUNK and result.status != pq.ExecStatus.TUPLES_OK:
            raise error(driver, result)
        found += _loaded(result, raw)
    return found, False


def answer(driver: Driver, *, whole: bool = False) -> Any:
    """The result of the statement that was sent. Raises OperationalError when the connection was lost.

    No other thread runs while libpq takes a result, so it is taken only once it has begun to arrive, or with `whole`
    once it has arrived: a server that hangs blocks one thread only.
    """
    found = None
    while wait(driver, whole=whole):
        result = driver.pgconn.get_result()
        if result is None:
            break
        found = result
    if found is None or driver.pgconn.status != pq.ConnStatus.OK:
        raise psycopg.OperationalError("The connection was lost.")
    return found


def wait(driver: Driver, seconds: float | None = None, *, whole: bool = True) -> bool:
    """Returns True when a result is there, or without `whole` has begun to arrive; other threads run meanwhile.

    Raises OperationalError after `seconds`.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    ready = None
    while driver.pgconn.is_busy():
        if ready is None:
            ready = select.poll()
            ready.register(driver.pgconn.socket, select.POLLIN)
        left = None if deadline is None else (deadline - time.monotonic()) * 1000
        if (left is not None and left <= 0) or not ready.poll(left):
            raise psycopg.OperationalError("The server does not answer.")
        if not whole:
            break
        driver.pgconn.consume_input()
    return True


def rows(driver: Driver, result: Any, raw: bool) -> list[Row]:
    """The rows of a result; with `raw`, instants as numbers and identifiers as bytes. Raises the result's error."""
    if result.status != pq.ExecStatus.TUPLES_OK:
        raise error(driver, result)
    return _loaded(result, raw)


def command(driver: Driver, text: bytes) -> None:
    """Runs one or more statements whose rows are not needed. Raises their error."""
    result = driver.pgconn.exec_(text)
    if result.status not in DONE:
        raise error(driver, result)


def is_forgotten(result: Any) -> bool:
    """Whether a statement failed because the connection no longer has it."""
    state = None if result.status in DONE else result.error_field(pq.DiagnosticField.SQLSTATE)
    return state is not None and state.decode() in FORGOTTEN


def error(driver: Driver, result: Any) -> psycopg.Error:
    """The driver's error for a failed result."""
    if driver.pgconn.status != pq.ConnStatus.OK:
        return psycopg.OperationalError(result.get_error_message())
    return errors.error_from_result(result)


@lru_cache(maxsize=512)
def positional(statement: str) -> tuple[tuple[str, ...], bytes]:
    """The names of a statement's parameters in the order of their numbers, and its text with numbers for names."""
    names: list[str] = []

    def number(found: Any) -> str:
        name = found[1]
        if name is None or name not in names:
            names.append(name or "")
        return f"${len(names) if name is None else names.index(name) + 1}"

    text = _NAMED.sub(number, cluster.planned(statement)).replace("%%", "%").encode()
    return tuple(names), text


def _loaded(result: Any, raw: bool) -> list[Row]:
    transformer = Transformer(_RAW if raw else _PLAIN)
    transformer.set_pgresult(result)
    return transformer.load_rows(0, result.ntuples, tuple)


def _encoded(prepared: Prepared, statement: str, parameters: Parameters) -> list[Any]:
    """The values of a statement's placeholders in their order, as they are sent."""
    values = parameters
    if isinstance(parameters, dict):
        values = [parameters[name] for name in positional(statement)[0]]
    return [None if value is None else encode(value) for encode, value in zip(prepared.encoders, values, strict=True)]


def _prepare(driver: Driver, name: bytes, text: bytes) -> Prepared:
    """Prepares a statement; PostgreSQL finds the types of its placeholders, and these determine the encoders."""
    for result in (driver.pgconn.prepare(name, text), described := driver.pgconn.describe_prepared(name)):
        if result.status != pq.ExecStatus.COMMAND_OK:
            raise error(driver, result)
    encoders = tuple(_ENCODERS[described.param_type(number)] for number in range(described.nparams))
    return Prepared(name, encoders, (_BINARY,) * len(encoders))
