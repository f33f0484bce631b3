"""Digests of the history's chain: `svc.row/1` of a row version, `svc.capture/1` and `svc.capture/2` of a capture.

A capture made before the company had a tree is `svc.capture/1`: it holds the digest of its own rows. From then on it is
`svc.capture/2`: it holds the root of the tree of RFC 6962 over the row digests from sequence 1 to its last.

The writer hashes tens of thousands of rows a second, so `row_hasher` takes text that is already
formatted: UUIDs lower-case with hyphens, integers in decimal, instants as `hashed_instant` gives them.

The hashed content of a row is its stored text: JSON, or nothing for an absence. Before the register's own fields it may
have hidden members, which /v1 does not include.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from uuid import UUID

from .digests import ZERO_DIGEST, sha256_lines
from .instants import hashed_instant

ROW_CONSTANT = "svc.row/1"
CAPTURE_CONSTANT = "svc.capture/1"
TREE_CAPTURE_CONSTANT = "svc.capture/2"

HIDDEN_MEMBERS = ("state", "state_before_end", "identity_sha256")
"""The members that may come before a register's own fields in a stored text, in this order.

`state` of a certificate: valid, revoked or replaced. `state_before_end` of a training record, where it differs from
`requirement`: what was required just before it ended. `identity_sha256` of people and certificates: the person that the
row is about (`proofs.identity`).
"""

_HIDDEN = re.compile(r'\{(?:"(?:' + "|".join(HIDDEN_MEMBERS) + r')":(?:"[a-z0-9_]*"|null),)*')

RowHasher = Callable[[str, str, str, str, str, str, str, bytes], str]


def row_hasher(organization_id: str) -> RowHasher:
    """Return the fast row digest of one company.

    The function returned takes, in the order hashed, `sequence`, `register`, `record_id`, `valid_from`, `recorded_at`,
    `cause`, `logic_version` as text and `body` as bytes (empty for an absence), and returns the row digest. `body` is
    the stored UTF-8 text, byte for byte. For rows written before the stored text had hidden members, a line feed and
    one word follow it, unless it is empty: the column `state` for a certificate, and `state_before_end` for a training
    record where it differs from `state`.
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


def hidden_end(text: str) -> int:
    """Return where a stored text's hidden members end and the register's own fields begin; 0 for an empty text."""
    found = _HIDDEN.match(text)
    return found.end() if found is not None else 0


def visible_text(text: str) -> str:
    """Return a stored text without its hidden members; an empty one stays empty."""
    end = hidden_end(text)
    return "{" + text[end:] if end > 1 else text


def rows_sha256(row_digests: Iterable[str]) -> str:
    """Return the digest of a capture's row digests in order of `sequence`; without rows, that of the empty text."""
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


def tree_capture_lines(
    *,
    organization_id: UUID | str,
    capture_sequence: int,
    captured_at: datetime | str,
    first_sequence: int | None,
    last_sequence: int | None,
    tree_size: int,
    tree_root: str,
    ledger_head: str,
    previous_chain_hash: str = ZERO_DIGEST,
) -> dict[str, str]:
    """Return the lines of `svc.capture/2` by name, in the order hashed; all but the constant, which comes first.

    `tree_root` and `ledger_head` are hexadecimal. Without rows, first and last
    sequence are null, hashed as empty lines.
    """
    return {
        "organization_id": str(organization_id),
        "capture_sequence": str(capture_sequence),
        "captured_at": captured_at if isinstance(captured_at, str) else hashed_instant(captured_at),
        "first_sequence": "" if first_sequence is None else str(first_sequence),
        "last_sequence": "" if last_sequence is None else str(last_sequence),
        "tree_size": str(tree_size),
        "tree_root": tree_root,
        "ledger_head": ledger_head,
        "previous_chain_hash": previous_chain_hash,
    }


def tree_capture_digest(lines: dict[str, str]) -> str:
    """Return `chain_hash` of a capture from its lines, as `tree_capture_lines` gives them."""
    return sha256_lines((TREE_CAPTURE_CONSTANT, *lines.values()))
