"""Appends what a capture says anew: compares with what stands, numbers, hashes and inserts (design 5).

In force at (T, S) is the version with the greatest `valid_from <= T`, then the greatest `sequence <= S`. So where a
late fact changes a record, a version is appended at every boundary, old or new, whose content differs from what stands
there; absence is a content too. Nothing stored is touched.
"""

import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from compliance.history.numbers import CERTIFICATES, REGISTERS
from compliance.history.projections import (
    NO_COLUMNS,
    ProjectedTimeline,
    ProjectedVersion,
    hashed_body,
)
from compliance.history.text import instant, same_uuid_bare
from compliance.proofs.history import row_hasher, rows_sha256
from compliance.rules.vocabulary import LOGIC, Cause
from compliance.tenancy import arrays, sql


class Said(NamedTuple):
    """What a stored version says: all that can differ between two contents."""

    body: str
    state: str | None
    state_before_end: str | None


ABSENT = Said("", None, None)


class StoredRecord(NamedTuple):
    """A record as it stands: who it belongs to, and what stands at each of its boundaries, oldest first."""

    register: int
    record_id: uuid.UUID
    birth: int
    standing: list[tuple[datetime, Said]]


_FIRST, _CHANGE, _SWEEP = Cause.FIRST.value, Cause.CHANGE.value, Cause.SWEEP.value

_INSERT_ROWS = """
INSERT INTO history_historyrow (organization_id, sequence, register, birth, capture_sequence, valid_from, recorded_at,
    cause, logic_version, state, state_before_end, begins_at, due_at, done_at, waived_at, ends_at, body, row_sha256)
SELECT %b, %b + number, register, birth, %b, valid_from, %b, cause, %b, state, state_before_end, begins_at, due_at,
    done_at, waived_at, ends_at, body, row_sha256
FROM unnest(%b::smallint[], %b::bigint[], %b::timestamptz[], %b::text[], %b::text[], %b::text[], %b::timestamptz[],
    %b::timestamptz[], %b::timestamptz[], %b::timestamptz[], %b::timestamptz[], %b::text[], %b::bytea[]) WITH ORDINALITY
    AS v (register, birth, valid_from, cause, state, state_before_end, begins_at, due_at, done_at, waived_at, ends_at,
          body, row_sha256, number)
"""

_INSERT_RECORDS = """
INSERT INTO history_historyrecord (organization_id, register, birth, record_id, learner_profile_id, course_id)
SELECT %b, * FROM unnest(%b::smallint[], %b::bigint[], %b::uuid[], %b::uuid[], %b::uuid[])
"""


CHUNK = 4_000
"""So many rows go in one statement, behind the back of the rules; a capture of fewer needs one statement a table."""


