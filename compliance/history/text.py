"""What is hashed, as text: instants, identifiers and bodies, each in its one form.

orjson writes a body from a typed row as fast as kept fragments of text can be joined by hand (docs/benchmarks.md).
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
    """Kept, since a moment stands several times in the rows of a record; of UTC alone, where equal is the same."""
    text = orjson.dumps(moment, option=orjson.OPT_UTC_Z).decode()
    return text[1:-1] if moment.microsecond else f"{text[1:-2]}.000000Z"


def _written(value: date) -> str:
    return instant(value) if isinstance(value, datetime) else value.isoformat()


def identifier(value: UUID) -> str:
    """The identifier; formatting a UUID takes Python itself five times as long."""
    return orjson.dumps(value).decode()[1:-1]


def canonical(row: TypedRow | dict[str, Any], without: Collection[str] = ()) -> bytes:
    """A body: the row as JSON in the order of its fields, no white space, instants as above.

    `without` names the fields that columns hold instead. It is a copy: what orjson returns keeps the buffer that it was
    written in, 4 to 8 KiB for a body of a few hundred bytes, and a capture holds tens of thousands of bodies.
    """
    fields = row if isinstance(row, dict) else row._asdict()
    for name in without:
        del fields[name]
    return bytes(memoryview(orjson.dumps(fields, default=_written, option=orjson.OPT_PASSTHROUGH_DATETIME)))
