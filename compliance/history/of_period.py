"""Reads every row version of a register up to a pin, by record, and whether each was in force within a period.

This is the history that an evidence pack contains (docs/evidence-pack.md): the text of versions that were in force, the
digests of the others. A few hundred records are read at a time, each batch in a transaction of its own.
"""

import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from compliance.history import in_force
from compliance.history.projections import hashed_body
from compliance.tenancy import context, sql

RECORDS_A_READ = 500
_LARGE_RECORDS_A_READ = 8
"""Of policy versions, each of which may be two mebibytes long."""


class CarriedVersion(NamedTuple):
    """A row version with its hashed text; `in_force`: at some instant of the period, as known at the pin."""

    record_id: uuid.UUID
    sequence: int
    valid_from: datetime
    recorded_at: datetime
    cause: str
    logic_version: int
    content: bytes
    in_force: bool


# A version is in force from its `valid_from` until that of the next one; of versions with the same `valid_from`, only
# the one with the greatest sequence.
_VERSIONS = f"""
SELECT r.record_id, v.sequence, v.valid_from, v.recorded_at, v.cause, v.logic_version, v.body, v.state,
    v.state_before_end,
    v.valid_from <= %(end)s AND (v.next IS NULL OR (v.next > v.valid_from AND v.next > %(start)s)), r.place
FROM unnest(%(numbers)s::bigint[]) WITH ORDINALITY AS w (birth, place)
CROSS JOIN LATERAL (SELECT r.record_id, w.place, r.birth FROM {in_force.RECORDS}
    AND r.register = %(register)s AND r.birth = w.birth OFFSET 0) r
CROSS JOIN LATERAL (
    SELECT v.*, lead(v.valid_from) OVER (ORDER BY v.valid_from, v.sequence) AS next
    FROM {in_force.VERSIONS} AND v.sequence + 0 <= %(sequence)s) v
ORDER BY r.place, v.valid_from, v.sequence"""  # noqa: S608
_BY_NUMBER = f"""
SELECT r.birth FROM {in_force.RECORDS} AND r.register = %(register)s AND r.birth > %(after)s
  AND r.birth <= %(sequence)s ORDER BY r.birth LIMIT %(most)s"""  # noqa: S608
_BY_PUBLICATION = f"""
SELECT v.birth FROM {in_force.ROWS} AND v.register = %(register)s AND v.sequence = v.birth
  AND v.sequence <= %(sequence)s ORDER BY v.begins_at, v.birth"""  # noqa: S608


def versions(
    organization_id: uuid.UUID, register: int, sequence: int, start: datetime, end: datetime, *, by_publication: bool
) -> Iterator[CarriedVersion]:
    """The versions of a register's records up to `sequence`, by valid time within a record.

    Records come by number or, with `by_publication`, by the moment at which they were published.
    """
    asked = {"organization": organization_id, "register": register, "sequence": sequence, "start": start, "end": end}
    for numbers in _record_numbers(organization_id, register, sequence, by_publication):
        with context.company(organization_id):
            rows = sql.fetch(_VERSIONS, asked | {"numbers": numbers})
        for row in rows:
            record_id, number, valid_from, recorded_at, cause, logic_version, body, state, before_end, current, _ = row
            content = hashed_body(register, body.encode(), state, before_end)
            yield CarriedVersion(record_id, number, valid_from, recorded_at, cause, logic_version, content, current)


def _record_numbers(
    organization_id: uuid.UUID, register: int, sequence: int, by_publication: bool
) -> Iterator[list[int]]:
    """Yields the numbers of a register's records in the order in which it lists them, in batches."""
    asked = {"organization": organization_id, "register": register, "sequence": sequence, "most": RECORDS_A_READ}
    if by_publication:
        with context.company(organization_id):
            found = [number for (number,) in sql.fetch(_BY_PUBLICATION, asked)]
        for at in range(0, len(found), _LARGE_RECORDS_A_READ):
            yield found[at : at + _LARGE_RECORDS_A_READ]
        return
    after = 0
    while True:
        with context.company(organization_id):
            found = [number for (number,) in sql.fetch(_BY_NUMBER, asked | {"after": after})]
        if found:
            yield found
        if len(found) < RECORDS_A_READ:
            return
        after = found[-1]
