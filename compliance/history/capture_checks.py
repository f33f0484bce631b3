"""Compares a stored capture with the one before it, its rows, the tree and the ledger; `verify` does so for each."""

import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from compliance.facts.ledger import sealing
from compliance.history import row_checks
from compliance.history.row_checks import NotAsCaptured
from compliance.history.tree import KEPT_SINCE_THE_FIRST, KeptRoot
from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.history import capture_digest, rows_sha256, tree_capture_digest, tree_capture_lines
from compliance.rules.vocabulary import LOGIC
from compliance.tenancy import sql


class StoredCapture(NamedTuple):
    """A capture as it is stored; one without a tree's root is `svc.capture/1`."""

    capture_sequence: int
    captured_at: datetime
    first_sequence: int
    last_sequence: int
    rows_sha256: str | None
    tree_root: bytes | None
    ledger_head: bytes | None
    chain_hash: str
    logic_version: int
    why: str


BEFORE_ALL = StoredCapture(0, datetime.min, 1, 0, "", None, None, ZERO_DIGEST, 0, "")  # noqa: DTZ901 - never compared
"""The predecessor of the first capture."""

_CAPTURES = f"""
SELECT {", ".join(StoredCapture._fields)} FROM history_capture
WHERE organization_id = (SELECT %s::uuid) AND capture_sequence > %s AND capture_sequence <= %s
ORDER BY capture_sequence LIMIT %s
"""  # noqa: S608
_ROOTS = """
SELECT index, root FROM history_subtree WHERE organization_id = (SELECT %s::uuid) AND height = %s AND index >= %s
ORDER BY index LIMIT %s
"""


def captures(organization_id: uuid.UUID, after: int, last: int) -> Iterator[StoredCapture]:
    """Yields the stored captures after number `after` up to `last`, in order, read page by page."""
    while page := sql.fetch(_CAPTURES, [organization_id, after, last, row_checks.PAGE]):
        yield from map(StoredCapture._make, page)
        after = page[-1][0]


def check_place(capture: StoredCapture, previous: StoredCapture) -> None:
    """Raises NotAsCaptured unless the capture begins where the one before it ended."""
    number, next_number = capture.capture_sequence, previous.capture_sequence + 1
    if number != next_number:
        raise NotAsCaptured(f"Capture {next_number} is missing.", capture=next_number)
    if capture.first_sequence != previous.last_sequence + 1 or capture.last_sequence < capture.first_sequence - 1:
        raise NotAsCaptured(
            f"Capture {number} does not go on where the one before it ended.", capture=number, column="first_sequence"
        )
    if number > 1 and capture.captured_at < previous.captured_at:
        raise NotAsCaptured(f"Capture {number} is older than the one before it.", capture=number, column="captured_at")
    if not previous.logic_version <= capture.logic_version <= LOGIC.version:
        raise NotAsCaptured(
            f"Capture {number} names a logic version that cannot be.", capture=number, column="logic_version"
        )


def check_rows(capture: StoredCapture, digests: Sequence[str], tree_root: bytes) -> None:
    """Raises NotAsCaptured unless the capture has the digest of its rows or, with a tree, the root after them."""
    number = capture.capture_sequence
    if capture.tree_root is None:
        if capture.ledger_head is not None:
            raise NotAsCaptured(f"Capture {number} is of no form.", capture=number, column="ledger_head")
        if rows_sha256(digests) != capture.rows_sha256:
            raise NotAsCaptured(
                f"The rows of capture {number} are not those that were captured.", capture=number, column="rows_sha256"
            )
        return
    for column, missing in (("rows_sha256", False), ("ledger_head", True)):
        if (getattr(capture, column) is None) is missing:
            raise NotAsCaptured(f"Capture {number} is of no form.", capture=number, column=column)
    if bytes(capture.tree_root) != tree_root:
        raise NotAsCaptured(
            f"The tree of capture {number} is not that of the rows up to its last.", capture=number, column="tree_root"
        )


