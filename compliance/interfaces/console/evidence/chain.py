"""The chain of captures up to the pin, and a signed checkpoint: what holds the pack's registers to the history.

The checkpoint comes from the file outside the database. When its last one is older than the pin and the pin is the
newest capture, one is stated there first, so that a pack, whenever it is built, carries the checkpoint of its own pin.
"""

import contextlib
from pathlib import Path

import orjson

from compliance.history.text import instant
from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.subject import Subject
from compliance.interfaces.operations import checkpoint_file, checkpoints
from compliance.interfaces.operations.errors import CheckpointFileError
from compliance.proofs.checkpoints import Checkpoint
from compliance.proofs.errors import NoteUnverified
from compliance.proofs.note_keys import verified_text
from compliance.tenancy import context, sql

CAPTURES_A_READ = 5000


def write_captures(subject: Subject, folder: Path) -> None:
    """Every capture from the first to the pinned one, with what its chain hash is computed from."""
    (folder / "history").mkdir()
    last = 0
    with (folder / "history" / "captures.jsonl").open("wb") as lines:
        while True:
            with context.company(subject.organization_id):
                found = sql.fetch(
                    "SELECT capture_sequence, captured_at, first_sequence, last_sequence, rows_sha256, chain_hash,"
                    " logic_version FROM history_capture WHERE organization_id = %s AND capture_sequence > %s"
                    " AND capture_sequence <= %s ORDER BY capture_sequence LIMIT %s",
                    [subject.organization_id, last, subject.pin.capture_sequence, CAPTURES_A_READ],
                )
            for sequence, captured_at, first, final, rows_sha256, chain_hash, logic_version in found:
                some = final >= first
                line = {
                    "capture_sequence": sequence,
                    "captured_at": instant(captured_at),
                    "first_sequence": first if some else None,
                    "last_sequence": final if some else None,
                    "rows_sha256": rows_sha256,
                    "chain_hash": chain_hash,
                    "logic_version": logic_version,
                }
                lines.write(orjson.dumps(line) + b"\n")
                last = sequence
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
    key = _verifier_key(note)
    if key is None:
        raise CannotBuildError("The last checkpoint of this company is signed by none of our keys.")
    (folder / "checkpoint-key.txt").write_text(f"{key}\n", encoding="utf-8", newline="")
    return True


def _verifier_key(note: str) -> str | None:
    """The public half of the key that signed the note."""
    for signer in checkpoint_file.signers():
        with contextlib.suppress(NoteUnverified):
            verified_text(note, signer.verifier_key)
            return signer.verifier_key
    return None


def _last_note(subject: Subject) -> str | None:
    last = _stated(subject)
    if last is None or last[0] < subject.pin.capture_sequence:
        try:
            with checkpoint_file.appending() as descriptor:
                pin = Checkpoint(subject.organization_id, subject.pin.capture_sequence, subject.pin.chain_hash)
                checkpoint_file.write(descriptor, [pin])
        except CheckpointFileError:
            return last[1] if last else None  # not ours to write: what stands there is what the pack carries
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
