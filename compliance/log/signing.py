"""Signs the log. Only the signer process has the key.

No stored hash is trusted: all that a company's history has gained since its last signed capture is recomputed from the
stored bodies onto the tree that the signer remembers. Then its captures become leaves, the new checkpoint is signed and
stored outside of the database, and only then published. A signer that dies in between publishes what it had signed when
it starts again, so the log never forks.
"""

import logging
import time
import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from compliance.history.actions import fail_verification
from compliance.history.queries import capture_ends
from compliance.history.verify import NO_DATE, FirstFault, Known, NewCapture, recompute
from compliance.log import actions, folder, keys, queries
from compliance.log.errors import LogRefusedError
from compliance.log.memory import Memory, NewLeaf, Signed
from compliance.log.models import Leaf
from compliance.log.refusals import Refusal, SignedEnd, contradictions
from compliance.proofs.log import LogCheckpoint
from compliance.proofs.merkle import CompactRange, leaf_hash

log = logging.getLogger(__name__)

WAIT_SECONDS = 0.2
CAPTURES_A_PART = 10_000
"""The most captures of a company that are signed at once."""

ROWS_A_PART = 250_000
"""A part ends with the capture that brings it to so many rows: other companies wait while these are recomputed."""


def sign_new(now: datetime) -> int:
    """Signs every capture that is not in the log yet, after recomputing it. Returns how many entries were added.

    A company whose history contradicts what was signed, or whose new rows have a fault, adds none and is closed to
    readers, which is an alert; closed companies add none until a verification succeeds. The others go on. Raises
    LogRefusedError when the database or the folder as a whole is not what was signed, and LogFolderError.
    """
    keys.signing_key()
    added, more = 0, True
    while more:  # a long history is signed in parts, so that it never delays the others
        with folder.locked(), Memory.opened() as memory:
            signed = caught_up(memory, now)
            if unknown := sorted(memory.unknown()):
                raise LogRefusedError(f"The history of organization {unknown[0]} is still to be accepted.")
            new = _recomputed(memory.companies())
            if new.leaves:
                sign(memory, signed, new.leaves, new.companies, now)
        added, more = added + len(new.leaves), new.more
    return added


def wait_for(organization_id: uuid.UUID, capture_sequence: int, now: datetime, patience: float = 60.0) -> None:
    """Waits until a capture is in the log, at most `patience` seconds.

    A process with the key signs at once. Call it outside of any transaction, because it must see what is published.
    """
    if keys.holds_key():
        sign_new(now)
        return
    deadline = time.monotonic() + patience
    while queries.leaf_of(organization_id, capture_sequence) is None and time.monotonic() < deadline:
        time.sleep(WAIT_SECONDS)


def close(refusal: Refusal) -> None:
    """Closes the company to readers and to the log, and logs an alert."""
    if refusal.organization_id is not None:
        fail_verification(refusal.organization_id, refusal.sentence)
        log.critical(
            "history_refused", extra={"organization_id": str(refusal.organization_id), "fault": refusal.sentence}
        )


def caught_up(memory: Memory, now: datetime) -> Signed:
    """The last signed checkpoint, after publishing it if a signer died before; an empty tree when the log begins.

    Raises LogRefusedError when the database has less or more than what is remembered, or contradicts it.
    """
    signed, newest = memory.signed(), queries.newest_checkpoint()
    if signed is None:
        if newest is not None:
            raise LogRefusedError(
                f"The log's folder {folder.path()} holds nothing of what was signed, though a checkpoint of"
                f" {newest.size} entries was."
            )
        return _begun(now)
    keys.same_origin(signed.origin)
    stated = keys.checked_checkpoint(signed.note)
    if (stated.size, stated.root) != (signed.size, signed.tree.root()):
        raise LogRefusedError(f"What the log's folder {folder.path()} remembers is not what its checkpoint states.")
    _refuse_older_memory(signed)
    published = newest.size if newest is not None else 0
    if published == signed.size:
        if newest is not None and newest.root != signed.tree.root():
            raise LogRefusedError(f"The log has forked: the database knows another tree of {published} entries.")
    elif published == signed.size_before:
        actions.publish(memory.leaves(published, signed.size), published, signed)
    elif published < signed.size:
        for refusal in contradicting(memory.companies()):
            close(refusal)
        raise LogRefusedError(
            f"The database has gone backwards: its log has {published} entries, but {signed.size} were signed."
        )
    else:
        raise LogRefusedError(
            f"The log's folder {folder.path()} was cut back or is an older copy: it remembers {signed.size} entries,"
            f" but {published} were signed."
        )
    if folder.read(folder.CHECKPOINT) != signed.note:
        folder.write(folder.CHECKPOINT, signed.note)
    return signed


