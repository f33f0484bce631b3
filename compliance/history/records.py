"""Reads of records and versions for other rooms, each one statement within the company's context.

A `body` that they return has no hidden members (`proofs.history`).
"""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from psycopg import sql as psycopg_sql

from compliance.catalogue.declaration import Register
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.history import in_force, outcomes
from compliance.history.projections import hashed_body, stored_identity
from compliance.proofs.history import visible_text
from compliance.tenancy import sql

_NOW = in_force.records(sequence=None)
_LAST_SEQUENCE = (1 << 63) - 1

CHAIN_HASH = """
SELECT chain_hash FROM history_capture
WHERE organization_id = (SELECT %(organization)s::uuid) AND capture_sequence = %(capture_sequence)s"""
"""SQL of the chain hash of the capture of this number."""


def is_captured(organization_id: uuid.UUID, capture_sequence: int, chain_hash: str) -> str:
    """SQL of whether the history that is queried holds this capture; a copy that lags, or of another history, may not.

    A capture is known by its chain hash.
    """
    of_company = psycopg_sql.SQL("organization_id = {} AND capture_sequence = {}").format(
        psycopg_sql.Literal(str(organization_id)), psycopg_sql.Literal(capture_sequence)
    )
    return (
        psycopg_sql.SQL("EXISTS (SELECT FROM history_capture WHERE {} AND chain_hash = {})")
        .format(of_company, psycopg_sql.Literal(chain_hash))
        .as_string()
    )


class Version(NamedTuple):
    """A version as it was written: its valid and recorded time, its cause, its body, and the reason for its capture."""

    sequence: int
    capture_sequence: int
    valid_from: datetime
    recorded_at: datetime
    cause: str
    logic_version: int
    body: str
    capture_reason: str
    identity: str | None = None
    """Its commitment to a name and address (`projections.stored_identity`)."""


class InForce(NamedTuple):
    """The version of a record in force now: its body and the columns that are compared with the clock."""

    body: str
    state: str | None
    due_at: datetime | None
    ends_at: datetime | None


class Owed(NamedTuple):
    """A training record of a person as it is now. `lesson_share_id`: its first share, if a lesson was shared alone."""

    record_id: uuid.UUID
    course_id: uuid.UUID
    body: str
    lesson_share_id: uuid.UUID | None


class Written(NamedTuple):
    """A row that was written, with the body in force at its `valid_from` before it ("": absent, None: no version).

    `renamed`: the row commits to another name or address than the version before it.
    """

    register: int
    record_id: uuid.UUID
    learner_profile_id: uuid.UUID | None
    course_id: uuid.UUID | None
    body: str
    before: str | None
    renamed: bool = False


def differ(before: str | None, after: str | None) -> bool:
    """Whether two commitments differ; False where one is missing: the version is absent, or older than commitments."""
    return before is not None and after is not None and before != after


def versions(organization_id: uuid.UUID, record_number: int, most: int) -> list[Version]:
    """The last `most` versions of a record in the order in which they were written."""
    rows = sql.fetch(
        "SELECT v.sequence, v.capture_sequence, v.valid_from, v.recorded_at, v.cause, v.logic_version, v.body, c.why"
        " FROM history_historyrow v JOIN history_capture c"
        " ON c.organization_id = v.organization_id AND c.capture_sequence = v.capture_sequence"
        " WHERE v.organization_id = (SELECT %s::uuid) AND v.birth = %s ORDER BY v.sequence + 0 DESC LIMIT %s",
        [organization_id, record_number, most],
    )
    return [
        version._replace(body=visible_text(version.body), identity=stored_identity(version.body))
        for version in (Version(*row) for row in reversed(rows))
    ]


class Provable(NamedTuple):
    """A version with what its row digest covers; `content` is the hashed text, with its hidden members."""

    sequence: int
    valid_from: datetime
    recorded_at: datetime
    cause: str
    logic_version: int
    content: str


_PROVABLE = "v.sequence, v.valid_from, v.recorded_at, v.cause, v.logic_version, v.state, v.state_before_end"


def provable(register: Register) -> str:
    """SQL of the version of a record that is in force at a moment, as known now; `read_provable` reads its row.

    It finds no row where the register does not list the record: some registers list only what is behind a training
    record. Parameters: those of `provable_parameters`.
    """
    behind = f" AND {in_force.BEHIND_RECORDS}" if register.behind_records else ""
    return (
        f"SELECT {_PROVABLE}, v.body FROM {in_force.records(_PROVABLE, sequence=None)}"  # noqa: S608
        f" AND r.register = %(register)s AND r.record_id = %(record)s{behind}"
    )


