"""Compares the records of a company at two moments.

Each record is read three times: at the first moment as known now, at the second moment, and at the first moment as
known then. A late fact, recorded after the first moment about a time before it, makes the first and the last differ.
Records are read a few thousand at a time in the order of their number, so memory does not grow with the company. The
history only grows, so all reads up to one `sequence` are consistent however long they take.
"""

import uuid
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import NamedTuple

import orjson

from compliance.catalogue import REGISTERS
from compliance.history import in_force
from compliance.rules.vocabulary import AccessState
from compliance.tenancy import context, sql

RECORDS_A_READ = 4000
OF_PEOPLE = next(register.number for register in REGISTERS.values() if register.of_person == "employments")
HERE = (AccessState.ACTIVE, AccessState.SUSPENDED, AccessState.STAFF_PRACTICE)
"""The states of access of somebody who is with the company."""


class Held(NamedTuple):
    """The version of a record in force at a moment: the columns that are compared with the clock."""

    sequence: int
    state: str | None
    state_before_end: str | None
    begins_at: datetime | None
    due_at: datetime | None
    done_at: datetime | None
    waived_at: datetime | None
    ends_at: datetime | None
    receipt_id: uuid.UUID | None

    def says(self) -> tuple[object, ...]:
        """All columns but the version's number: where these are equal, people see no difference."""
        return self[1:]


class Compared(NamedTuple):
    """A record at both moments; None where it is absent. `known_then`: at the first moment, as it was known then."""

    birth: int
    record_id: uuid.UUID
    learner_profile_id: uuid.UUID | None
    course_id: uuid.UUID | None
    before: Held | None
    after: Held | None
    known_then: Held | None


class Known(NamedTuple):
    """The end of a company's history at a moment: its newest capture and row version; zeros before the first."""

    capture_sequence: int
    sequence: int


# Captures are numbered without a gap and their moments never decrease, so a binary search finds the newest one up to a
# moment: some twenty look-ups by primary key, where a scan would read every later capture.
_KNOWN = """
WITH RECURSIVE search AS (
    SELECT asked.moment, 0::bigint AS low, h.capture_sequence AS high
    FROM history_historyhead h, unnest(%(moments)s::timestamptz[]) AS asked(moment)
    WHERE h.organization_id = (SELECT %(organization)s::uuid)
  UNION ALL
    SELECT s.moment, CASE WHEN c.captured_at <= s.moment THEN c.capture_sequence ELSE s.low END,
           CASE WHEN c.captured_at <= s.moment THEN s.high ELSE c.capture_sequence - 1 END
    FROM search s JOIN history_capture c ON c.organization_id = (SELECT %(organization)s::uuid)
      AND c.capture_sequence = (s.low + s.high + 1) / 2
    WHERE s.low < s.high)
SELECT s.moment, s.low, coalesce(c.last_sequence, 0) FROM search s
LEFT JOIN history_capture c ON c.organization_id = (SELECT %(organization)s::uuid) AND c.capture_sequence = s.low
WHERE s.low = s.high"""


def known_at(organization_id: uuid.UUID, moment: datetime) -> Known:
    """The end of the history at `moment`. One statement, in the company's context."""
    return known_at_each(organization_id, [moment]).get(moment, Known(0, 0))


def known_at_each(organization_id: uuid.UUID, moments: Collection[datetime]) -> dict[datetime, Known]:
    """As `known_at`, for several moments; empty where the company has no history. One statement."""
    rows = sql.fetch(_KNOWN, {"organization": organization_id, "moments": list(moments)})
    return {moment: Known(*known) for moment, *known in rows}


_COLUMNS = (
    "v.sequence, v.state, v.state_before_end, v.begins_at, v.due_at, v.done_at, v.waived_at, v.ends_at, v.receipt_id"
)
_HELD = len(Held._fields)


def _of(alias: str) -> str:
    """SQL of a version's columns under an alias; all null where the record is absent."""
    names = [each.strip().removeprefix("v.") for each in _COLUMNS.split(",")]
    return ", ".join(f"CASE WHEN {alias}.present THEN {alias}.{name} END" for name in names)


