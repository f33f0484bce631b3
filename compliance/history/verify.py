"""Recomputes a company's whole history from what is stored, and names the first fault.

Every column of every row takes part: what a row digest holds directly; the typed columns because they repeat what the
hashed body says; `birth` and `capture_sequence` because they must lead to the record and the capture that the digests
speak of. Rows are streamed: memory does not grow with the history.
"""

import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from compliance.catalogue import REGISTERS
from compliance.history import row_checks
from compliance.history.reasons import why
from compliance.history.row_checks import NotAsCaptured, StoredCapture
from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.history import capture_digest, row_hasher, rows_sha256
from compliance.rules.vocabulary import LOGIC
from compliance.tenancy import context, sql


class Verified(NamedTuple):
    """The history holds, up to this capture."""

    organization_id: uuid.UUID
    captures: int
    records: int
    rows: int
    chain_hash: str


class FirstFault(NamedTuple):
    """The first thing that does not hold; null where it cannot be told. The sentence holds nothing personal."""

    organization_id: uuid.UUID
    capture_sequence: int | None
    sequence: int | None
    register: str | None
    record_id: uuid.UUID | None
    column: str | None
    sentence: str


_CAPTURES = """
SELECT capture_sequence, captured_at, first_sequence, last_sequence, rows_sha256, chain_hash, logic_version, why
FROM history_capture WHERE organization_id = (SELECT %s::uuid) AND capture_sequence > %s AND capture_sequence <= %s
ORDER BY capture_sequence LIMIT %s
"""
_HEAD = """
SELECT sequence, capture_sequence, chain_hash, captured_at, logic_version FROM history_historyhead
WHERE organization_id = %s
"""


_BEYOND = """
SELECT CASE WHEN %(whole)s::boolean THEN (SELECT count(*) FROM history_historyrecord
        WHERE organization_id = %(organization_id)s AND birth <= %(sequence)s) END,
    (SELECT min(sequence) FROM history_historyrow WHERE organization_id = %(organization_id)s AND sequence < 1),
    (SELECT min(sequence) FROM history_historyrow
        WHERE organization_id = %(organization_id)s AND sequence > %(sequence)s),
    (SELECT min(capture_sequence) FROM history_capture WHERE organization_id = %(organization_id)s
        AND (capture_sequence > %(capture_sequence)s OR capture_sequence < 1)),
    (SELECT capture_sequence FROM history_historyhead WHERE organization_id = %(organization_id)s)
"""


class Known(NamedTuple):
    """How far a history was recomputed before: what is signed. Nothing yet: capture 0."""

    capture_sequence: int = 0
    chain_hash: str = ZERO_DIGEST


def verify_history(organization_id: uuid.UUID, since: Known = Known()) -> Verified | FirstFault:  # noqa: B008 - a constant
    """Walks the company's captures and rows up to its head, in its context.

    With `since`, only what came after that capture, which must be the one that is stored; `records` then counts those
    that began since.
    """
    with context.company(organization_id):
        try:
            return _walk(organization_id, since)
        except NotAsCaptured as fault:
            row = fault.row
            return FirstFault(
                organization_id,
                fault.capture if row is None else row.capture_sequence,
                fault.more.get("sequence") if row is None else row.sequence,
                REGISTERS[row.register].name if row is not None and row.register in REGISTERS else None,
                row.record_id if row is not None else None,
                fault.more.get("column"),
                str(fault),
            )


def _walk(organization_id: uuid.UUID, since: Known) -> Verified:
    heads = sql.fetch(_HEAD, [organization_id])
    if not heads:
        raise NotAsCaptured("The history has no head.")
    last_sequence, last_capture, chain_hash, captured_at, logic_version = heads[0]
    digest = row_hasher(str(organization_id))
    previous = _known(organization_id, since)
    rows = row_checks.rows(organization_id, previous.last_sequence, last_sequence)
    records = 0
    for capture in _captures(organization_id, since.capture_sequence, last_capture):
        number = capture.capture_sequence
        if number != previous.capture_sequence + 1:
            raise NotAsCaptured(
                f"Capture {previous.capture_sequence + 1} is missing.", capture=previous.capture_sequence + 1
            )
        if capture.first_sequence != previous.last_sequence + 1 or capture.last_sequence < capture.first_sequence - 1:
            raise NotAsCaptured(
                f"Capture {number} does not go on where the one before it ended.", capture=number,
                column="first_sequence",
            )  # fmt: skip
        if number > 1 and capture.captured_at < previous.captured_at:
            raise NotAsCaptured(
                f"Capture {number} is older than the one before it.", capture=number, column="captured_at"
            )
        if not previous.logic_version <= capture.logic_version <= LOGIC.version:
            raise NotAsCaptured(f"Capture {number} names a logic version that cannot be.", capture=number,
                         column="logic_version")  # fmt: skip
        digests: list[str] = []
        causes: set[str] = set()
        for sequence in range(capture.first_sequence, capture.last_sequence + 1):
            row = next(rows, None)
            if row is None or row.sequence != sequence:
                raise NotAsCaptured(f"Row {sequence} is missing.", capture=number, sequence=sequence)
            row_checks.check_place(row, capture)
            digests.append(row_checks.check_digest(row, digest))
            row_checks.check_columns(row)
            records += row.birth == row.sequence
            causes.add(row.cause)
        if rows_sha256(digests) != capture.rows_sha256:
            raise NotAsCaptured(f"The rows of capture {number} are not those that were captured.", capture=number,
                         column="rows_sha256")  # fmt: skip
        if _recomputed(organization_id, capture, previous.chain_hash) != capture.chain_hash:
            raise NotAsCaptured(f"Capture {number} does not follow from the one before it.", capture=number,
                         column="chain_hash")  # fmt: skip
        if capture.why != why(number, causes):
            raise NotAsCaptured(f"Capture {number} gives a cause that its rows do not.", capture=number, column="why")
        previous = capture
    _check_head(
        organization_id,
        previous,
        (last_sequence, last_capture, chain_hash, captured_at, logic_version),
        records if since.capture_sequence == 0 else None,
    )
    return Verified(organization_id, last_capture, records, last_sequence, chain_hash)


