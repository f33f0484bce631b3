"""Accepts, on an operator's order, restored histories and a restored log that differ from what was signed.

No signed entry is lost: entries that the database lacks are written again, and each accepted history gets an entry for
its acceptance, the digest of the text `svc.accepted/2`. The log continues from there without a fork.
"""

import hashlib
import logging
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

from compliance.history.actions import pass_verification
from compliance.history.queries import capture_ends
from compliance.history.verify import FirstFault, Known, NewCapture, recompute
from compliance.log import actions, folder, keys, queries, signing
from compliance.log.errors import LogRefusedError, NotAcceptableError
from compliance.log.memory import Memory, NewLeaf, Signed
from compliance.log.models import Leaf
from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.merkle import CompactRange, leaf_hash, root_of
from compliance.tenancy.models import Organization

log = logging.getLogger(__name__)

ACCEPTED_CONSTANT = "svc.accepted/2"


def accept(now: datetime) -> list[uuid.UUID]:
    """Joins the logs of the folder and the database, and accepts every history that contradicts what was signed.

    Returns the companies whose acceptance is in the log now. Each accepted history is recomputed from its first row.
    Raises NotAcceptableError when one has a fault, when database and folder have two different logs, or when the
    folder's checkpoint shows that more was signed than both still hold; SigningKeyMissingError; LogFolderError.
    """
    keys.signing_key()
    with folder.locked(), Memory.opened() as memory:
        _join(memory)
        signed = memory.signed()
        _refuse_lost_entries(memory, signed.size if signed else 0)
        if signed is None:
            signing.caught_up(memory, now)
            return []
        folder.write(folder.CHECKPOINT, signed.note)
        known = memory.companies()
        refused = {each.organization_id for each in signing.contradicting(known) if each.organization_id is not None}
        accepted = sorted(refused | memory.unknown())
        leaves: list[NewLeaf] = []
        for company in accepted:
            captures, known[company] = _recomputed(company)
            leaves += _accepting(memory, company, captures, now)
        if leaves:
            signing.sign(memory, signed, leaves, {company: known[company] for company in accepted}, now)
    for company in accepted:
        pass_verification(company)
        log.critical("history_accepted", extra={"organization_id": str(company)})
    return accepted


def accepted_text(organization_id: uuid.UUID, capture_sequence: int, chain_hash: str, accepted_at: datetime) -> str:
    """The text whose SHA-256 is the entry of an acceptance. `accepted_at` is in UTC."""
    moment = accepted_at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return "\n".join((ACCEPTED_CONSTANT, str(organization_id), str(capture_sequence), chain_hash, moment))


def _accepting(memory: Memory, company: uuid.UUID, captures: list[NewCapture], now: datetime) -> Iterator[NewLeaf]:
    """The entries of the acceptance, and of the accepted history's captures that have none yet."""
    number, chain_hash = captures[-1][:2] if captures else (0, ZERO_DIGEST)
    text = accepted_text(company, number, chain_hash, now)
    entry = hashlib.sha256(text.encode()).digest()
    yield NewLeaf(Leaf.Kind.ACCEPTANCE.value, company, number, entry, text)
    counted = memory.captures_of(company)
    common = 0
    for each in captures:
        if counted.get(each.capture_sequence) != bytes.fromhex(each.chain_hash):
            break
        common = each.capture_sequence
    yield from signing.capture_leaves(company, captures[common:])


def _recomputed(company: uuid.UUID) -> tuple[list[NewCapture], Known]:
    """All captures of a history, recomputed from its first row; none of a company that no longer exists."""
    captures: list[NewCapture] = []
    away: set[uuid.UUID] = set()
    known, more = Known(), company in capture_ends(away) or Organization.objects.filter(pk=company).exists()
    if company in away:
        raise NotAcceptableError(f"The database node of organization {company} is away. Accept its history afterwards.")
    while more:
        answer = recompute(company, known, signing.CAPTURES_A_PART, signing.ROWS_A_PART)
        if isinstance(answer, FirstFault):
            raise NotAcceptableError(
                f"The history of organization {company} cannot be accepted, for it does not hold: {answer.sentence}"
            )
        captures += answer.captures
        known, more = answer.known, answer.more
    return captures, known


def _join(memory: Memory) -> None:
    """Gives folder and database the same log: the longer of the two, which must begin with the shorter."""
    signed, newest = memory.signed(), queries.newest_checkpoint()
    remembered, published = signed.size if signed else 0, newest.size if newest else 0
    if newest is not None and published > remembered:
        _take_over(memory, signed, newest)
    elif signed is not None:
        root = root_of(leaf_hash(each.entry) for each in memory.leaves(0, published))
        if newest is not None and root != newest.root:
            raise NotAcceptableError(
                f"The database knows another log of {published} entries than the folder {folder.path()} remembers:"
                " one of both is not this deployment's, or was changed. Put back the right one."
            )
        if published < remembered:
            _publish(memory, signed, published)


def _refuse_lost_entries(memory: Memory, held: int) -> None:
    """Raises NotAcceptableError unless the folder's own checkpoint is of the log that memory and database now hold.

    That checkpoint may be all that is left of a longer log: it is not replaced, and no second tree of its size is made.
    """
    note = folder.read(folder.CHECKPOINT)
    if note is None:
        return
    stated = keys.checked_checkpoint(note)
    if stated.size <= held and root_of(leaf_hash(each.entry) for each in memory.leaves(0, stated.size)) == stated.root:
        return
    raise NotAcceptableError(
        f"The checkpoint in the log's folder {folder.path()} states {stated.size} entries, and folder and database hold"
        f" {held}, which are fewer or others: a log that goes on from them would be a second one. Put back a newer copy"
        f" of {folder.MEMORY} or of the database. If there is none, begin a new log (`The log is refused or"
        " does not hold` in docs/operations.md)."
    )


def _publish(memory: Memory, signed: Signed, published: int) -> None:
    try:
        actions.publish(memory.leaves(published, signed.size), published, signed)
    except LogRefusedError as error:
        raise NotAcceptableError(f"{error} Restore a database whose log is whole.") from error


def _take_over(memory: Memory, signed: Signed | None, newest: queries.Published) -> None:
    """Copies entries that only the database has to the memory, if the signed checkpoint there covers them."""
    stated = keys.checked_checkpoint(newest.note)
    keys.same_origin(stated.origin)
    tree = CompactRange(signed.size, signed.tree.hashes) if signed else CompactRange()
    begin, leaves = tree.size, []
    for each in Leaf.objects.filter(index__gte=begin).order_by("index"):
        leaves.append(
            NewLeaf(each.kind, each.organization_id, each.capture_sequence, bytes(each.entry), each.statement)
        )
    tree.extend(leaf_hash(each.entry) for each in leaves)
    if (tree.size, tree.root()) != (stated.size, stated.root):
        raise NotAcceptableError(
            f"The entries of the log in the database do not lead to its signed checkpoint of {stated.size} entries, or"
            f" do not go on from what the folder {folder.path()} remembers. Put back the right folder or database."
        )
    unknown = dict.fromkeys(each.organization_id for each in leaves)
    memory.commit(Signed(stated.origin, tree, newest.note, newest.signed_at, begin), leaves, unknown)
