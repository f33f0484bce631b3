"""The chain of captures up to the pin, and a signed checkpoint: what holds the pack's registers to the history.

The checkpoint comes from the file outside the database. When its last one is older than the pin and the pin is the
newest capture, the signer is asked for one first, so that a pack carries the checkpoint of its own pin.
"""

from datetime import UTC, datetime
from pathlib import Path

import orjson

from compliance.history.models import Capture
from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.subject import Subject
from compliance.interfaces.operations import checkpoint_file, checkpoints, signing
from compliance.interfaces.operations.errors import CheckpointFileError
from compliance.proofs.instants import hashed_instant
from compliance.tenancy import context

CAPTURES_A_READ = 5000


def write_captures(subject: Subject, folder: Path) -> None:
    """Every capture from the first to the pinned one, with what its chain hash is computed from."""
    (folder / "history").mkdir()
    upto = Capture.objects.filter(
        organization_id=subject.organization_id, capture_sequence__lte=subject.pin.capture_sequence
    ).order_by("capture_sequence")
    last = 0
    with (folder / "history" / "captures.jsonl").open("wb") as lines:
        while True:
            with context.company(subject.organization_id):
                found = list(upto.filter(capture_sequence__gt=last)[:CAPTURES_A_READ])
            for capture in found:
                line = {
                    "capture_sequence": capture.capture_sequence,
                    "captured_at": hashed_instant(capture.captured_at),
                    "first_sequence": capture.first_sequence if capture.rows else None,
                    "last_sequence": capture.last_sequence if capture.rows else None,
                    "rows_sha256": capture.rows_sha256,
                    "tree_root": None if capture.tree_root is None else bytes(capture.tree_root).hex(),
                    "ledger_head": None if capture.ledger_head is None else bytes(capture.ledger_head).hex(),
                    "chain_hash": capture.chain_hash,
                    "logic_version": capture.logic_version,
                }
                lines.write(orjson.dumps(line) + b"\n")
                last = capture.capture_sequence
            if len(found) < CAPTURES_A_READ:
                return


def write_checkpoint(subject: Subject, folder: Path) -> bool:
    """The last signed checkpoint up to the pin, and the key to check it with; whether there is one.

    Raises CannotBuildError when the history is not the one that was stated.
    """
    refused = checkpoints.refusals([subject.organization_id])
    if refused:
        raise CannotBuildError(refused[0].sentence)
    note = _last_note(subject)
    if note is None:
        return False
    (folder / "checkpoint.txt").write_text(note, encoding="utf-8", newline="")
    try:
        _, key = checkpoint_file.signed_by(note)
    except CheckpointFileError as error:
        raise CannotBuildError("The last checkpoint of this company is signed by none of our keys.") from error
    (folder / "checkpoint-key.txt").write_text(f"{key}\n", encoding="utf-8", newline="")
    return True


def _last_note(subject: Subject) -> str | None:
    last = _stated(subject)
    if last is None or last[0] < subject.pin.capture_sequence:
        try:
            signing.wait_for(subject.organization_id, subject.pin.capture_sequence, datetime.now(UTC))
        except CheckpointFileError:
            return last[1] if last else None  # the file is refused: what stands there is what the pack carries
        last = _stated(subject)
    return last[1] if last else None


def _stated(subject: Subject) -> tuple[int, str] | None:
    """The first note that states the latest capture up to the pin."""
    found: tuple[int, str] | None = None
    for each in checkpoint_file.stated():
        at = each.checkpoint.capture_sequence
        if (
            each.checkpoint.organization_id == subject.organization_id
            and at <= subject.pin.capture_sequence
            and (found is None or at > found[0])
        ):
            found = (at, each.note)
    return found
