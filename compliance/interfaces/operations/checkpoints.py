"""Checkpoints of the histories, and holding the histories to them (design 11).

A chain inside one database does not stop its administrator, nor a restore of an older backup: what was stated outside
does. Written after captures, at most once a minute a company; compared before each is written, at start-up, and by
`verify_history --checkpoints`.
"""

import logging
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from compliance.history.actions import fail_verification, pass_verification
from compliance.history.models import HistoryHead
from compliance.history.queries import capture_row
from compliance.interfaces.operations import checkpoint_file
from compliance.interfaces.operations.errors import HistoryRefusedError
from compliance.interfaces.operations.models import CompanyStanding
from compliance.proofs.checkpoints import Checkpoint
from compliance.tenancy import context, sql

log = logging.getLogger(__name__)

EVERY = timedelta(minutes=1)
WHAT_TO_DO = (
    "If a backup was restored on purpose: `manage.py verify_history --checkpoints --accept`, then"
    " `manage.py replay_erasures`, then start again. If not: change nothing, keep the database and the checkpoint file"
    " as they are, and follow `A history is refused` in docs/operations.md."
)


class Refusal(NamedTuple):
    """A company whose history is not the one that a checkpoint stated, and why, in one sentence."""

    organization_id: uuid.UUID
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
    for stated in _newest_that_count():
        if stated.checkpoint.organization_id == organization_id:
            checkpoint_file.checked(stated.note)
            return stated.note
    return None


def write_due(now: datetime) -> int:
    """Writes a checkpoint of every history that has grown since its last one. Returns how many.

    A history that contradicts its last checkpoint gets none: it becomes unavailable, and that is an alert.
    """
    with checkpoint_file.appending() as descriptor:
        due = sql.fetch(
            "SELECT h.organization_id, h.capture_sequence, h.chain_hash FROM history_historyhead h"
            " LEFT JOIN operations_companystanding s ON s.organization_id = h.organization_id"
            " WHERE (s.checkpoint_sequence IS DISTINCT FROM h.capture_sequence)"
            " AND (s.checkpoint_at IS NULL OR s.checkpoint_at <= %s) ORDER BY h.organization_id",
            [now - EVERY],
        )
        if not due:
            return 0
        heads = {row[0]: Checkpoint(*row) for row in due}
        refused = {each.organization_id: each for each in refusals(heads)}
        for refusal in refused.values():
            close(refusal)
        written = [each for each in heads.values() if each.organization_id not in refused]
        checkpoint_file.write(descriptor, written)
    for each in written:
        CompanyStanding.objects.update_or_create(
            organization_id=each.organization_id,
            defaults={"checkpoint_sequence": each.capture_sequence, "checkpoint_at": now},
        )
    return len(written)


def refusals(organization_ids: Iterable[uuid.UUID] | None = None) -> list[Refusal]:
    """Companies whose history is not the one that their newest checkpoint stated; all companies unless some are named.

    Raises CheckpointFileError when a note that counts is signed by none of our keys.
    """
    wanted = None if organization_ids is None else set(organization_ids)
    found = []
    for stated in _newest_that_count():
        if wanted is None or stated.checkpoint.organization_id in wanted:
            checkpoint_file.checked(stated.note)
            sentence = _contradiction(stated.checkpoint)
            if sentence is not None:
                found.append(Refusal(stated.checkpoint.organization_id, sentence))
    return found


def verify_all(organization_id: uuid.UUID | None = None) -> tuple[int, list[Refusal]]:
    """Holds the histories to every checkpoint that counts, signatures included: how many, and the first fault of each.

    Raises CheckpointFileError.
    """
    checked, faults = 0, {}
    for stated in _that_count(organization_id):
        checkpoint_file.checked(stated.note)
        checked += 1
        company = stated.checkpoint.organization_id
        if company not in faults and (sentence := _contradiction(stated.checkpoint)) is not None:
            faults[company] = Refusal(company, sentence)
    return checked, list(faults.values())


def close(refusal: Refusal) -> None:
    """Closes the company to readers. An alert."""
    fail_verification(refusal.organization_id, refusal.sentence)
    log.critical("history_refused", extra={"organization_id": str(refusal.organization_id), "fault": refusal.sentence})


def accept(refused: Iterable[Refusal], now: datetime) -> None:
    """Takes the refused histories as they stand for the true ones (a restore on purpose), and says so by signature."""
    companies = [each.organization_id for each in refused]
    heads = {head.organization_id: head for head in HistoryHead.objects.filter(organization_id__in=companies)}
    checkpoint_file.accept(
        [
            Checkpoint(company, heads[company].capture_sequence, heads[company].chain_hash)
            if company in heads
            else Checkpoint(company, 0, "0" * 64)
            for company in companies
        ],
        now,
    )
    # The next run states them anew.
    CompanyStanding.objects.filter(organization_id__in=companies).update(checkpoint_sequence=0, checkpoint_at=None)
    for company in companies:
        pass_verification(company)
        log.critical("history_accepted", extra={"organization_id": str(company)})


def refuse_other_histories() -> None:
    """Raises HistoryRefusedError when a history is not the one that was stated, saying what to do (start-up)."""
    found = refusals()
    if found:
        raise HistoryRefusedError("\n".join([*(each.sentence for each in found), WHAT_TO_DO]))


def _newest_that_count() -> list[checkpoint_file.Stated]:
    global _newest
    file, ends = checkpoint_file.path(), checkpoint_file.accepted()
    if _newest is None or (_newest.file, _newest.ends) != (file, ends) or checkpoint_file.size() < _newest.read_to:
        _newest = _Newest(file, ends)
    _newest.read_on()
    return list(_newest.of.values())


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
