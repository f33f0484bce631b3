"""Recomputes a company's whole history from what is stored, and names the first fault.

Every column of every row is checked. A row digest covers some columns directly. The typed columns must repeat the
hashed body. `birth` and `capture_sequence` must name the record and the capture that the digests cover. The tree and
its stored subtrees must follow from the rows, the sources of training records from their bodies, and the ledger's head
from its lines. Rows are streamed, so memory does not grow with the history.
"""

import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar

from django.db import DataError

from compliance.catalogue import REGISTERS
from compliance.history import capture_checks, row_checks
from compliance.history.capture_checks import StoredCapture
from compliance.history.name_checks import Names, check_current_names
from compliance.history.reasons import capture_reason
from compliance.history.row_checks import NotAsCaptured
from compliance.history.source_checks import Sources
from compliance.history.tree import TILE_HEIGHT, grow
from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.history import row_hasher
from compliance.proofs.merkle import CompactRange
from compliance.rules.vocabulary import LOGIC
from compliance.tenancy import context, sql

Answer = TypeVar("Answer")


NO_DATE = "A moment is stored that no capture writes: an infinite one, or one before the year 1 or after 9999."


class Verified(NamedTuple):
    """The history is intact up to this capture."""

    organization_id: uuid.UUID
    captures: int
    records: int
    rows: int
    chain_hash: str


class FirstFault(NamedTuple):
    """The first fault; None where a place is not known. The sentence contains nothing personal."""

    organization_id: uuid.UUID
    capture_sequence: int | None
    sequence: int | None
    register: str | None
    record_id: uuid.UUID | None
    column: str | None
    sentence: str


_HEAD = """
SELECT sequence, capture_sequence, chain_hash, captured_at, logic_version, tree_size, tree_range, next_change_at
FROM history_historyhead WHERE organization_id = %s
"""

_BEYOND = """
SELECT CASE WHEN %(whole)s::boolean THEN (SELECT count(*) FROM history_historyrecord
        WHERE organization_id = %(organization_id)s AND birth <= %(sequence)s) END,
    CASE WHEN %(whole)s::boolean THEN (SELECT min(birth) FROM history_historyrecord
        WHERE organization_id = %(organization_id)s AND birth > %(sequence)s) END,
    (SELECT min(sequence) FROM history_historyrow WHERE organization_id = %(organization_id)s AND sequence < 1),
    (SELECT min(sequence) FROM history_historyrow
        WHERE organization_id = %(organization_id)s AND sequence > %(sequence)s),
    (SELECT min(capture_sequence) FROM history_capture WHERE organization_id = %(organization_id)s
        AND (capture_sequence > %(capture_sequence)s OR capture_sequence < 1)),
    CASE WHEN %(whole)s::boolean THEN (SELECT min(height) FROM history_subtree
        WHERE organization_id = %(organization_id)s AND (
            height NOT BETWEEN 1 AND 60 OR mod(height, %(tile_height)s::integer) <> 0 OR index < 0
            OR index >= %(sequence)s::bigint >> height)) END,
    (SELECT capture_sequence FROM history_historyhead WHERE organization_id = %(organization_id)s)
"""


class Known(NamedTuple):
    """The last capture that was recomputed and signed before; capture 0 if none was.

    `tree_range` is the compact range of the tree of `tree_size` rows after that capture, its hashes concatenated.
    """

    capture_sequence: int = 0
    chain_hash: str = ZERO_DIGEST
    tree_size: int = 0
    tree_range: bytes = b""


class NewCapture(NamedTuple):
    """A capture that was recomputed, as the log enters it."""

    capture_sequence: int
    chain_hash: str
    tree_size: int


class Recomputed(NamedTuple):
    """The captures that were recomputed, what is known after them, and whether more are stored."""

    captures: list[NewCapture]
    known: Known
    more: bool


def verify_history(organization_id: uuid.UUID) -> Verified | FirstFault:
    """Recomputes all of the company's captures and rows up to its head, in its context.

    Names and addresses, those kept for past rows and the current ones, are compared with the rows' commitments.
    """
    return _held(organization_id, lambda: _verified(organization_id))


def recompute(organization_id: uuid.UUID, since: Known, most_captures: int, most_rows: int) -> Recomputed | FirstFault:
    """Recomputes what was captured after `since` from the stored bodies, in its context, for the log's signer.

    It ends after `most_captures`, or with the capture that brings the number of rows to `most_rows`: an import leaves
    few captures, each of tens of thousands of rows. The capture of `since` must be the stored one. New rows are
    appended to the tree of `since`, so of what was recomputed before only the compact range is needed. No stored hash
    is trusted.
    """
    return _held(organization_id, lambda: _recomputed(organization_id, since, most_captures, most_rows))


