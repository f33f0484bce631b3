"""Holding the histories to the checkpoints outside the database, and the checkpoint file to what was signed.

A chain inside one database does not stop its administrator, nor a restore of an older backup: what was stated outside
does. Compared before each is written (`signing`), at start-up, each night and by `verify_history --checkpoints`. That a
file is missing or was cut back shows by what the database knows to have been signed.
"""

import logging
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from compliance.history.actions import fail_verification
from compliance.history.models import HistoryHead
from compliance.history.queries import capture_row
from compliance.interfaces.operations import checkpoint_file
from compliance.interfaces.operations.errors import HistoryRefusedError
from compliance.interfaces.operations.models import CompanyStanding, SignedFile
from compliance.proofs.checkpoints import Checkpoint
from compliance.tenancy import context

log = logging.getLogger(__name__)

WHAT_TO_DO = (
    "If a backup was restored or the checkpoint file replaced on purpose: `manage.py verify_history --checkpoints"
    " --accept` as the signer, then `manage.py replay_erasures`, then start again. If not: change nothing, keep the"
    " database and the checkpoint file as they are, and follow `A history is refused` in docs/operations.md."
)


class Refusal(NamedTuple):
    """A company whose history is not the one that a checkpoint stated, and why, in one sentence.

    Without a company: the checkpoint file itself is not what it was.
    """

    organization_id: uuid.UUID | None
    sentence: str


class _Newest:
    """The newest checkpoint of each company that counts in one file, read on from where it was read last."""

    def __init__(self, file: Path, ends: dict[uuid.UUID, int]) -> None:
        self.file = file
        self.ends = ends
        self.read_to = 0
        self.of: dict[uuid.UUID, checkpoint_file.Stated] = {}

    def read_on(self) -> None:
        end = checkpoint_file.size()
        for stated in checkpoint_file.stated(self.read_to):
            company = stated.checkpoint.organization_id
            known = self.of.get(company)
            if stated.offset >= self.ends.get(company, 0) and (
                known is None or stated.checkpoint.capture_sequence >= known.checkpoint.capture_sequence
            ):
                self.of[company] = stated
        self.read_to = end


_newest: _Newest | None = None


def newest(organization_id: uuid.UUID) -> str | None:
    """The newest signed checkpoint of a company, whole, as an evidence pack carries it; None before the first."""
    found = _newest_that_count().get(organization_id)
    return None if found is None else _checked(found).note


def refusals(organization_ids: Iterable[uuid.UUID] | None = None) -> list[Refusal]:
    """Companies whose history is not the one that their newest checkpoint stated, or whose newest checkpoint is gone.

    All companies unless some are named. Raises CheckpointFileError when a note that counts is signed by none of our
    keys.
    """
    wanted = None if organization_ids is None else set(organization_ids)
    found = _lost(wanted)
    for company, stated in _newest_that_count().items():
        if (wanted is None or company in wanted) and (
            sentence := _contradiction(_checked(stated).checkpoint)
        ) is not None:
            found.append(Refusal(company, sentence))
    return found


def verify_all(organization_id: uuid.UUID | None = None) -> tuple[int, list[Refusal]]:
    """Holds the histories to every checkpoint that counts, signatures included: how many, and the first fault of each.

    Raises CheckpointFileError.
    """
    wanted = None if organization_id is None else {organization_id}
    checked, faults = 0, {each.organization_id: each for each in _lost(wanted)}
    for stated in _that_count(organization_id):
        checked += 1
        company = _checked(stated).checkpoint.organization_id
        if company not in faults and (sentence := _contradiction(stated.checkpoint)) is not None:
            faults[company] = Refusal(company, sentence)
    return checked, list(faults.values())


def cut_back() -> str | None:
    """Why the checkpoint file is not all that was signed, None when it is. A fresh start has signed nothing yet."""
    signed = SignedFile.objects.values_list("size", flat=True).first() or 0
    size = checkpoint_file.size()
    if size >= signed:
        return None
    file = checkpoint_file.path()
    if not file.exists():
        return f"The checkpoint file {file} is missing, though {signed} bytes of it were signed."
    return f"The checkpoint file {file} was cut back: it holds {size} bytes, but {signed} were signed."


