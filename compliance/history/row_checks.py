"""Compares one stored row with its capture, its digest and its own body; `verify` does so for each row."""

import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple, Protocol

import orjson

from compliance.catalogue import REGISTERS
from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.people import PEOPLE
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.history.projections import Columns, hashed_body
from compliance.history.text import instant
from compliance.proofs.history import RowHasher
from compliance.tenancy import sql

PAGE = 5_000
"""How many rows or captures are read at once."""


class Row(NamedTuple):
    """A stored row with the record that it belongs to."""

    sequence: int
    register: int
    birth: int
    capture_sequence: int
    valid_from: datetime
    recorded_at: datetime
    cause: str
    logic_version: int
    state: str | None
    state_before_end: str | None
    begins_at: datetime | None
    due_at: datetime | None
    done_at: datetime | None
    waived_at: datetime | None
    ends_at: datetime | None
    door: str | None
    receipt_id: uuid.UUID | None
    live_session_id: uuid.UUID | None
    renews_certificate_id: uuid.UUID | None
    lesson_share_id: uuid.UUID | None
    body: str
    row_sha256: bytes
    record_id: uuid.UUID | None
    learner_profile_id: uuid.UUID | None
    course_id: uuid.UUID | None


class Captured(Protocol):
    """The columns that a row has in common with its capture."""

    @property
    def capture_sequence(self) -> int:
        """The capture's number."""

    @property
    def captured_at(self) -> datetime:
        """When it was made."""

    @property
    def logic_version(self) -> int:
        """The version of the rules that decided."""


Content = dict[str, Any]
"""The members of a row's body; none where the row ends its record."""


class NotAsCaptured(Exception):
    """A fault, and its place; `more` may name the column and the sequence."""

    def __init__(self, sentence: str, *, capture: int | None = None, row: Row | None = None, **more: Any) -> None:
        super().__init__(sentence)
        self.capture, self.row, self.more = capture, row, more


# LATERAL with OFFSET 0 makes the planner use a look-up per row. Without it, and without statistics just after an
# import, it would read and hash all records of the company for each page.
_ROWS = f"""
SELECT {", ".join(f"v.{column}" for column in Row._fields[:-3])}, r.record_id, r.learner_profile_id, r.course_id
FROM (SELECT * FROM history_historyrow WHERE organization_id = (SELECT %s::uuid) AND sequence > %s AND sequence <= %s
    ORDER BY sequence LIMIT %s) v
LEFT JOIN LATERAL (
    SELECT record_id, learner_profile_id, course_id FROM history_historyrecord
    WHERE organization_id = (SELECT %s::uuid) AND register = v.register AND birth = v.birth OFFSET 0
) r ON true
ORDER BY v.sequence
"""  # noqa: S608


def rows(organization_id: uuid.UUID, after: int, last: int) -> Iterator[Row]:
    """Yields the stored rows of a company after sequence `after` up to `last`, in order, read page by page."""
    while page := sql.fetch(_ROWS, [organization_id, after, last, PAGE, organization_id]):
        yield from map(Row._make, page)
        after = page[-1][0]


def check_place(row: Row, capture: Captured) -> None:
    """Raises NotAsCaptured unless the row belongs to a record and to the capture that contains its sequence."""
    if row.register not in REGISTERS:
        raise NotAsCaptured(f"Row {row.sequence} is of no register.", row=row, column="register")
    if row.record_id is None:
        raise NotAsCaptured(f"Row {row.sequence} belongs to no record.", row=row, column="birth")
    if row.capture_sequence != capture.capture_sequence:
        placed = row._replace(capture_sequence=capture.capture_sequence)
        raise NotAsCaptured(
            f"Row {row.sequence} names another capture than its own.", row=placed, column="capture_sequence"
        )
    if row.recorded_at != capture.captured_at:
        raise NotAsCaptured(f"Row {row.sequence} was not recorded when it was captured.", row=row, column="recorded_at")
    if row.logic_version != capture.logic_version:
        raise NotAsCaptured(
            f"Row {row.sequence} names another logic than its capture.", row=row, column="logic_version"
        )
    if row.birth > row.sequence:
        raise NotAsCaptured(f"Row {row.sequence} comes before its record.", row=row, column="birth")


def check_digest(row: Row, digest: RowHasher) -> str:
    """The row digest, recomputed from the stored body. Raises NotAsCaptured when it is not the stored one."""
    recomputed = digest(
        str(row.sequence),
        REGISTERS[row.register].name,
        str(row.record_id),
        instant(row.valid_from),
        instant(row.recorded_at),
        row.cause,
        str(row.logic_version),
        hashed_body(row.register, row.body.encode(), row.state, row.state_before_end),
    )
    if bytes.fromhex(recomputed) != bytes(row.row_sha256):
        raise NotAsCaptured(f"Row {row.sequence} is not what was captured.", row=row)
    return recomputed


def check_columns(row: Row) -> Content:
    """The body's members. Raises NotAsCaptured for the first column that does not repeat the body."""
    try:
        content: Content = orjson.loads(row.body) if row.body else {}
        columns = _expected(row, content)
    except (AttributeError, LookupError, TypeError, ValueError) as error:  # somebody made the digest anew, too
        raise NotAsCaptured(
            f"The body of row {row.sequence} is no content of a record.", row=row, column="body"
        ) from error
    for column, expected in columns.items():
        if getattr(row, column) != expected:
            raise NotAsCaptured(
                f"Column {column} of row {row.sequence} is not what its body says.", row=row, column=column
            )
    return content


_TYPES: dict[str, Callable[[str], Any]] = {"state": str, "door": str} | dict.fromkeys(
    ("receipt_id", "live_session_id", "renews_certificate_id"), uuid.UUID
)
"""How a column that is not an instant is read from the body."""


def _expected(row: Row, stated: Content) -> dict[str, Any]:
    """The values that the columns of a row must have, from its body, whose digest was checked before."""
    columns: dict[str, Any] = dict.fromkeys(Columns._fields)
    if not row.body:
        if row.birth == row.sequence:
            return {"body": "a record begins with a content"}
        return columns
    register = REGISTERS[row.register]
    names = dict(register.columns)
    if register is TRAINING_RECORDS:
        # Without the hidden member the column equals `requirement`, or the digest covers the column itself.
        before = row.state_before_end if stated.get("ended_at") else stated.get("requirement")
        columns["state_before_end"] = stated.get("state_before_end", before)
        if stated.get("course_release_id") is None and stated.get("share_ids"):
            columns["lesson_share_id"] = uuid.UUID(stated["share_ids"][0])
    elif register is PEOPLE:
        if stated.get("entry_type") != "employee":
            names["begins_at"] = "invited_at"
        if stated.get("joined_at") is None and stated.get("access_state") in ("ended", "erased"):
            columns["ends_at"] = row.valid_from
            del names["ends_at"]
    elif register is CERTIFICATES:
        columns["state"] = stated.get("state", row.state)
    for column, field in names.items():
        value = stated.get(field)
        if value is not None:
            columns[column] = _TYPES.get(column, datetime.fromisoformat)(value)
    if row.birth == row.sequence:
        columns |= _expected_of_record(row, stated)
    return columns


def _expected_of_record(row: Row, stated: Content) -> dict[str, uuid.UUID | None]:
    """The values that the columns of a record must have, from its first version."""
    learner, course = stated.get("learner_profile_id"), stated.get("course_id")
    if row.register == PEOPLE.number and stated.get("entry_type") != "employee":
        learner = None
    return {
        "learner_profile_id": uuid.UUID(learner) if learner else None,
        "course_id": uuid.UUID(course) if course else None,
    }
