"""Columns of many rows as PostgreSQL's binary arrays, built from kept pieces (design 10).

The driver's own list dumper asks every element anew how to be sent, which costs a capture more than deciding does.
Here an element is a piece of bytes (its length, then its value) that is made once for each distinct value, and a column
is one join. COPY would be the alternative; row-level security refuses it.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from struct import Struct, pack
from typing import Any, Final, TypeVar
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
_MOST_KEPT = 1 << 13

Made = TypeVar("Made")

_BOOLEAN, _BYTES, _BIGINT, _SMALLINT, _INTEGER, _TEXT, _INSTANT, _UUID = 16, 17, 20, 21, 23, 25, 1184, 2950


class BinaryArray:
    """One column, ready to be sent; the statement casts its placeholder to the array's type."""

    __slots__ = ("data",)

    def __init__(self, element_type: int, pieces: Sequence[bytes]) -> None:
        # One dimension, may hold nulls, the element's type, how many, counted from 1 (array_recv).
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


def kept_by_identity(make: Callable[[Any], Made]) -> Callable[[Any], Made]:
    """Keeps what `make` makes of a value that never changes, for as long as the very same object comes again.

    For values whose hash takes longer than making what is wanted: that of an aware instant or a UUID runs for up to
    two microseconds. The object is kept beside what was made of it, so its address stays its own.
    """
    kept: dict[int, tuple[Any, Made]] = {}

    def find(value: Any) -> Made:
        known = kept.get(id(value))
        if known is not None:
            return known[1]
        made = make(value)
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[id(value)] = (value, made)
        return made

    return find


def in_microseconds(moment: datetime) -> int:
    """An instant as PostgreSQL keeps it: microseconds since the beginning of 2000, UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def _instant_piece(moment: datetime | None) -> bytes:
    return NULL if moment is None else _BIGINT_PIECE(8, in_microseconds(moment))


instant_piece = kept_by_identity(_instant_piece)
"""A `timestamptz`."""


@lru_cache(maxsize=1 << 12)
def word_piece(text: str | None) -> bytes:
    """A short text that comes often."""
    return NULL if text is None else text_piece(text.encode())


def text_piece(encoded: bytes) -> bytes:
    """A text, as UTF-8."""
    return pack("!i", len(encoded)) + encoded


def uuid_piece(value: UUID | None) -> bytes:
    """A `uuid`."""
    return NULL if value is None else b"\x00\x00\x00\x10" + value.bytes


@lru_cache(maxsize=1 << 10)
def smallint_piece(value: int) -> bytes:
    """A `smallint`."""
    return pack("!ih", 2, value)


def bigint_piece(value: int) -> bytes:
    """A `bigint`."""
    return _BIGINT_PIECE(8, value)


def instants(pieces: Sequence[bytes]) -> BinaryArray:
    """A `timestamptz[]`."""
    return BinaryArray(_INSTANT, pieces)


def texts(pieces: Sequence[bytes]) -> BinaryArray:
    """A `text[]`."""
    return BinaryArray(_TEXT, pieces)


def uuids(values: Sequence[UUID | None]) -> BinaryArray:
    """A `uuid[]`."""
    length = b"\x00\x00\x00\x10"
    return BinaryArray(_UUID, [NULL if value is None else length + value.int.to_bytes(16, "big") for value in values])


def identifiers(values: Sequence[UUID | bytes]) -> BinaryArray:
    """A `uuid[]` of identifiers or of their 16 bytes."""
    length = b"\x00\x00\x00\x10"
    return BinaryArray(_UUID, [length + (value if isinstance(value, bytes) else value.bytes) for value in values])


def smallints(pieces: Sequence[bytes]) -> BinaryArray:
    """A `smallint[]`."""
    return BinaryArray(_SMALLINT, pieces)


def digest_piece(digest: str) -> bytes:
    """A SHA-256 in hexadecimal as a `bytea`."""
    return b"\x00\x00\x00\x20" + bytes.fromhex(digest)


def byte_strings(pieces: Sequence[bytes]) -> BinaryArray:
    """A `bytea[]`."""
    return BinaryArray(_BYTES, pieces)


def big_integers(pieces: Sequence[bytes]) -> BinaryArray:
    """A `bigint[]` of pieces."""
    return BinaryArray(_BIGINT, pieces)


def bigints(values: Sequence[int]) -> BinaryArray:
    """A `bigint[]`."""
    piece = _BIGINT_PIECE
    return BinaryArray(_BIGINT, [piece(8, value) for value in values])


def _nullable(piece: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    return lambda value: NULL if value is None else piece(value)


_COLUMNS: Final[dict[str, tuple[int, Callable[[Any], bytes]]]] = {
    "uuid": (_UUID, uuid_piece),
    "timestamptz": (_INSTANT, instant_piece),
    "text": (_TEXT, _nullable(lambda value: text_piece(value.encode()))),
    "bigint": (_BIGINT, _nullable(bigint_piece)),
    "integer": (_INTEGER, _nullable(lambda value: pack("!ii", 4, value))),
    "smallint": (_SMALLINT, _nullable(smallint_piece)),
    "boolean": (_BOOLEAN, _nullable(lambda value: b"\x00\x00\x00\x01\x01" if value else b"\x00\x00\x00\x01\x00")),
    "bytea": (_BYTES, _nullable(text_piece)),
}


def column(kind: str, values: Sequence[Any]) -> "BinaryArray | list[Any]":
    """Values of a PostgreSQL type as one array; of a type that is not known here, as the list that it is."""
    known = _COLUMNS.get(kind)
    if known is None:
        return list(values)
    element_type, piece = known
    return BinaryArray(element_type, [piece(value) for value in values])