def _version(moment: str, sequence: str) -> str:
    return in_force.version(f"{_COLUMNS}, {in_force.PRESENT} AS present", moment=moment, sequence=sequence)


_COMPARED = f"""
SELECT r.birth, r.record_id, r.learner_profile_id, r.course_id, {_of("b")}, {_of("a")}, {_of("k")}
FROM (SELECT r.birth, r.record_id, r.learner_profile_id, r.course_id FROM {in_force.RECORDS}
      AND r.register = %(register)s AND r.birth > %(after)s AND r.birth <= %(sequence)s
      ORDER BY r.birth LIMIT %(most)s) r
LEFT JOIN LATERAL {_version("%(first)s", "%(sequence)s")} b ON true
LEFT JOIN LATERAL {_version("%(second)s", "%(sequence)s")} a ON true
LEFT JOIN LATERAL {_version("%(first)s", "%(known)s")} k ON true
ORDER BY r.birth"""  # noqa: S608 - expressions of our own


def compared(
    organization_id: uuid.UUID, register: int, *, first: datetime, second: datetime, sequence: int, known: int
) -> Iterator[list[Compared]]:
    """The records of a register up to `sequence`, in batches of some thousands, each in a transaction of its own.

    `known` is the last sequence that the history had at `first`.
    """
    asked = {
        "organization": organization_id,
        "register": register,
        "first": first,
        "second": second,
        "sequence": sequence,
        "known": known,
        "most": RECORDS_A_READ,
    }
    after = 0
    while True:
        with context.company(organization_id):
            rows = sql.fetch(_COMPARED, asked | {"after": after})
        if rows:
            yield [_read(row) for row in rows]
        if len(rows) < RECORDS_A_READ:
            return
        after = rows[-1][0]


def _read(row: sql.Row) -> Compared:
    held = (row[at : at + _HELD] for at in range(4, 4 + 3 * _HELD, _HELD))
    return Compared(*row[:4], *(None if each[0] is None else Held(*each) for each in held))


Teams = tuple[uuid.UUID, ...]
TeamsAtBoth = tuple[Teams | None, Teams | None]
"""The teams of a person at both moments; None where the person was not with the company."""

NOBODY: TeamsAtBoth = (None, None)
"""The teams of somebody who was not with the company at either moment."""


def _people(moment: str) -> str:
    return in_force.version("v.state, v.body", moment=moment)


_TEAMS = f"""
SELECT r.learner_profile_id, b.state, b.body, a.state, a.body
FROM unnest(%(learners)s::uuid[]) AS w(learner)
CROSS JOIN LATERAL (SELECT r.birth, r.learner_profile_id FROM {in_force.RECORDS}
    AND r.learner_profile_id = w.learner AND r.register = {OF_PEOPLE} AND r.birth <= %(sequence)s OFFSET 0) r
LEFT JOIN LATERAL {_people("%(first)s")} b ON true
LEFT JOIN LATERAL {_people("%(second)s")} a ON true"""  # noqa: S608 - expressions of our own


def teams_at(
    organization_id: uuid.UUID,
    learners: Collection[uuid.UUID],
    *,
    first: datetime,
    second: datetime,
    sequence: int,
) -> dict[uuid.UUID, TeamsAtBoth]:
    """The teams at both moments of those of these people who were with the company. One statement."""
    values = {
        "organization": organization_id,
        "learners": list(learners),
        "first": first,
        "second": second,
        "sequence": sequence,
    }
    with context.company(organization_id):
        rows = sql.fetch(_TEAMS, values)
    found: dict[uuid.UUID, TeamsAtBoth] = {}
    for learner, *versions in rows:
        before, after = found.get(learner, NOBODY)
        found[learner] = (
            _teams(*versions[:2]) if before is None else before,
            _teams(*versions[2:]) if after is None else after,
        )
    return found


def _teams(state: str | None, body: str | None) -> Teams | None:
    """The teams that a row of the people register names; None if the person is not with the company."""
    if not body or state not in HERE:
        return None
    return tuple(uuid.UUID(each) for each in orjson.loads(body)["team_ids"])
