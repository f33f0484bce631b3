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
