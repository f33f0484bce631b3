"""Timelines: the content of a record, by the moment from which it holds.

A timeline has no gaps: a content holds until the next version; before the first version there is nothing, and a later
absence is a version whose content is None.
"""

from bisect import bisect_right
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID

Content = TypeVar("Content")


class Version(NamedTuple, Generic[Content]):
    """The content from `valid_from` until the next version. None: the record does not exist from then on."""

    valid_from: datetime
    content: Content | None


class Timeline(NamedTuple, Generic[Content]):
    """Versions with strictly increasing `valid_from`, each different from the one before; the first has a content.

    `next_change_at` is the next moment at which the stored content changes without a new fact, if there is one.
    """

    record_id: UUID
    versions: tuple[Version[Content], ...]
    next_change_at: datetime | None = None

    def at(self, moment: datetime) -> Content | None:
        """Return the content that holds at `moment`."""
        index = bisect_right(self.versions, moment, key=_moment_of)
        return self.versions[index - 1].content if index else None


def _moment_of(version: Version[Content]) -> datetime:
    return version.valid_from


def within(start: datetime, end: datetime | None, moment: datetime) -> bool:
    """Whether `moment` lies in [start, end); without an end the interval never closes."""
    return start <= moment and (end is None or moment < end)


def append_version(versions: list[Version[Content]], valid_from: datetime, content: Content | None) -> None:
    """Append `content` from `valid_from` on, unless it equals the last; it replaces a version of the same moment."""
    if versions and versions[-1].valid_from == valid_from:
        versions.pop()
    if (versions[-1].content if versions else None) != content:
        versions.append(Version(valid_from, content))