def sign(
    memory: Memory, signed: Signed, leaves: list[NewLeaf], companies: dict[uuid.UUID, Known], now: datetime
) -> None:
    """Appends these leaves to the signed tree, signs it, stores it in the memory, and publishes it, in this order."""
    tree = CompactRange(signed.size, signed.tree.hashes)
    tree.extend(leaf_hash(each.entry) for each in leaves)
    checkpoint = LogCheckpoint(signed.origin, tree.size, tree.root())
    note = keys.signing_key(signed.origin).sign(checkpoint.text())
    following = Signed(signed.origin, tree, note, now, signed.size)
    memory.commit(following, leaves, companies)
    actions.publish(leaves, signed.size, following)
    folder.write(folder.CHECKPOINT, note)


def capture_leaves(organization_id: uuid.UUID, captures: Iterable[NewCapture]) -> list[NewLeaf]:
    """The entries of recomputed captures of a company, in order."""
    return [
        NewLeaf(Leaf.Kind.CAPTURE.value, organization_id, each.capture_sequence, bytes.fromhex(each.chain_hash))
        for each in captures
    ]


def contradicting(known: dict[uuid.UUID, Known]) -> list[Refusal]:
    """The companies whose stored history lacks or contradicts what the signer remembers of it."""
    return contradictions(
        SignedEnd(company, each.capture_sequence, each.chain_hash) for company, each in sorted(known.items())
    )


class _New(NamedTuple):
    leaves: list[NewLeaf]
    companies: dict[uuid.UUID, Known]
    more: bool


def _recomputed(known: dict[uuid.UUID, Known]) -> _New:
    """The new leaves of all companies, after recomputing them; closes companies with a fault."""
    ends, leaves, companies, more = capture_ends(), list[NewLeaf](), dict[uuid.UUID, Known](), False
    not_grown = {
        company: each
        for company, each in known.items()
        if company not in ends or ends[company].capture_sequence <= each.capture_sequence
    }
    refused = set()
    for refusal in contradicting(not_grown):
        refused.add(refusal.organization_id)
        if refusal.organization_id not in ends or ends[refusal.organization_id].available:
            close(refusal)
    for organization_id, end in sorted(ends.items()):
        since = known.get(organization_id, Known())
        if organization_id in refused or not end.available:
            continue
        if not end.is_dated:
            close(Refusal(organization_id, f"The history of organization {organization_id}: {NO_DATE}"))
            continue
        if end.capture_sequence == since.capture_sequence:
            continue
        answer = recompute(organization_id, since, CAPTURES_A_PART, ROWS_A_PART)
        if isinstance(answer, FirstFault):
            close(Refusal(organization_id, f"The history of organization {organization_id}: {answer.sentence}"))
            continue
        leaves += capture_leaves(organization_id, answer.captures)
        companies[organization_id] = answer.known
        more = more or answer.more
    return _New(leaves, companies, more)


def _begun(now: datetime) -> Signed:
    """Signs the empty tree with which a log begins; its checkpoint is in the folder before anything is published."""
    note = folder.read(folder.CHECKPOINT)
    if note is None:
        origin = keys.same_origin(None)
        empty = LogCheckpoint(origin, 0, CompactRange().root())
        note = keys.signing_key(origin).sign(empty.text())
        folder.write(folder.CHECKPOINT, note)
    stated = keys.checked_checkpoint(note)
    keys.same_origin(stated.origin)
    if stated.size:
        raise LogRefusedError(
            f"The log's folder {folder.path()} remembers nothing, though its checkpoint states {stated.size} entries."
        )
    return Signed(stated.origin, CompactRange(), note, now, 0)


def _refuse_older_memory(signed: Signed) -> None:
    """Raises LogRefusedError when the folder's own checkpoint states more than is remembered, or another tree."""
    note = folder.read(folder.CHECKPOINT)
    if note is None:
        return
    stated = keys.checked_checkpoint(note)
    if stated.size > signed.size or (stated.size == signed.size and stated.root != signed.tree.root()):
        raise LogRefusedError(
            f"The log's folder {folder.path()} remembers {signed.size} entries, but its checkpoint states another tree,"
            f" of {stated.size}: what it remembers was cut back or is an older copy."
        )
