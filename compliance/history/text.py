"""Instants, identifiers and JSON fragments as text, each formatted once and kept: the writer's hot path.

A body is assembled from such fragments; a serializer over objects would cost several times the whole budget of a
version (design 10).
"""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar
from uuid import UUID

import orjson

_MOST_KEPT = 1 << 13
Made = TypeVar("Made")


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


def _quoted_instant(moment: datetime | None) -> str:
    if moment is None:
        return "null"
    text = orjson.dumps(moment.astimezone(UTC), option=orjson.OPT_UTC_Z).decode()
    return text if moment.microsecond else text[:-2] + '.000000Z"'


quoted_instant = kept_by_identity(_quoted_instant)
"""`"YYYY-MM-DDTHH:MM:SS.ffffffZ"`, the one form of an instant, as JSON."""


def instant(moment: datetime) -> str:
    """The instant as it stands in digests."""
    return quoted_instant(moment)[1:-1]


def quoted_uuid(value: UUID | None) -> str:
    """The identifier as JSON; formatting a UUID takes Python itself five times as long."""
    return "null" if value is None else orjson.dumps(value).decode()


same_uuid = kept_by_identity(quoted_uuid)
"""The identifier as JSON, for one that comes as the very same object for each of a course's learners or a record's
versions."""


def same_uuid_bare(value: UUID) -> str:
    """The identifier as plain text, for one whose JSON was or will be asked for as well."""
    return same_uuid(value)[1:-1]


@lru_cache(maxsize=1 << 12)
def quoted(value: str | None) -> str:
    """Any text as JSON."""
    return "null" if value is None else orjson.dumps(str(value)).decode()


def number(value: int | None) -> str:
    """An integer as JSON."""
    return "null" if value is None else str(value)


@lru_cache(maxsize=1 << 12)
def uuid_list(values: tuple[UUID, ...]) -> str:
    """Identifiers as a JSON array."""
    return orjson.dumps(values).decode()


same_uuid_list = kept_by_identity(uuid_list.__wrapped__)
"""Identifiers as a JSON array, for a tuple that many rows share as one object."""


def _word_list(values: tuple[str, ...]) -> str:
    return "[" + ",".join([f'"{value}"' for value in values]) + "]"


same_word_list = kept_by_identity(_word_list)
"""Words of the vocabulary as a JSON array, for a tuple that many rows share as one object."""
