"""Appends the versions that a capture decides: compares them with what is stored, numbers, hashes and inserts them.

In force at (T, S) is the version with the greatest `valid_from <= T`, then the greatest `sequence <= S`. So where a
late fact changes a record, a version is appended at every boundary, old or new, at which the content differs from the
stored one; absence is a content too. Stored rows are never changed.
"""

import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from compliance.catalogue import REGISTERS
from compliance.catalogue.certificates import CERTIFICATES
from compliance.facts.certificates.actions import Issuing
from compliance.history.projections import (
    ABSENT,
    ProjectedTimeline,
    ProjectedVersion,
    Source,
    courses,
    stored_body,
)
from compliance.history.text import identifier, instant
from compliance.proofs.history import row_hasher
from compliance.rules.vocabulary import LOGIC, Cause
from compliance.tenancy import arrays, cluster, sql


class Content(NamedTuple):
    """The content of a version: all in which two versions can differ, whatever the form in which they are stored."""

    body: bytes
    """Without hidden members."""
    state: str | None
    state_before_end: str | None
    identity: str | None
    """Its commitment (`projections.stored_identity`)."""


NOTHING = Content(b"", None, None, None)


class StoredRecord(NamedTuple):
    """A stored record, and the content in force from each moment, oldest first."""

    register: int
    record_id: uuid.UUID
    record_number: int
    timeline: list[tuple[datetime, Content]]


_FIRST, _CHANGE, _SWEEP = Cause.FIRST.value, Cause.CHANGE.value, Cause.SWEEP.value

_ROW: Final[dict[str, tuple[str, Callable[[Sequence[Any]], arrays.BinaryArray]]]] = {
    "register": ("smallint", arrays.smallints),
    "birth": ("bigint", arrays.bigints),
    "valid_from": ("timestamptz", arrays.instants),
    "cause": ("text", arrays.words),
    "state": ("text", arrays.words),
    "state_before_end": ("text", arrays.words),
    "begins_at": ("timestamptz", arrays.instants),
    "due_at": ("timestamptz", arrays.instants),
    "done_at": ("timestamptz", arrays.instants),
    "waived_at": ("timestamptz", arrays.instants),
    "ends_at": ("timestamptz", arrays.instants),
    "door": ("text", arrays.words),
    "receipt_id": ("uuid", arrays.uuids),
    "live_session_id": ("uuid", arrays.uuids),
    "renews_certificate_id": ("uuid", arrays.uuids),
    "lesson_share_id": ("uuid", arrays.uuids),
    "body": ("text", arrays.encoded_texts),
    "row_sha256": ("bytea", arrays.digests),
}
"""The columns in which the rows of a capture differ: the type of each, and the function that encodes its values."""

_INSERT_ROWS = f"""
INSERT INTO history_historyrow (organization_id, sequence, capture_sequence, recorded_at, logic_version,
    {", ".join(_ROW)})
SELECT %b::uuid, %b::bigint + number, %b::bigint, %b::timestamptz, %b::integer, {", ".join(_ROW)}
FROM unnest({", ".join(f"%b::{kind}[]" for kind, _ in _ROW.values())}) WITH ORDINALITY AS v ({", ".join(_ROW)}, number)
{cluster.ANSWER}"""  # noqa: S608 - names and SQL of our own

_INSERT_RECORDS = f"""
INSERT INTO history_historyrecord (organization_id, register, birth, record_id, learner_profile_id, course_id)
SELECT %b::uuid, * FROM unnest(%b::smallint[], %b::bigint[], %b::uuid[], %b::uuid[], %b::uuid[])
{cluster.ANSWER}"""  # noqa: S608 - names and SQL of our own

_INSERT_SOURCES = """
INSERT INTO history_recordsource (organization_id, row_id, sequence)
SELECT %b::uuid, row_id, %b::bigint FROM unnest(%b::uuid[]) AS w (row_id)
ON CONFLICT (organization_id, row_id) DO NOTHING
"""

CHUNK = 4_000
"""Rows in one statement, sent while the rules still decide; a smaller capture needs one statement per table."""


def _issued_at(certificate: ProjectedTimeline) -> datetime:
    first = certificate.versions[0]
    return first.columns.begins_at or first.valid_from


