"""Digests of the history's chain: `svc.row/1` a row version, `svc.capture/1` a capture (design 5, "Chains").

The writer hashes tens of thousands of rows a second, so `row_hasher` takes text that is already
formatted: UUIDs lower-case with hyphens, integers in decimal, instants as `hashed_instant` gives them.
"""

import hashlib
from collections.abc import Callable, Iterable
from datetime import datetime
from uuid import UUID

from .digests import ZERO_DIGEST, sha256_lines
from .instants import hashed_instant

ROW_CONSTANT = "svc.row/1"
CAPTURE_CONSTANT = "svc.capture/1"

RowHasher = Callable[[str, str, str, str, str, str, str, bytes], str]


def row_hasher(organization_id: str) -> RowHasher:
    """Return the fast row digest of one company.

    The function returned takes, in the order hashed, `sequence`, `register`, `record_id`, `valid_from`, `recorded_at`,
    `cause`, `logic_version` as text and `body` as the UTF-8 bytes stored (empty for an absence), and returns the row
    digest.
    """
    sha256 = hashlib.sha256
    head = f"{ROW_CONSTANT}\n{organization_id}\n"

    def row_digest_of_text(
        sequence: str,
        register: str,
        record_id: str,
        valid_from: str,
        recorded_at: str,
        cause: str,
        logic_version: str,
        body: bytes,
    ) -> str:
        return sha256(
            f"{head}{sequence}\n{register}\n{record_id}\n{valid_from}\n{recorded_at}\n{cause}\n{logic_version}\n"
            f"{sha256(body).hexdigest()}".encode()
        ).hexdigest()

    return row_digest_of_text


def row_digest(
    *,
    organization_id: UUID | str,
    sequence: int,
    register: str,
    record_id: UUID | str,
    valid_from: datetime,
    recorded_at: datetime,
    cause: str,
    logic_version: int,
    body: str,
) -> str:
    """Return the digest of one row version; `body` is its canonical JSON text, empty for an absence."""
    return row_hasher(str(organization_id))(
        str(sequence),
        register,
        str(record_id),
        hashed_instant(valid_from),
        hashed_instant(recorded_at),
        cause,
        str(logic_version),
        body.encode(),
    )


def rows_sha256(row_digests: Iterable[str]) -> str:
    """Return the digest of a capture's row digests in order of `sequence`; of the empty text when no row changed."""
    return sha256_lines(row_digests)


def capture_digest(
    *,
    organization_id: UUID | str,
    capture_sequence: int,
    captured_at: datetime | str,
    first_sequence: int | None,
    last_sequence: int | None,
    rows_sha256: str,
    previous_chain_hash: str = ZERO_DIGEST,
) -> str:
    """Return `chain_hash` of a capture. Without rows, first and last sequence are null, hashed as empty lines."""
    return sha256_lines(
        (
            CAPTURE_CONSTANT,
            str(organization_id),
            str(capture_sequence),
            captured_at if isinstance(captured_at, str) else hashed_instant(captured_at),
            "" if first_sequence is None else str(first_sequence),
            "" if last_sequence is None else str(last_sequence),
            rows_sha256,
            previous_chain_hash,
        )
    )
