"""Compares the database with what the log's folder covers: at start-up, by `verify_history --checkpoints`, each night.

A tree inside a database does not protect it from its administrator or from the restore of an older backup; what was
signed and is kept outside does. A missing or older folder is found by what the database knows to have been signed.
"""

import uuid
from collections.abc import Iterable
from typing import NamedTuple

from compliance.history.queries import CaptureEnd, capture_ends, chain_hashes
from compliance.log import folder, keys, queries, tree
from compliance.log.errors import LogRefusedError
from compliance.log.queries import Published
from compliance.proofs.errors import TreeProofRefused
from compliance.proofs.log import LogCheckpoint
from compliance.proofs.merkle import inclusion_path, leaf_hash, root_from_inclusion
from compliance.tenancy import context

WHAT_TO_DO = (
    "If a backup was restored or the log's folder replaced on purpose: `manage.py verify_history --checkpoints"
    " --accept` as the signer, then `manage.py replay_erasures`, after a restore also `manage.py end_access`, then"
    " start again. If not: change nothing, keep the database and the folder as they are, and follow `A history is"
    " refused` in docs/operations.md."
)


class Refusal(NamedTuple):
    """A company whose history is not the one in the log, with the reason in one sentence.

    Without a company: the log or its folder is not what was signed.
    """

    organization_id: uuid.UUID | None
    sentence: str


class SignedEnd(NamedTuple):
    """The newest signed capture of a company, and its chain hash. Capture 0: a history accepted before its first."""

    organization_id: uuid.UUID
    capture_sequence: int
    chain_hash: str


def refuse_other_log() -> None:
    """Raises LogRefusedError, with a sentence on what to do, when the database is not the signed one (start-up).

    Raises OriginChangedError and LogFolderError for faults of the settings and the folder.
    """
    found = refusals()
    if found:
        raise LogRefusedError("\n".join([*(each.sentence for each in found), WHAT_TO_DO]))


def refusals() -> list[Refusal]:
    """Where the database, the folder or a company's history differs from what was signed.

    Raises LogFolderError when none of our keys signed the folder's checkpoint, and OriginChangedError.
    """
    sentence, newest = _looked_at()
    if sentence is not None:
        return [Refusal(None, sentence)]
    if not newest:
        return []
    signed = queries.signed_captures(newest[0].size)
    if (sentence := _loose_leaf(newest[0], signed)) is not None:
        return [Refusal(None, sentence)]
    return contradictions(
        SignedEnd(each.organization_id, each.capture_sequence, (each.entry or b"").hex()) for each in signed
    )


def refused_log() -> str | None:
    """Where the log as a whole differs from what was signed, in one sentence, or None. Raises as `refusals`."""
    return _looked_at()[0]


def _looked_at() -> tuple[str | None, list[Published]]:
    """The reason to refuse the log, or None, and its newest checkpoints.

    The folder is read before the database, so that the database can only be ahead while a signer runs. A refusal is
    checked again, because the signer may have signed twice in between.
    """
    for _ in range(2):
        note, newest = folder.read(folder.CHECKPOINT), queries.newest_checkpoints(2)
        sentence = _refused(note, newest)
        if sentence is None:
            break
    return sentence, newest


def _refused(note: str | None, newest: list[Published]) -> str | None:
    if note is None:
        return _missing(newest[0]) if newest else None
    stated = keys.checked_checkpoint(note)
    keys.same_origin(stated.origin)
    if not newest:
        return _behind(0, stated.size) if stated.size else None
    return _other_log(stated, newest)


def _other_log(stated: LogCheckpoint, newest: list[Published]) -> str | None:
    """Where the published log differs from the folder's checkpoint, in one sentence, or None.

    The signer publishes a checkpoint before it writes it to the folder, so the database may be one checkpoint ahead.
    """
    size = newest[0].size
    if size < stated.size:
        return _behind(size, stated.size)
    before = newest[1].size if len(newest) > 1 else 0
    if stated.size not in (size, before):
        return (
            f"The log's folder {folder.path()} was cut back or is an older copy: its checkpoint states {stated.size}"
            f" entries, but one of {size} was signed."
        )
    published = keys.checked_checkpoint(newest[0].note)
    if (published.size, published.root) != (size, newest[0].root):
        return f"The newest checkpoint of the log in the database, of {size} entries, is not the one that was signed."
    try:
        roots = tree.root_at(stated.size), tree.root_at(size)
    except LogRefusedError as error:
        return str(error)
    if roots != (stated.root, newest[0].root):
        return (
            f"The log in the database has forked: its tiles do not lead to the root that was signed at {stated.size}"
            " entries."
        )
    return None


def _loose_leaf(newest: Published, signed: list[queries.SignedCapture]) -> str | None:
    """The company whose newest entry is not in the signed tree, in one sentence, or None."""
    placed = [(each.leaf, each.entry) for each in signed if each.leaf is not None and each.entry is not None]
    subtree = tree.subtrees(newest.size, [index for index, _ in placed])
    for index, entry in placed:
        try:
            path = inclusion_path(index, newest.size, subtree)
            root = root_from_inclusion(leaf_hash(entry), index, newest.size, path)
        except (TreeProofRefused, LogRefusedError) as error:
            return str(error)
        if root != newest.root:
            return f"Entry {index} of the log in the database is not the one that was signed."
    return None


def contradictions(signed: Iterable[SignedEnd]) -> list[Refusal]:
    """The companies whose stored history lacks or contradicts its newest signed capture.

    A company whose node does not answer is left out; it is checked when the node answers again.
    """
    away: set[uuid.UUID] = set()
    ends = capture_ends(away)
    found = []
    for each in signed:
        if each.organization_id in away:
            continue
        if (sentence := _contradiction(each, ends.get(each.organization_id))) is not None:
            found.append(Refusal(each.organization_id, sentence))
    return found


def _contradiction(signed: SignedEnd, end: CaptureEnd | None) -> str | None:
    company, number = signed.organization_id, signed.capture_sequence
    if number == 0:
        return None
    stated = f"capture {number} is under a signed checkpoint"
    if end is None:
        return f"The history of organization {company} is gone: {stated}, and the database holds none."
    if end.capture_sequence < number:
        return (
            f"The history of organization {company} has gone backwards: it stands at capture {end.capture_sequence},"
            f" but {stated}."
        )
    chain_hash: str | None = end.chain_hash
    if end.capture_sequence > number:
        with context.company(company):
            chain_hash = dict(chain_hashes(company, number - 1, number)).get(number)
    if chain_hash != signed.chain_hash:
        return (
            f"The history of organization {company} has forked: {stated} with another chain hash than the one stored."
        )
    return None


def _missing(newest: Published) -> str:
    return (
        f"The log's folder {folder.path()} holds no checkpoint, though one of {newest.size} entries was signed: it is"
        " missing or empty."
    )


def _behind(size: int, stated: int) -> str:
    return (
        f"The database has gone backwards: its log has {size} entries, but the checkpoint in {folder.path()} was signed"
        f" over {stated}."
    )
