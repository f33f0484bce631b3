"""What a version of a record changes, compared with the version that was in force at its moment before."""

from collections import defaultdict
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from compliance.history.records import Version, differ
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.happened import Happened


class Change(NamedTuple):
    """A field whose value differs from the version before."""

    name: str
    before: Any
    after: Any


class Difference(NamedTuple):
    """How one stored text differs from another: which fields, or that a record appears or is gone.

    `renamed`: its commitment is to another name or address, or to none any more.
    """

    changes: list[Change]
    appears: bool
    gone: bool
    renamed: bool

    @property
    def in_words(self) -> list[Change]:
        """The changes that people can read: without identifiers, and with a count in place of a list of them."""
        return [
            change._replace(before=_how_many(change.before), after=_how_many(change.after))
            for change in self.changes
            if not change.name.endswith("_id")
        ]


def _how_many(value: Any) -> Any:
    identified = isinstance(value, list) and value and all(identifiers.read(each) for each in value)
    return [f"{len(value):,}"] if identified else value


class StoryVersion(NamedTuple):
    """A version with what it changed, the facts that took effect with it, and whether a late fact caused it."""

    version: Version
    difference: Difference
    late: bool
    in_force: bool
    facts: list[str]

    @property
    def fields(self) -> dict[str, Any]:
        """Every field of the version with its value."""
        return orjson.loads(self.version.body) if self.version.body else {}

    @property
    def given(self) -> list[tuple[str, Any]]:
        """The fields that have a value."""
        return [(name, value) for name, value in self.fields.items() if value not in (None, "", [])]

    @property
    def empty(self) -> list[str]:
        """The names of the fields that have none."""
        return [name.replace("_", " ") for name, value in self.fields.items() if value in (None, "", [])]


def difference(before: str | None, after: str, *, renamed: bool) -> Difference:
    """How a stored text differs from the one before it; an empty text, or None, is an absent record."""
    old, new = (orjson.loads(text) if text else {} for text in (before, after))
    names = dict.fromkeys([*new, *old]) if old and new else ()
    changes = [Change(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]
    return Difference(changes, bool(new and not old), bool(old and not new), renamed)


def story_of(found: list[Version], happened: list[Happened], now: datetime) -> list[StoryVersion]:
    """Each version with what it changed and the facts that took effect with it, and whether it is in force at `now`."""
    current = _in_force(found, now)
    at_once: dict[datetime, dict[str, None]] = defaultdict(dict)
    for fact in happened:
        at_once[fact.at][fact.what] = None
    story = []
    for number, version in enumerate(found):
        before = _in_force(found[:number], version.valid_from)
        renamed = before is not None and differ(before.identity, version.identity)
        changed = difference(before.body if before else None, version.body, renamed=renamed)
        late = any(earlier.valid_from > version.valid_from for earlier in found[:number])
        story.append(StoryVersion(version, changed, late, version is current, list(at_once[version.valid_from])))
    return story


def _in_force(found: list[Version], moment: datetime) -> Version | None:
    """The version in force: the greatest `valid_from` at or before the moment, then the greatest sequence."""
    begun = [version for version in found if version.valid_from <= moment]
    return max(begun, key=lambda version: (version.valid_from, version.sequence), default=None)