def provable_parameters(
    organization_id: uuid.UUID, register: Register, record_id: uuid.UUID, moment: datetime
) -> dict[str, Any]:
    """The parameters of `provable`."""
    return {
        "organization": organization_id,
        "moment": moment,
        "register": register.number,
        "record": record_id,
        "sequence": _LAST_SEQUENCE,
    }


def read_provable(register: Register, row: sql.Row) -> Provable:
    """The version that a row of `provable` holds."""
    sequence, valid_from, recorded_at, cause, logic_version, state, state_before_end, body = row
    hashed = hashed_body(register.number, body.encode(), state, state_before_end)
    return Provable(sequence, valid_from, recorded_at, cause, logic_version, hashed.decode())


def rows_between(organization_id: uuid.UUID, after: int, last: int, most: int) -> list[dict[str, Any]]:
    """The first `most` rows with `after` < sequence <= `last`, in order; `absent`: the row has no content."""
    names = ("sequence", "register", "record_id", "valid_from", "cause", "state", "absent", "learner_profile_id")
    rows = sql.fetch(
        "SELECT v.sequence, v.register, r.record_id, v.valid_from, v.cause, v.state, v.body = '', r.learner_profile_id"
        " FROM history_historyrow v JOIN history_historyrecord r USING (organization_id, register, birth)"
        " WHERE v.organization_id = %s AND v.sequence > %s AND v.sequence <= %s ORDER BY v.sequence LIMIT %s",
        [organization_id, after, last, most],
    )
    return [dict(zip(names, row, strict=True)) for row in rows]


def written_after(organization_id: uuid.UUID, sequence: int, most: int) -> list[Written]:
    """The first `most` rows after `sequence`, each with the version that was in force at its `valid_from` before it."""
    before = in_force.version("v.body", moment="w.valid_from")
    rows = sql.fetch(
        f"SELECT w.register, r.record_id, r.learner_profile_id, r.course_id, w.body, {before}"  # noqa: S608
        " FROM history_historyrow w JOIN history_historyrecord r USING (organization_id, register, birth)"
        " WHERE w.organization_id = %(organization)s AND w.sequence > %(sequence)s ORDER BY w.sequence LIMIT %(most)s",
        {"organization": organization_id, "sequence": sequence, "most": most},
    )
    return [
        row._replace(
            body=visible_text(row.body),
            before=row.before and visible_text(row.before),
            renamed=differ(stored_identity(row.before or ""), stored_identity(row.body)),
        )
        for row in (Written(*row) for row in rows)
    ]


def changed_records(
    organization_id: uuid.UUID, after: int, upto: int, registers: Collection[int]
) -> list[tuple[int, int]]:
    """The records of these registers that have a version with `after` < sequence <= `upto`: register, record number."""
    return sql.fetch(
        "SELECT DISTINCT register, birth FROM history_historyrow WHERE organization_id = %s"
        " AND sequence > %s AND sequence <= %s AND register = ANY(%s)",
        [organization_id, after, upto, list(registers)],
    )


def current(organization_id: uuid.UUID, register: int, record_id: uuid.UUID, now: datetime) -> InForce | None:
    """The version of the record in force at `now`; None where the record is absent or does not exist."""
    rows = sql.fetch(
        f"SELECT v.body, v.state, v.due_at, v.ends_at FROM {_NOW}"  # noqa: S608
        " AND r.register = %(register)s AND r.record_id = %(record)s",
        {"organization": organization_id, "moment": now, "register": register, "record": record_id},
    )
    return InForce(visible_text(rows[0][0]), *rows[0][1:]) if rows else None


def training_of(
    organization_id: uuid.UUID, learner_profile_id: uuid.UUID, now: datetime, course_id: uuid.UUID | None = None
) -> list[Owed]:
    """The training records that apply to a person at `now`, done or not; of one course, or of all courses."""
    of_course = " AND r.course_id = %(course)s" if course_id is not None else ""
    columns = "v.begins_at, v.ends_at, v.lesson_share_id"
    rows = sql.fetch(
        "SELECT r.record_id, r.course_id, v.body, v.lesson_share_id"  # noqa: S608
        f" FROM {in_force.records(columns, sequence=None)} AND r.register = %(register)s"
        f" AND r.learner_profile_id = %(learner)s{of_course} AND {outcomes.listed()} ORDER BY r.birth",
        {
            "organization": organization_id,
            "moment": now,
            "register": TRAINING_RECORDS.number,
            "learner": learner_profile_id,
            "course": course_id,
        },
    )
    return [Owed(record_id, course, visible_text(body), share_id) for record_id, course, body, share_id in rows]