def check_chain(organization_id: uuid.UUID, capture: StoredCapture, previous_chain_hash: str) -> None:
    """Raises NotAsCaptured unless the chain hash follows from the capture's columns and the capture before it."""
    number = capture.capture_sequence
    if chain_hash(organization_id, capture, previous_chain_hash) != capture.chain_hash:
        raise NotAsCaptured(
            f"Capture {number} does not follow from the one before it.", capture=number, column="chain_hash"
        )


def chain_hash(organization_id: uuid.UUID, capture: StoredCapture, previous_chain_hash: str) -> str:
    """The chain hash that follows from a capture's columns, in the capture's own form."""
    has_rows = capture.last_sequence >= capture.first_sequence
    first, last = (capture.first_sequence, capture.last_sequence) if has_rows else (None, None)
    if capture.tree_root is None or capture.ledger_head is None:
        return capture_digest(
            organization_id=organization_id,
            capture_sequence=capture.capture_sequence,
            captured_at=capture.captured_at,
            first_sequence=first,
            last_sequence=last,
            rows_sha256=capture.rows_sha256 or "",
            previous_chain_hash=previous_chain_hash,
        )
    return tree_capture_digest(
        tree_capture_lines(
            organization_id=organization_id,
            capture_sequence=capture.capture_sequence,
            captured_at=capture.captured_at,
            first_sequence=first,
            last_sequence=last,
            tree_size=capture.last_sequence,
            tree_root=bytes(capture.tree_root).hex(),
            ledger_head=bytes(capture.ledger_head).hex(),
            previous_chain_hash=previous_chain_hash,
        )
    )


class KeptRoots:
    """Compares the stored roots of complete subtrees with those that follow from the rows."""

    def __init__(self, organization_id: uuid.UUID, tree_size: int) -> None:
        """`tree_size`: the number of rows that the stored tree covers."""
        self._organization_id = organization_id
        self._tree_size = tree_size
        self._stored: dict[int, Iterator[sql.Row]] = {}
        self._next: dict[int, sql.Row | None] = {}

    def check(self, root: KeptRoot, capture_sequence: int) -> None:
        """Compares one root; roots come in the order in which they are completed. Raises NotAsCaptured."""
        height, index, expected = root
        first, end = index << height, index + 1 << height
        if end > self._tree_size:
            return
        if height not in self._stored:
            self._stored[height] = self._read(height, index)
            self._next[height] = next(self._stored[height], None)
        found = self._next[height]
        if height % KEPT_SINCE_THE_FIRST and (found is None or found[0] > index):
            return  # an older release did not keep it; reads compute it from the roots below
        if found is None or (found[0], bytes(found[1])) != (index, expected):
            raise NotAsCaptured(
                f"The stored subtree of the rows {first + 1} to {end} is not theirs.", capture=capture_sequence,
                sequence=first + 1, column="root",
            )  # fmt: skip
        self._next[height] = next(self._stored[height], None)

    def _read(self, height: int, index: int) -> Iterator[sql.Row]:
        while page := sql.fetch(_ROOTS, [self._organization_id, height, index, row_checks.PAGE]):
            yield from page
            index = page[-1][0] + 1


class LedgerHeads:
    """Finds the ledger lines that captures name; each must be the line of the capture before it, or a later one."""

    def __init__(self, organization_id: uuid.UUID, known: bytes | None) -> None:
        """`known`: the line that the capture before the first one checked names."""
        self._latest = bytes.fromhex(ZERO_DIGEST) if known is None else bytes(known)
        self._lines = sealing.digests_after(organization_id, self._latest)

    def check(self, capture: StoredCapture) -> None:
        """Raises NotAsCaptured unless the ledger holds the line that the capture names."""
        wanted = self._latest if capture.ledger_head is None else bytes(capture.ledger_head)
        while self._latest != wanted:
            found = next(self._lines, None)
            if found is None:
                raise NotAsCaptured(
                    f"The ledger does not hold the line that capture {capture.capture_sequence} names.",
                    capture=capture.capture_sequence, column="ledger_head",
                )  # fmt: skip
            self._latest = found
