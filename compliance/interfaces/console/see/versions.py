"""What a version of a record changes, beside what was known to hold at its moment before."""

from collections import defaultdict
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from compliance.facts.happenings import Happening
from compliance.history.records import Version, differ
from compliance.interfaces.console import identifiers


class Change(NamedTuple):
    """A field that a version says otherwise than what stood there before."""

    name: str
    before: Any
    after: Any


class Difference(NamedTuple):
    """What one stored text says otherwise than another: which fields, or that a record appears or is gone.

    `renamed`: it commits to another name or address, or to none any more.
    """

    changes: list[Change]
    appears: bool
    gone: bool
    renamed: bool

    @property
    def in_words(self) -> list[Change]:
        """The changes that say something to people: how many there are in place of lists of identifiers."""
        return [
            change._replace(before=_how_many(change.before), after=_how_many(change.after))
            for change in self.changes
            if not change.name.endswith("_id")
        ]


def _how_many(value: Any) -> Any:
    identified = isinstance(value, list) and value and all(identifiers.read(each) for each in value)
    return [f"{len(value):,}"] if identified else value


class StoryVersion(NamedTuple):
    """A version with what it changed, the facts that took effect with it, and whether a late fact made it."""

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
    """What a stored text says otherwise than the one before it; an empty text, or none, is an absent record."""
    old, new = (orjson.loads(text) if text else {} for text in (before, after))
    names = dict.fromkeys([*new, *old]) if old and new else ()
    changes = [Change(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]
    return Difference(changes, bool(new and not old), bool(old and not new), renamed)


def story_of(found: list[Version], happened: list[Happening], now: datetime) -> list[StoryVersion]:
    """What each version changed, and the facts that took effect when it does; in force is what answers for `now`."""
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
    """The greatest `valid_from` at or before the moment, then the greatest sequence."""
    begun = [version for version in found if version.valid_from <= moment]
    return max(begun, key=lambda version: (version.valid_from, version.sequence), default=None)
