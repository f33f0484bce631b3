"""The log in a pack: the proof that the pin's capture is in it, its key, and the signed list of files."""

import base64
from datetime import UTC, datetime
from pathlib import Path

import orjson

from compliance.interfaces.console.evidence import manifests, packing
from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.subject import Subject
from compliance.log import keys, signing
from compliance.log.errors import LogError

MANIFEST = "manifest.txt"


def wait_for_log(subject: Subject) -> None:
    """Waits until the pin's capture is in the log. Raises CannotBuildError if it is not signed in time."""
    about = subject.organization_id, subject.pin.capture_sequence, subject.pin.chain_hash
    try:
        if manifests.log_place(*about) is None:
            signing.wait_for(*about[:2], datetime.now(UTC))
            if manifests.log_place(*about) is None:
                raise CannotBuildError(
                    f"Capture {subject.pin.capture_sequence} is not under the signed log. Ask again once `manage.py"
                    " signer` has signed it; if it says that this history was altered, see docs/operations.md."
                )
    except LogError as error:
        raise CannotBuildError(str(error)) from error


def write_log(subject: Subject, folder: Path) -> None:
    """Writes the place of the pin's capture in the log under its newest checkpoint, and the log's key. Raises
    CannotBuildError."""
    try:
        place = manifests.log_place(subject.organization_id, subject.pin.capture_sequence, subject.pin.chain_hash)
        if place is None:
            raise CannotBuildError(f"Capture {subject.pin.capture_sequence} is not under the signed log any more.")
        key = keys.checked(place.checkpoint).verifier_key
    except LogError as error:
        raise CannotBuildError(str(error)) from error
    path = [base64.b64encode(each).decode() for each in place.path]
    found = {"size": place.size, "index": place.entry, "path": path, "checkpoint": place.checkpoint}
    (folder / "log.json").write_bytes(orjson.dumps(found, option=orjson.OPT_APPEND_NEWLINE))
    (folder / "log-key.txt").write_text(f"{key}\n", encoding="utf-8", newline="")


def write_manifest(subject: Subject, folder: Path) -> None:
    """Writes the signed list of files. Raises CannotBuildError."""
    sums = (folder / packing.LIST).read_text(encoding="ascii")
    pin = subject.pin
    try:
        note = manifests.signed(subject.organization_id, pin.capture_sequence, pin.chain_hash, sums, datetime.now(UTC))
    except LogError as error:
        raise CannotBuildError(str(error)) from error
    (folder / MANIFEST).write_text(note, encoding="utf-8", newline="")