def _held(organization_id: uuid.UUID, walk: Callable[[], Answer]) -> Answer | FirstFault:
    try:
        with context.company(organization_id):
            return walk()
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
    except DataError:  # the driver finds no date for a moment
        return FirstFault(organization_id, None, None, None, None, None, NO_DATE)


def _verified(organization_id: uuid.UUID) -> Verified:
    names, sources = Names(organization_id), Sources(organization_id)
    head, walk = _head(organization_id), _Walk(organization_id, Known(), (names.see, sources.see))
    for _ in walk.captures(head, head.capture_sequence):
        pass
    walk.check_head(head)
    names.finish()
    sources.check()
    check_current_names(organization_id)
    _check_beyond(organization_id, head, walk.records)
    return Verified(organization_id, head.capture_sequence, walk.records, head.sequence, head.chain_hash)


def _recomputed(organization_id: uuid.UUID, since: Known, most_captures: int, most_rows: int) -> Recomputed:
    head, walk = _head(organization_id), _Walk(organization_id, since)
    found: list[NewCapture] = []
    begun = walk.last.last_sequence
    for capture in walk.captures(head, min(head.capture_sequence, since.capture_sequence + most_captures)):
        found.append(NewCapture(capture.capture_sequence, capture.chain_hash, capture.last_sequence))
        if capture.last_sequence - begun >= most_rows:
            break
    last, more = walk.last, head.capture_sequence > walk.last.capture_sequence
    if not more:
        walk.check_head(head)
        _check_beyond(organization_id, head, None)
    known = Known(last.capture_sequence, last.chain_hash, walk.tree.size, walk.tree.to_bytes())
    return Recomputed(found, known, more)


class _Head(NamedTuple):
    sequence: int
    capture_sequence: int
    chain_hash: str
    captured_at: datetime
    logic_version: int
    tree_size: int
    tree_range: bytes
    next_change_at: datetime | None
    """Compared with nothing, but read: a moment without a date is a fault."""


def _head(organization_id: uuid.UUID) -> _Head:
    heads = sql.fetch(_HEAD, [organization_id])
    if not heads:
        raise NotAsCaptured("The history has no head.")
    return _Head._make(heads[0])