class Appender:
    """Collects the rows of one capture in their order, and inserts them; large ones within `sql.appending_behind`."""

    def __init__(
        self, organization_id: uuid.UUID, *, sequence: int, capture_sequence: int, captured_at: datetime
    ) -> None:
        """`sequence` is the last one used, `capture_sequence` the new capture's."""
        self.organization_id = organization_id
        self.first_sequence = sequence + 1
        self.last_sequence = sequence
        self.capture_sequence = capture_sequence
        self.captured_at = captured_at
        self.records = 0
        self.certificates: list[tuple[uuid.UUID, uuid.UUID]] = []
        self.digests: list[str] = []
        self.causes: set[str] = set()
        self._hash = row_hasher(str(organization_id))
        self._recorded_at = instant(captured_at)
        self._logic_version = str(LOGIC.version)
        self._rows: list[tuple[Any, ...]] = []  # in the order of _INSERT_ROWS
        self._records: list[tuple[int, int, uuid.UUID, uuid.UUID | None, uuid.UUID | None]] = []
        self._inserted = sequence

    def begin(self, timeline: ProjectedTimeline, *, by_clock: bool) -> None:
        """Appends a record that does not stand yet, with all its versions; `by_clock`: no fact caused it."""
        register, record_id, learner_profile_id, course_id, versions = timeline
        if not versions:
            return
        if len(self._rows) >= CHUNK:
            self._hand_over()
        birth = self.last_sequence + 1
        self.records += 1
        self._records.append((register, birth, record_id, learner_profile_id, course_id))
        if register == CERTIFICATES and learner_profile_id is not None:
            self.certificates.append((record_id, learner_profile_id))
        text = same_uuid_bare(record_id)
        cause = _SWEEP if by_clock else _FIRST
        for version in versions:
            self._append(register, text, birth, version, cause)
            if cause is _FIRST:
                cause = _CHANGE

    def restate(self, stored: StoredRecord, versions: Iterable[ProjectedVersion], *, by_clock: bool) -> None:
        """Appends what differs between `versions` and what stands; no versions at all say that it never was."""
        wanted_at = {version.valid_from: version for version in versions}
        standing_at = dict(stored.standing)
        body, columns, wanted_said = "", NO_COLUMNS, ABSENT
        in_force = ABSENT
        cause = _SWEEP if by_clock else _CHANGE
        record_id = str(stored.record_id)
        for boundary in sorted(wanted_at.keys() | standing_at.keys()):
            if boundary in wanted_at:
                _, body, columns = wanted_at[boundary]
                wanted_said = Said(body, columns.state, columns.state_before_end)
            if standing_at.get(boundary, in_force) != wanted_said:
                version = ProjectedVersion(boundary, body, columns)
                self._append(stored.register, record_id, stored.birth, version, cause)
            in_force = wanted_said

    def _append(self, register: int, record_id: str, birth: int, version: ProjectedVersion, cause: str) -> None:
        valid_from, body, (state, state_before_end, begins_at, due_at, done_at, waived_at, ends_at) = version
        self.last_sequence = sequence = self.last_sequence + 1
        encoded = body.encode()
        self.digests.append(
            self._hash(
                str(sequence),
                REGISTERS[register],
                record_id,
                instant(valid_from),
                self._recorded_at,
                cause,
                self._logic_version,
                hashed_body(register, encoded, state, state_before_end),
            )
        )
        self.causes.add(cause)
        self._rows.append(
            (
                register, birth, valid_from, cause, state, state_before_end, begins_at, due_at, done_at, waived_at,
                ends_at, encoded,
            )
        )  # fmt: skip

    def insert(self) -> str:
        """Inserts what is not inserted yet; returns `rows_sha256`."""
        for statement, parameters in self._statements():
            sql.execute(statement, parameters)
        return rows_sha256(self.digests)

    def _hand_over(self) -> None:
        for statement, parameters in self._statements():
            sql.append(statement, parameters)

    def _statements(self) -> Iterator[tuple[str, list[Any]]]:
        """What inserts the collected rows and records, which are then forgotten here."""
        rows, self._rows = self._rows, []
        records, self._records = self._records, []
        before, self._inserted = self._inserted, self.last_sequence
        if rows:
            registers, births, valid_from, causes, states, states_before_end, *moments, bodies = zip(*rows, strict=True)
            digests = self.digests[before - self.first_sequence + 1 :]
            yield (
                _INSERT_ROWS,
                [
                    self.organization_id,
                    before,
                    self.capture_sequence,
                    self.captured_at,
                    LOGIC.version,
                    arrays.smallints(registers),
                    arrays.bigints(births),
                    arrays.instants(valid_from),
                    *[arrays.words(column) for column in (causes, states, states_before_end)],
                    *[arrays.instants(column) for column in moments],
                    arrays.encoded_texts(bodies),
                    arrays.digests(digests),
                ],
            )
        if records:
            numbers, begun, record_ids, learner_profile_ids, course_ids = zip(*records, strict=True)
            yield (
                _INSERT_RECORDS,
                [
                    self.organization_id,
                    arrays.smallints(numbers),
                    arrays.bigints(begun),
                    arrays.uuids(record_ids),
                    arrays.uuids(learner_profile_ids),
                    arrays.uuids(course_ids),
                ],
            )