class Appender:
    """Collects the rows of one capture in order, and inserts them; the caller puts large ones in `sql.pipelined`."""

    def __init__(
        self,
        organization_id: uuid.UUID,
        issuing: Issuing,
        *,
        sequence: int,
        capture_sequence: int,
        captured_at: datetime,
    ) -> None:
        """`sequence` is the last one used; `capture_sequence` is that of the new capture."""
        self._issuing = issuing
        self.organization_id = organization_id
        self.first_sequence = sequence + 1
        self.last_sequence = sequence
        self.capture_sequence = capture_sequence
        self.captured_at = captured_at
        self.records = 0
        self.digests: list[str] = []
        self.causes: set[str] = set()
        self.sources: set[Source] = set()
        self._hash = row_hasher(str(organization_id))
        self._recorded_at = instant(captured_at)
        self._logic_version = str(LOGIC.version)
        self._rows: list[tuple[Any, ...]] = []  # in the order of _ROW
        self._records: list[tuple[int, int, uuid.UUID, uuid.UUID | None, uuid.UUID | None]] = []
        self._inserted = sequence

    def begin(self, timeline: ProjectedTimeline, *, by_clock: bool) -> None:
        """Appends a record that is not stored yet, with all its versions; `by_clock`: no fact caused it."""
        register, record_id, learner_profile_id, course_id, versions, sources, identity = timeline
        if not versions:
            return
        if len(self._rows) >= CHUNK:
            self._send()
        self.sources.update(sources)
        record_number = self.last_sequence + 1
        self.records += 1
        self._records.append((register, record_number, record_id, learner_profile_id, course_id))
        if register == CERTIFICATES.number and learner_profile_id is not None:
            identity = self._issuing.begin(record_id, learner_profile_id, _issued_at(timeline))
        text = identifier(record_id)
        cause = _SWEEP if by_clock else _FIRST
        for version in versions:
            self._append(register, text, record_number, version, cause, identity)
            if cause is _FIRST:
                cause = _CHANGE

    def restate(self, stored: StoredRecord, timeline: ProjectedTimeline, *, by_clock: bool) -> None:
        """Appends versions where `timeline` differs from what is stored; without versions, the record becomes absent.

        Rows of people that were written before commitments existed get one with the next fact, not by the clock.
        A certificate keeps its first commitment, so a commitment makes no difference for it.
        """
        identity = timeline.identity
        wanted_at = {version.valid_from: version for version in timeline.versions}
        stored_at = dict(stored.timeline)
        for boundary, content in stored.timeline:
            if content.body and (identity is None) != (content.identity is None) and (by_clock or identity is None):
                stored_at[boundary] = content._replace(identity=identity)
        (body, columns), wanted = ABSENT, NOTHING
        in_force = NOTHING
        cause = _SWEEP if by_clock else _CHANGE
        record_id = identifier(stored.record_id)
        for boundary in sorted(wanted_at.keys() | stored_at.keys()):
            if boundary in wanted_at:
                _, body, columns = wanted_at[boundary]
                wanted = Content(body, columns.state, columns.state_before_end, identity) if body else NOTHING
            if stored_at.get(boundary, in_force) != wanted:
                version = ProjectedVersion(boundary, body, columns)
                self._append(stored.register, record_id, stored.record_number, version, cause, self._identity(timeline))
            in_force = wanted

    def _identity(self, timeline: ProjectedTimeline) -> str | None:
        """The commitment for rows of a record that is stored already."""
        _, certificate_id, learner_profile_id, _, versions, _, identity = timeline
        if timeline.register == CERTIFICATES.number and versions and learner_profile_id is not None:
            return self._issuing.identity(certificate_id, learner_profile_id, _issued_at(timeline))
        return identity

    def _append(
        self,
        register: int,
        record_id: str,
        record_number: int,
        version: ProjectedVersion,
        cause: str,
        identity: str | None,
    ) -> None:
        valid_from, body, columns = version
        body = stored_body(register, body, columns, identity)
        self.last_sequence = sequence = self.last_sequence + 1
        self.digests.append(
            self._hash(
                str(sequence),
                REGISTERS[register].name,
                record_id,
                instant(valid_from),
                self._recorded_at,
                cause,
                self._logic_version,
                body,
            )
        )
        self.causes.add(cause)
        self._rows.append((register, record_number, valid_from, cause, *columns, body))

    def insert(self) -> None:
        """Inserts the rows and records that are not inserted yet.

        If earlier ones were sent by a pipelined write, these are too, and PostgreSQL works while Python goes on.
        """
        self._send(sql.append if self._inserted >= self.first_sequence else sql.execute)

    def insert_sources(self) -> None:
        """Inserts the sources of this capture's training records that no earlier capture has inserted."""
        if self.sources:
            behind = courses.row_ids(self.organization_id, self.sources)
            sql.execute(_INSERT_SOURCES, [self.organization_id, self.first_sequence, arrays.uuids(behind)])

    def _send(self, send: Callable[[str, list[Any]], object] = sql.append) -> None:
        for statement, parameters in self._statements():
            send(statement, parameters)

    def _statements(self) -> Iterator[tuple[str, list[Any]]]:
        """Yields the statements that insert the collected rows and records, and empties both collections."""
        rows, self._rows = self._rows, []
        records, self._records = self._records, []
        before, self._inserted = self._inserted, self.last_sequence
        if rows:
            columns = [*zip(*rows, strict=True), self.digests[before - self.first_sequence + 1 :]]
            sent = [send(column) for (_, send), column in zip(_ROW.values(), columns, strict=True)]
            yield (
                _INSERT_ROWS,
                [self.organization_id, before, self.capture_sequence, self.captured_at, LOGIC.version, *sent],
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