class _Walk:
    """Recomputes captures and their rows in order; `last`, `tree` and `records` are the state after the latest."""

    def __init__(
        self,
        organization_id: uuid.UUID,
        since: Known,
        seen_by: Sequence[Callable[[row_checks.Row, row_checks.Content], None]] = (),
    ) -> None:
        """Each of `seen_by` is called with each row that is intact, and with the members of its body."""
        self._organization_id = organization_id
        self._seen_by = seen_by
        self.tree = CompactRange.from_bytes(since.tree_size, since.tree_range)
        self.last = _known(organization_id, since, self.tree)
        self.records = 0
        self._met = False

    def captures(self, head: _Head, upto: int) -> Iterator[StoredCapture]:
        """Yields the captures up to the number `upto`, each after it was checked. Raises NotAsCaptured."""
        digest = row_hasher(str(self._organization_id))
        kept = capture_checks.KeptRoots(self._organization_id, head.tree_size)
        ledger = capture_checks.LedgerHeads(self._organization_id, self.last.ledger_head)
        rows = row_checks.rows(self._organization_id, self.last.last_sequence, head.sequence)
        self._met = head.tree_size < self.tree.size
        self._meet(head)
        for capture in capture_checks.captures(self._organization_id, self.last.capture_sequence, upto):
            number = capture.capture_sequence
            capture_checks.check_place(capture, self.last)
            digests: list[str] = []
            causes: set[str] = set()
            for sequence in range(capture.first_sequence, capture.last_sequence + 1):
                row = next(rows, None)
                if row is None or row.sequence != sequence:
                    raise NotAsCaptured(f"Row {sequence} is missing.", capture=number, sequence=sequence)
                row_checks.check_place(row, capture)
                digests.append(row_checks.check_digest(row, digest))
                content = row_checks.check_columns(row)
                for see in self._seen_by:
                    see(row, content)
                self.records += row.birth == row.sequence
                causes.add(row.cause)
            for root in grow(self.tree, map(bytes.fromhex, digests)):
                kept.check(root, number)
            capture_checks.check_rows(capture, digests, self.tree.root())
            ledger.check(capture)
            capture_checks.check_chain(self._organization_id, capture, self.last.chain_hash)
            if capture.why != capture_reason(number, causes):
                raise NotAsCaptured(
                    f"Capture {number} gives a cause that its rows do not.", capture=number, column="why"
                )
            self.last = capture
            self._meet(head)
            yield capture
        if self.last.capture_sequence < upto:
            raise NotAsCaptured(f"The head names capture {upto}, which is missing.", capture=upto)

    def _meet(self, head: _Head) -> None:
        """Compares the head's tree with that of the rows, once both have the same size. Raises NotAsCaptured."""
        if self.tree.size == head.tree_size:
            self._met = True
            if self.tree.to_bytes() != bytes(head.tree_range):
                raise NotAsCaptured(
                    "Column tree_range of the head is not that of its rows.", capture=self.last.capture_sequence,
                    column="tree_range",
                )  # fmt: skip

    def check_head(self, head: _Head) -> None:
        """Compares the head with the last capture. Raises NotAsCaptured."""
        last, number = self.last, head.capture_sequence
        if last.capture_sequence != number:
            raise NotAsCaptured(f"The head names capture {number}, which is missing.", capture=number)
        for column, stored, expected in (
            ("sequence", head.sequence, last.last_sequence),
            ("chain_hash", head.chain_hash, last.chain_hash),
            ("captured_at", head.captured_at, last.captured_at),
        ):
            if stored != expected:
                raise NotAsCaptured(
                    f"Column {column} of the head is not that of its capture.", capture=number, column=column
                )
        # An older release that kept no tree captures without moving the head's tree; the next capture catches up.
        if not self._met or (last.tree_root is not None and head.tree_size != head.sequence):
            raise NotAsCaptured(
                "Column tree_size of the head is not that of its capture.", capture=number, column="tree_size"
            )
        if not last.logic_version <= head.logic_version <= LOGIC.version:
            raise NotAsCaptured(
                "The head names a logic version that cannot be.", capture=number, column="logic_version"
            )


def _known(organization_id: uuid.UUID, since: Known, tree: CompactRange) -> StoredCapture:
    """The stored capture after which recomputing begins, once its hash and root are those that are known.

    Raises NotAsCaptured.
    """
    number = since.capture_sequence
    if number == 0:
        return capture_checks.BEFORE_ALL
    found = list(capture_checks.captures(organization_id, max(number - 2, 0), number))
    if not found or found[-1].capture_sequence != number:
        raise NotAsCaptured(f"Capture {number} is missing.", capture=number)
    before = found[-2].chain_hash if len(found) > 1 else ZERO_DIGEST
    known = found[-1]
    recomputed = capture_checks.chain_hash(organization_id, known, before)
    of_tree = known.tree_root is None or bytes(known.tree_root) == tree.root()
    if not (since.chain_hash == known.chain_hash == recomputed and known.last_sequence == tree.size and of_tree):
        raise NotAsCaptured(
            f"Capture {number} is not the one that was recomputed before.", capture=number, column="chain_hash"
        )
    return known


def _check_beyond(organization_id: uuid.UUID, head: _Head, records: int | None) -> None:
    """Raises NotAsCaptured for records, rows, captures and subtrees that the head does not cover.

    While the head has not moved since it was read, no capture can have written them, so somebody did by hand.
    """
    ((stored_records, begun_beyond, before, beyond, captured_beyond, subtree_beyond, capture_sequence_now),) = (
        sql.fetch(
            _BEYOND,
            {
                "organization_id": organization_id,
                "sequence": head.sequence,
                "capture_sequence": head.capture_sequence,
                "whole": records is not None,
                "tile_height": TILE_HEIGHT,
            },
        )
    )
    number = head.capture_sequence
    unmoved = capture_sequence_now == number
    if stored_records != records or (begun_beyond is not None and unmoved):
        raise NotAsCaptured("There are records that no row begins.", capture=number)
    if before is not None or (beyond is not None and unmoved):
        row = before if before is not None else beyond
        raise NotAsCaptured(f"Row {row} belongs to no capture.", sequence=row)
    if captured_beyond is not None and unmoved:
        raise NotAsCaptured(f"Capture {captured_beyond} is not known to the head.", capture=captured_beyond)
    if subtree_beyond is not None and unmoved:
        raise NotAsCaptured(f"Subtrees of height {subtree_beyond} are stored for rows that are not.", column="height")
