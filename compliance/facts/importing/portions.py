"""Divides the lines about people in a large file into portions, each of which is validated and recorded together.

Lines about employments, contacts and teams stay in memory until they are validated together. Only lines about the same
person can contradict each other, or lines that name the same stay or invitation for several people. All lines about one
person go into one portion; people who share a stay or an invitation all go into the first portion.
"""

import sqlite3
import uuid
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from compliance.facts.lines.kinds import KINDS, FactLine
from compliance.facts.recording import registry
from compliance.facts.recording.temporary import write

PORTION_LINES = 30_000
"""The approximate number of lines in a portion; a file with fewer lines about people is recorded as one."""

LOOKED_UP_AT_ONCE = 5_000
_VALIDATED = registry.VALIDATED["people.validating.validate_people"]
_ORDER = list(KINDS)
TOGETHER = tuple(_ORDER[_ORDER.index(_VALIDATED[0]) : _ORDER.index(_VALIDATED[-1]) + 1])
"""The kinds that are recorded portion by portion: those that are validated together, and the kinds between them."""


class Stored(NamedTuple):
    """The owners of the stays and of the accepted invitations that the company has."""

    stays: dict[uuid.UUID, uuid.UUID]
    invitations: dict[uuid.UUID, uuid.UUID]


LookUp = Callable[[list[uuid.UUID], list[uuid.UUID]], Stored]

_PREPARE = """
CREATE TABLE stays (person BLOB, profile BLOB, PRIMARY KEY (person, profile)) WITHOUT ROWID;
CREATE TABLE accepted (invitation BLOB, profile BLOB, PRIMARY KEY (invitation, profile)) WITHOUT ROWID;
CREATE TABLE entangled (profile BLOB PRIMARY KEY) WITHOUT ROWID;
"""
_STATED = """
INSERT OR IGNORE INTO stays SELECT person, profile FROM {table} WHERE person IS NOT NULL AND profile IS NOT NULL;
INSERT OR IGNORE INTO accepted SELECT invitation, profile FROM {table}
    WHERE invitation IS NOT NULL AND profile IS NOT NULL;
"""
_ENTANGLED = """
INSERT OR IGNORE INTO entangled SELECT profile FROM stays
    WHERE person IN (SELECT person FROM stays GROUP BY person HAVING count(*) > 1);
INSERT OR IGNORE INTO entangled SELECT profile FROM accepted
    WHERE invitation IN (SELECT invitation FROM accepted GROUP BY invitation HAVING count(*) > 1);
"""
_WHOSE = """coalesce(profile, (SELECT min(s.profile) FROM stays s WHERE s.person = {table}.person),
    (SELECT min(a.profile) FROM accepted a WHERE a.invitation = {table}.invitation), person, invitation)"""


def about(line: FactLine) -> tuple[bytes | None, bytes | None, bytes | None]:
    """The identifiers by which a line of `TOGETHER` names a person: profile, stay, invitation."""
    names: Any = line.__dict__
    profile, person, invitation = map(names.get, ("learner_profile_id", "person_id", "invitation_id"))
    return profile and profile.bytes, person and person.bytes, invitation and invitation.bytes


def divide(database: sqlite3.Connection, tables: dict[str, str], look_up: LookUp | None) -> int:
    """Assigns each line in `tables`, one for each kind of `TOGETHER`, to its portion; returns the number of portions.

    The first one, 0, is recorded first and has the stays and invitations that several people name.
    """
    counts = [database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables.values()]
    if sum(counts) <= PORTION_LINES:
        return 1
    number = -(-sum(counts) // PORTION_LINES)
    for table in ("stays", "accepted", "entangled"):
        database.execute(f"DROP TABLE IF EXISTS {table}")
    database.executescript(_PREPARE)
    for table in tables.values():
        database.executescript(_STATED.format(table=table))
    if look_up is not None:
        for named in _named(database, tables):
            stays, invitations = look_up(*named)
            for table, found in (("stays", stays), ("accepted", invitations)):
                pairs = [(key.bytes, profile.bytes) for key, profile in found.items()]
                write(database, f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", pairs)
    database.executescript(_ENTANGLED)
    database.create_function("place", 1, lambda whose: 1 + zlib.crc32(whose) % number, deterministic=True)
    for table in tables.values():
        whose = _WHOSE.format(table=table)
        database.execute(f"UPDATE {table} SET portion = CASE WHEN {whose} IN entangled THEN 0 ELSE place({whose}) END")
        database.execute(f"CREATE INDEX IF NOT EXISTS {table}_by_portion ON {table} (portion, at, fact_id)")
    return number + 1


def _named(database: sqlite3.Connection, tables: dict[str, str]) -> Iterator[tuple[list[uuid.UUID], list[uuid.UUID]]]:
    """The stays and invitations that lines name, in batches."""
    for position, column in enumerate(("person", "invitation")):
        each = (f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL" for table in tables.values())
        cursor = database.execute(" UNION ".join(each))
        while found := cursor.fetchmany(LOOKED_UP_AT_ONCE):
            named: tuple[list[uuid.UUID], list[uuid.UUID]] = [], []
            named[position].extend(uuid.UUID(bytes=key) for (key,) in found)
            yield named