def close(refusal: Refusal) -> None:
    """Closes the company to readers. An alert."""
    if refusal.organization_id is None:
        return
    fail_verification(refusal.organization_id, refusal.sentence)
    log.critical("history_refused", extra={"organization_id": str(refusal.organization_id), "fault": refusal.sentence})


def refuse_other_histories() -> None:
    """Raises HistoryRefusedError when a history is not the one that was stated, saying what to do (start-up)."""
    found = refusals()
    if (fault := cut_back()) is not None:
        found.insert(0, Refusal(None, fault))
    if found:
        raise HistoryRefusedError("\n".join([*(each.sentence for each in found), WHAT_TO_DO]))


def newest_counted(organization_id: uuid.UUID, up_to: int | None = None) -> Checkpoint | None:
    """The newest checkpoint of a company that counts, its signature checked; of a capture no later than `up_to`."""
    if up_to is None:
        found = _newest_that_count().get(organization_id)
    else:
        counted = (each for each in _that_count(organization_id) if each.checkpoint.capture_sequence <= up_to)
        found = max(counted, key=lambda each: (each.checkpoint.capture_sequence, each.offset), default=None)
    return None if found is None else _checked(found).checkpoint


def all_newest_counted() -> list[Checkpoint]:
    """The newest checkpoint of each company that counts, signatures checked. Raises CheckpointFileError."""
    return [_checked(each).checkpoint for each in _newest_that_count().values()]


def _checked(stated: checkpoint_file.Stated) -> checkpoint_file.Stated:
    """The same, after checking that one of our keys signed it. Raises CheckpointFileError."""
    checkpoint_file.checked(stated.note)
    return stated


def _lost(wanted: set[uuid.UUID] | None) -> list[Refusal]:
    """Companies of which the database knows a checkpoint that the file does not hold."""
    newest = {company: each.checkpoint.capture_sequence for company, each in _newest_that_count().items()}
    signed = CompanyStanding.objects.filter(checkpoint_sequence__gt=0).order_by("organization_id")
    found = []
    for company, sequence in signed.values_list("organization_id", "checkpoint_sequence"):
        if (wanted is None or company in wanted) and newest.get(company, 0) < sequence:
            holds = f"its newest states capture {newest[company]}" if company in newest else "it holds none"
            found.append(
                Refusal(
                    company,
                    f"The checkpoint file {checkpoint_file.path()} lacks the checkpoint of organization {company} at"
                    f" capture {sequence}, which was signed: {holds}.",
                )
            )
    return found


def _newest_that_count() -> dict[uuid.UUID, checkpoint_file.Stated]:
    global _newest
    file, ends = checkpoint_file.path(), checkpoint_file.accepted()
    if _newest is None or (_newest.file, _newest.ends) != (file, ends) or checkpoint_file.size() < _newest.read_to:
        _newest = _Newest(file, ends)
    _newest.read_on()
    return dict(_newest.of)


def _that_count(organization_id: uuid.UUID | None) -> Iterator[checkpoint_file.Stated]:
    ends = checkpoint_file.accepted()
    for stated in checkpoint_file.stated():
        company = stated.checkpoint.organization_id
        if organization_id in (None, company) and stated.offset >= ends.get(company, 0):
            yield stated


def _contradiction(stated: Checkpoint) -> str | None:
    """Why the stored history is not the one stated, None when it is."""
    company = stated.organization_id
    head = HistoryHead.objects.filter(organization_id=company).first()
    said = f"a signed checkpoint states capture {stated.capture_sequence}"
    if head is None:
        return f"The history of organization {company} is gone: {said}, and the database holds none."
    if head.capture_sequence < stated.capture_sequence:
        return (
            f"The history of organization {company} has gone backwards: it stands at capture {head.capture_sequence},"
            f" but {said}."
        )
    with context.company(company):
        capture = capture_row(company, stated.capture_sequence)
    if capture is None or capture.chain_hash != stated.chain_hash:
        return f"The history of organization {company} has forked: {said} with another chain hash than the one stored."
    return None