def _recomputed(organization_id: uuid.UUID, capture: StoredCapture, previous_chain_hash: str) -> str:
    """The chain hash that follows from a capture's columns, its rows' digest included."""
    has_rows = capture.last_sequence >= capture.first_sequence
    return capture_digest(
        organization_id=organization_id,
        capture_sequence=capture.capture_sequence,
        captured_at=capture.captured_at,
        first_sequence=capture.first_sequence if has_rows else None,
        last_sequence=capture.last_sequence if has_rows else None,
        rows_sha256=capture.rows_sha256,
        previous_chain_hash=previous_chain_hash,
    )


def _known(organization_id: uuid.UUID, since: Known) -> StoredCapture:
    """The capture from which the walk goes on: the stored one, once its columns give the hash that is known."""
    number = since.capture_sequence
    if number == 0:
        return StoredCapture(0, datetime.min, 1, 0, "", ZERO_DIGEST, 0, "")  # noqa: DTZ901 - only its end counts
    found = list(_captures(organization_id, max(number - 2, 0), number))
    if not found or found[-1].capture_sequence != number:
        raise NotAsCaptured(f"Capture {number} is missing.", capture=number)
    before = found[-2].chain_hash if len(found) > 1 else ZERO_DIGEST
    if not since.chain_hash == found[-1].chain_hash == _recomputed(organization_id, found[-1], before):
        raise NotAsCaptured(f"Capture {number} is not the one that was recomputed before.", capture=number,
                     column="chain_hash")  # fmt: skip
    return found[-1]


def _check_head(
    organization_id: uuid.UUID, last: StoredCapture, head: tuple[int, int, str, datetime, int], records: int | None
) -> None:
    sequence, capture_sequence, chain_hash, captured_at, logic_version = head
    if last.capture_sequence != capture_sequence:
        raise NotAsCaptured(f"The head names capture {capture_sequence}, which is missing.", capture=capture_sequence)
    for column, says, expected in (
        ("sequence", sequence, last.last_sequence),
        ("chain_hash", chain_hash, last.chain_hash),
        ("captured_at", captured_at, last.captured_at),
    ):
        if says != expected:
            raise NotAsCaptured(f"Column {column} of the head is not that of its capture.", capture=capture_sequence,
                         column=column)  # fmt: skip
    if not last.logic_version <= logic_version <= LOGIC.version:
        raise NotAsCaptured("The head names a logic version that cannot be.", capture=capture_sequence,
                     column="logic_version")  # fmt: skip
    # What a capture appends meanwhile lies beyond the head that was read; anything else there was put there by hand.
    ((stored_records, before, beyond, captured_beyond, capture_sequence_now),) = sql.fetch(
        _BEYOND,
        {
            "organization_id": organization_id,
            "sequence": sequence,
            "capture_sequence": capture_sequence,
            "whole": records is not None,
        },
    )
    if records is not None and stored_records != records:
        raise NotAsCaptured("There are records that no row begins.", capture=capture_sequence)
    unmoved = capture_sequence_now == capture_sequence
    if before is not None or (beyond is not None and unmoved):
        row = before if before is not None else beyond
        raise NotAsCaptured(f"Row {row} belongs to no capture.", sequence=row)
    if captured_beyond is not None and unmoved:
        raise NotAsCaptured(f"Capture {captured_beyond} is not known to the head.", capture=captured_beyond)


def _captures(organization_id: uuid.UUID, after: int, last: int) -> Iterator[StoredCapture]:
    while page := sql.fetch(_CAPTURES, [organization_id, after, last, row_checks.PAGE]):
        yield from map(StoredCapture._make, page)
        after = page[-1][0]
