"""Writing checkpoints: what the signer does, who alone holds the key.

Nothing is signed on trust: whatever a company's history has gained since its newest signed checkpoint is recomputed
from the stored rows first, capture by capture, and must follow from what was signed. At most one checkpoint a minute a
company, and one more where an evidence pack waits for that of its pin.
"""

import logging
import time
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, Subquery

from compliance.history.actions import pass_verification
from compliance.history.errors import MissingRowError
from compliance.history.models import HistoryHead
from compliance.history.queries import capture_row
from compliance.history.tree import range_at
from compliance.history.verify import FirstFault, Known, Recomputed, recompute
from compliance.interfaces.console import access_chain
from compliance.interfaces.console.access_log import DEPLOYMENT
from compliance.interfaces.operations import checkpoint_file, checkpoints, standings
from compliance.interfaces.operations.checkpoints import Refusal
from compliance.interfaces.operations.errors import CheckpointFileError
from compliance.interfaces.operations.models import CompanyStanding, SignedFile
from compliance.proofs.checkpoints import Checkpoint
from compliance.tenancy import context

log = logging.getLogger(__name__)

EVERY = timedelta(minutes=1)


def write_due(now: datetime) -> int:
    """Writes a checkpoint of every history that has grown since its last one. Returns how many.

    A history that contradicts its last checkpoint, or whose new rows do not recompute, gets none: it becomes
    unavailable, and that is an alert. Raises CheckpointFileError when the file is not all that was signed.
    """
    checkpoint_file.signing_key()
    with checkpoint_file.appending() as descriptor:
        if (fault := checkpoints.cut_back()) is not None:
            raise CheckpointFileError(fault)
        due: dict[uuid.UUID, int | None] = _due(now)
        if not due:
            return 0
        refused = {each.organization_id: each for each in checkpoints.refusals(due)}
        written: dict[uuid.UUID, list[Checkpoint]] = {}
        for organization_id, asked in due.items():
            found = refused.get(organization_id) or _recomputed(organization_id, asked)
            if isinstance(found, Refusal):
                checkpoints.close(found)
            else:
                written[organization_id] = found
        checkpoint_file.write(descriptor, (each for notes in written.values() for each in notes))
        SignedFile.objects.update_or_create(only=True, defaults={"size": checkpoint_file.size()})
    for organization_id, notes in written.items():
        standings.keep(organization_id, checkpoint_sequence=notes[-1].capture_sequence, checkpoint_at=now)
        CompanyStanding.objects.filter(
            organization_id=organization_id, checkpoint_asked__lte=notes[-1].capture_sequence
        ).update(checkpoint_asked=None)
    return sum(map(len, written.values()))


def wait_for(organization_id: uuid.UUID, capture_sequence: int, now: datetime, patience: float = 60.0) -> None:
    """Asks for a checkpoint of one capture, and returns when it is there; or when nobody signed in `patience` seconds.

    A process that holds the key signs at once. Outside of any transaction, for the signer must see what is asked.
    """
    standings.keep(organization_id, checkpoint_asked=capture_sequence)
    if checkpoint_file.signers():
        write_due(now)
        return
    deadline = time.monotonic() + patience
    waiting = CompanyStanding.objects.filter(organization_id=organization_id, checkpoint_asked=capture_sequence)
    while waiting.exists() and time.monotonic() < deadline:
        time.sleep(0.5)


def accept(refused: Iterable[Refusal], now: datetime) -> None:
    """Takes histories and checkpoint file as they stand for the true ones (on purpose), and says so by signature."""
    companies = [each.organization_id for each in refused if each.organization_id is not None]
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
    # The next run states them anew, from their first row on.
    CompanyStanding.objects.filter(organization_id__in=companies).update(checkpoint_sequence=0, checkpoint_at=None)
    SignedFile.objects.update_or_create(only=True, defaults={"size": checkpoint_file.size()})
    for company in companies:
        pass_verification(company)
        log.critical("history_accepted", extra={"organization_id": str(company)})


def _due(now: datetime) -> dict[uuid.UUID, int | None]:
    """Companies of which something is to be signed, and the capture for which somebody waits, if anybody does.

    Closed companies are left alone until a verification holds again.
    """
    kept = CompanyStanding.objects.filter(organization_id=OuterRef("organization_id"))
    signed = Q(checkpoint_sequence=OuterRef("capture_sequence")) | Q(checkpoint_at__gt=now - EVERY)
    heads = HistoryHead.objects.filter(available=True).annotate(
        asked=Subquery(kept.values("checkpoint_asked")), signed=Exists(kept.filter(signed))
    )
    found = heads.filter(Q(asked__isnull=False) | Q(signed=False)).order_by("organization_id")
    return dict(found.values_list("organization_id", "asked"))


def _recomputed(organization_id: uuid.UUID, asked: int | None) -> list[Checkpoint] | Refusal:
    """The checkpoints to write, after recomputing from the newest signed one that lies before all of them."""
    known = checkpoints.newest_counted(organization_id, up_to=asked)
    since = _since(organization_id, known) if known is not None else Known()
    found = recompute(organization_id, since)
    while isinstance(found, Recomputed) and found.more:
        found = recompute(organization_id, found.known)
    if isinstance(found, FirstFault):
        return Refusal(organization_id, f"The history of organization {organization_id}: {found.sentence}")
    notes = []
    if asked is not None and since.capture_sequence < asked < found.known.capture_sequence:
        with context.company(organization_id):
            capture = capture_row(organization_id, asked)
        if capture is not None:
            notes.append(Checkpoint(organization_id, asked, capture.chain_hash))
    ends = access_chain.head(organization_id), access_chain.head(DEPLOYMENT)
    return [*notes, Checkpoint(organization_id, found.known.capture_sequence, found.known.chain_hash, *ends)]


def _since(organization_id: uuid.UUID, known: Checkpoint) -> Known:
    """What was signed, with its tree; from the first row on where the stored tree does not reach so far yet."""
    with context.company(organization_id):
        capture = capture_row(organization_id, known.capture_sequence)
        if capture is None:
            return Known(known.capture_sequence, known.chain_hash)
        try:
            tree = range_at(organization_id, capture.last_sequence)
        except MissingRowError:
            return Known()
    return Known(known.capture_sequence, known.chain_hash, tree.size, tree.to_bytes())
