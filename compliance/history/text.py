"""Instants, identifiers and bodies as the text that is hashed, each in exactly one form.

orjson writes a body from a typed row as fast as Python joins cached fragments of text (docs/benchmarks.md).
"""

from collections.abc import Collection
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any, Protocol
from uuid import UUID

import orjson


class TypedRow(Protocol):
    """A named tuple whose fields are those of a body, in its order: identifiers, instants, words, numbers, text."""

    def _asdict(self) -> dict[str, Any]: ...


def instant(moment: datetime) -> str:
    """The instant in UTC as `YYYY-MM-DDTHH:MM:SS.ffffffZ`."""
    return _of_utc(moment if moment.tzinfo is UTC else moment.astimezone(UTC))


@lru_cache(maxsize=4096)
def _of_utc(moment: datetime) -> str:
    """The text of a moment in UTC. Cached, because a moment occurs several times in the rows of a record.

    Only UTC is cached: equal moments of other zones share one cache entry, whatever their text.
    """
    text = orjson.dumps(moment, option=orjson.OPT_UTC_Z).decode()
    return text[1:-1] if moment.microsecond else f"{text[1:-2]}.000000Z"


def _written(value: date) -> str:
    return instant(value) if isinstance(value, datetime) else value.isoformat()


def identifier(value: UUID) -> str:
    """The identifier as text, by orjson: Python's own formatting takes five times as long."""
    return orjson.dumps(value).decode()[1:-1]


def canonical(row: TypedRow | dict[str, Any], without: Collection[str] = ()) -> bytes:
    """A body: the row as JSON in the order of its fields, without white space, instants as `instant` writes them.

    `without` names fields that columns hold instead. The result is a copy: what orjson returns keeps its write buffer,
    4 to 8 KiB for a body of a few hundred bytes, and a capture holds tens of thousands of bodies.
    """
    fields = row if isinstance(row, dict) else row._asdict()
    for name in without:
        del fields[name]
    return bytes(memoryview(orjson.dumps(fields, default=_written, option=orjson.OPT_PASSTHROUGH_DATETIME)))
