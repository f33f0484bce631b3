"""Columns of many rows as PostgreSQL's binary arrays.

The driver's own list dumper looks up an encoder for every element, which costs a capture more time than its decisions.
Here an element is a piece of bytes (its length, then its value), and a column is these pieces joined. COPY would be the
alternative, but row-level security refuses it.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from struct import Struct, pack
from typing import Any, Final
from uuid import UUID
from weakref import WeakSet

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format

NULL: Final = b"\xff\xff\xff\xff"
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_BIGINT_PIECE = Struct("!iq").pack
_LENGTH = Struct("!i").pack

_BOOLEAN, _BYTES, _BIGINT, _SMALLINT, _INTEGER, _TEXT, _INSTANT, _UUID = 16, 17, 20, 21, 23, 25, 1184, 2950


class BinaryArray:
    """One column, ready to be sent; the statement casts its placeholder to the array's type."""

    __slots__ = ("data",)

    def __init__(self, element_type: int, pieces: Sequence[bytes]) -> None:
        # What array_recv reads first: one dimension, may hold nulls, element type, number of elements, lower bound 1.
        self.data = pack("!iiIii", 1, 1, element_type, len(pieces), 1) + b"".join(pieces)


class _BinaryArrayDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Any) -> Buffer | None:
        return obj.data


_taught: WeakSet[psycopg.Connection[Any]] = WeakSet()


def teach(driver: psycopg.Connection[Any]) -> None:
    """Teaches an open connection to send a BinaryArray, once."""
    if driver not in _taught:
        driver.adapters.register_dumper(BinaryArray, _BinaryArrayDumper)
        _taught.add(driver)


def in_microseconds(moment: datetime) -> int:
    """An instant as PostgreSQL keeps it: microseconds since the beginning of 2000, UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def _instant_piece(moment: datetime) -> bytes:
    return _BIGINT_PIECE(8, (moment - _EPOCH) // _MICROSECOND)


def _bytes_piece(value: bytes) -> bytes:
    return _LENGTH(len(value)) + value


def _pieces(make: Callable[[Any], bytes], values: Sequence[Any]) -> list[bytes]:
    """The pieces of a column. Each object is encoded once, however often it occurs.

    Objects are found by address, not by value: they outlive the call, and hashing an instant takes longer than sending
    it.
    """
    made: dict[int, bytes] = {id(None): NULL}
    find = made.get
    pieces = []
    for value in values:
        piece = find(id(value))
        if piece is None:
            piece = made[id(value)] = make(value)
        pieces.append(piece)
    return pieces


def instants(values: Sequence[datetime | None]) -> BinaryArray:
    """A `timestamptz[]` of instants as PostgreSQL's binary format has it; None is NULL."""
    if not any(values):
        return BinaryArray(_INSTANT, [NULL] * len(values))
    return BinaryArray(_INSTANT, _pieces(_instant_piece, values))


def texts(values: Sequence[str | None]) -> BinaryArray:
    """A `text[]` of texts as PostgreSQL's binary format has it; None is NULL."""
    return BinaryArray(_TEXT, [NULL if value is None else _bytes_piece(value.encode()) for value in values])


def words(values: Sequence[str | None]) -> BinaryArray:
    """A `text[]` of words of the vocabulary: few distinct objects."""
    return BinaryArray(_TEXT, _pieces(lambda value: _bytes_piece(value.encode()), values))


def encoded_texts(values: Sequence[bytes]) -> BinaryArray:
    """A `text[]` of texts that are UTF-8 already."""
    return BinaryArray(_TEXT, [_LENGTH(len(value)) + value for value in values])


def uuids(values: Sequence[UUID | None]) -> BinaryArray:
    """A `uuid[]` of identifiers as PostgreSQL's binary format has it; None is NULL."""
    if not any(values):
        return BinaryArray(_UUID, [NULL] * len(values))
    length = b"\x00\x00\x00\x10"
    return BinaryArray(_UUID, [NULL if value is None else length + value.int.to_bytes(16, "big") for value in values])


def identifiers(values: Sequence[UUID | bytes]) -> BinaryArray:
    """A `uuid[]` of identifiers or of their 16 bytes."""
    length = b"\x00\x00\x00\x10"
    return BinaryArray(_UUID, [length + (value if isinstance(value, bytes) else value.bytes) for value in values])


def smallints(values: Sequence[int | None]) -> BinaryArray:
    """A `smallint[]` of numbers that repeat often."""
    return BinaryArray(_SMALLINT, _pieces(lambda value: pack("!ih", 2, value), values))


def integers(values: Sequence[int | None]) -> BinaryArray:
    """An `integer[]` of four-byte integers as PostgreSQL's binary format has it; None is NULL."""
    return BinaryArray(_INTEGER, [NULL if value is None else pack("!ii", 4, value) for value in values])


def bigints(values: Sequence[int | None]) -> BinaryArray:
    """A `bigint[]` of eight-byte integers as PostgreSQL's binary format has it; None is NULL."""
    piece = _BIGINT_PIECE
    return BinaryArray(_BIGINT, [NULL if value is None else piece(8, value) for value in values])


def booleans(values: Sequence[bool | None]) -> BinaryArray:
    """A `boolean[]` of booleans as PostgreSQL's binary format has it; None is NULL."""
    return BinaryArray(_BOOLEAN, [_BOOLEANS[value] for value in values])


def digests(values: Sequence[str]) -> BinaryArray:
    """A `bytea[]` of SHA-256 in hexadecimal."""
    length, from_hexadecimal = b"\x00\x00\x00\x20", bytes.fromhex
    return BinaryArray(_BYTES, [length + from_hexadecimal(value) for value in values])


def byte_strings(values: Sequence[bytes | None]) -> BinaryArray:
    """A `bytea[]` of byte strings as PostgreSQL's binary format has it; None is NULL."""
    return BinaryArray(_BYTES, [NULL if value is None else _bytes_piece(value) for value in values])


_BOOLEANS: Final = {None: NULL, True: b"\x00\x00\x00\x01\x01", False: b"\x00\x00\x00\x01\x00"}
_COLUMNS: Final[dict[str, Callable[[Sequence[Any]], BinaryArray]]] = {
    "uuid": uuids,
    "timestamptz": instants,
    "text": texts,
    "bigint": bigints,
    "integer": integers,
    "smallint": smallints,
    "boolean": booleans,
    "bytea": byte_strings,
}


def column(kind: str, values: Sequence[Any]) -> "BinaryArray | list[Any]":
    """Values of the PostgreSQL type `kind` as one array; for a type that is not known here, as a plain list."""
    known = _COLUMNS.get(kind)
    return list(values) if known is None else known(values)
