"""Instants, identifiers and JSON fragments as text, each formatted once and kept: the writer's hot path.

A body is assembled from such fragments; a serializer over objects would cost several times the whole budget of a
version (design 10).
"""

from datetime import UTC, datetime
from functools import lru_cache
from uuid import UUID

import orjson


@lru_cache(maxsize=1 << 17)
def instant(moment: datetime) -> str:
    """`YYYY-MM-DDTHH:MM:SS.ffffffZ`: the one form of an instant in bodies and digests."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


@lru_cache(maxsize=1 << 17)
def quoted_instant(moment: datetime | None) -> str:
    """The instant as JSON."""
    return "null" if moment is None else f'"{instant(moment)}"'


@lru_cache(maxsize=1 << 17)
def quoted_uuid(value: UUID | None) -> str:
    """The identifier as JSON."""
    return "null" if value is None else f'"{value}"'


# A course's own identifiers come as the very same objects for each of its learners, and a record's for each of its
# versions, so identity finds them: hashing and comparing a UUID runs Python code. The object is kept beside its text,
# and so its address stays its own.
_texts: dict[int, tuple[object, str]] = {}
_TEXTS = 1 << 12


def _remember(value: object, text: str) -> str:
    if len(_texts) >= _TEXTS:
        _texts.clear()
    _texts[id(value)] = (value, text)
    return text


def same_uuid(value: UUID | None) -> str:
    """The identifier as JSON, for one that many rows share as one object."""
    if value is None:
        return "null"
    known = _texts.get(id(value))
    return known[1] if known is not None and known[0] is value else _remember(value, f'"{value}"')


def same_uuid_bare(value: UUID) -> str:
    """The identifier as plain text, for one whose JSON was or will be asked for as well."""
    return same_uuid(value)[1:-1]


def same_uuid_list(values: tuple[UUID, ...]) -> str:
    """Identifiers as a JSON array, for a tuple that many rows share as one object."""
    known = _texts.get(id(values))
    return known[1] if known is not None and known[0] is values else _remember(values, uuid_list(values))


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
    return "[" + ",".join([f'"{value}"' for value in values]) + "]"


@lru_cache(maxsize=1 << 10)
def word_list(values: tuple[str, ...]) -> str:
    """Words of the vocabulary as a JSON array."""
    return "[" + ",".join([f'"{value}"' for value in values]) + "]"
