"""The checkpoint file outside the database: signed notes, only ever appended to (settings CHECKPOINT_FILE
and CHECKPOINT_KEY).

Each note says how far one company's history reached and its chain hash there. A crash or a full disk may leave a torn
note behind; it states nothing and is passed over. Beside the file lies `<file>.accepted`: signed notes by which an
operator said that a history was set back on purpose, and up to which byte the company's earlier notes count no more.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from compliance.interfaces.operations.errors import CheckpointFileError
from compliance.proofs.checkpoints import CHECKPOINT_CONSTANT, Checkpoint, parse_checkpoint
from compliance.proofs.ed25519 import SIGNATURE_BYTES
from compliance.proofs.errors import NoteMalformed, NoteUnverified
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.signed_note import parse_note, verified_text
from compliance.tenancy.queries import deployment_id

KEY_NAME = "svc-checkpoint"
ACCEPTED_CONSTANT = "svc.accepted/1"

_START = re.compile(rb"^" + re.escape(CHECKPOINT_CONSTANT.encode()) + rb"$", re.MULTILINE)
_ACCEPTED_START = re.compile(rb"^" + re.escape(ACCEPTED_CONSTANT.encode()) + rb"$", re.MULTILINE)
_ACCEPTED = re.compile(ACCEPTED_CONSTANT + r"\n([0-9a-f-]{36})\n([0-9]+)\n([0-9]+)\n([0-9a-f]{64})\n([^\n]+)\n")


class Stated(NamedTuple):
    """One note of the file: where it begins, what it says, and the whole note (its signature is not yet checked)."""

    offset: int
    checkpoint: Checkpoint
    note: str


def path() -> Path:
    """Where the file is. `{deployment_id}` in the setting keeps databases that share a folder apart."""
    name = settings.CHECKPOINT_FILE
    return Path(name.replace("{deployment_id}", str(deployment_id())) if "{deployment_id}" in name else name)


def signers() -> list[NoteSigner]:
    """The private keys that this process holds, the one that signs first; all but the signer hold none."""
    return [NoteSigner.from_seed(KEY_NAME, hashlib.sha256(key.encode()).digest()) for key in settings.CHECKPOINT_KEYS]


def signing_key() -> NoteSigner:
    """The key that signs. Raises CheckpointFileError in a process that must not have it."""
    for signer in signers():
        return signer
    raise CheckpointFileError(
        "This process does not hold the key that signs checkpoints: run the command as the signer (docs/operations.md)."
    )


def verifier_keys() -> list[str]:
    """The public halves of our keys, newest first: of those that this process holds, else from the settings."""
    return [signer.verifier_key for signer in signers()] or list(settings.CHECKPOINT_VERIFIER_KEYS)


def checked(note: str) -> str:
    """The text of a note that one of our keys has signed. Raises CheckpointFileError."""
    return signed_by(note)[0]


def signed_by(note: str) -> tuple[str, str]:
    """The text of a note, and the verifier key of ours that signed it. Raises CheckpointFileError."""
    for key in verifier_keys():
        try:
            return verified_text(note, key), key
        except NoteUnverified:
            continue
        except NoteMalformed as error:
            raise CheckpointFileError(f"A note of the checkpoint file is malformed. {error}") from error
    raise CheckpointFileError(
        "A note of the checkpoint file is signed by none of our keys: the file was altered, or the key was changed."
        " After a change of keys keep the older one in CHECKPOINT_KEY, and its verifier key in CHECKPOINT_VERIFIER_KEY,"
        " behind the newer one and a comma."
    )


def stated(since: int = 0) -> Iterator[Stated]:
    """The notes of the file from byte `since` on, in the order written. No file: no notes."""
    yield from _notes(path(), since, _START)


def size() -> int:
    """How long the file is; 0 without a file."""
    with contextlib.suppress(FileNotFoundError):
        return path().stat().st_size
    return 0


def _notes(file: Path, since: int, start: "re.Pattern[bytes]") -> Iterator[Stated]:
    try:
        with file.open("rb") as stream:
            stream.seek(since)
            content = stream.read()
    except FileNotFoundError:
        return
    except OSError as error:
        raise CheckpointFileError(f"The checkpoint file {file} cannot be read ({error.strerror}).") from error
    starts = [match.start() for match in start.finditer(content)]
    for begin, end in pairwise([*starts, len(content)]):
        note = content[begin:end].decode("utf-8", "replace")
        try:
            parsed = parse_note(note)
            checkpoint = parse_checkpoint(parsed.text)
        except NoteMalformed:
            continue  # torn by a crash: it states nothing
        if all(len(each.signature) == SIGNATURE_BYTES for each in parsed.signatures):
            yield Stated(since + begin, checkpoint, note)


@contextlib.contextmanager
def appending() -> Iterator[int]:
    """Holds the file's lock, so that one process at a time looks and writes. Yields a descriptor for `write`."""
    descriptor = _opened(path())
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def write(descriptor: int, checkpoints: Iterable[Checkpoint]) -> None:
    """Appends one signed note a checkpoint, in one write, and waits until they are on the disk."""
    signer = signing_key()
    _write(descriptor, "".join(signer.sign(checkpoint.text()) for checkpoint in checkpoints).encode())


def accepted() -> dict[uuid.UUID, int]:
    """Up to which byte of the file each company's notes count no more. Raises CheckpointFileError."""
    file = _accepted_path()
    found: dict[uuid.UUID, int] = {}
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return found
    starts = [match.start() for match in _ACCEPTED_START.finditer(content)]
    for begin, end in pairwise([*starts, len(content)]):
        note = content[begin:end].decode("utf-8", "replace")
        match = _ACCEPTED.fullmatch(note.partition("\n\n")[0] + "\n")
        if match is not None:
            checked(note)
            found[uuid.UUID(match[1])] = int(match[2])
    return found


def accept(histories: Iterable[Checkpoint], at: datetime) -> None:
    """Says that these companies' histories, as they stand, are the true ones: every note so far counts no more."""
    offset, signer = size(), signing_key()
    moment = at.astimezone(UTC).isoformat()
    content = "".join(
        signer.sign(
            f"{ACCEPTED_CONSTANT}\n{each.organization_id}\n{offset}\n{each.capture_sequence}\n{each.chain_hash}\n{moment}\n"
        )
        for each in histories
    )
    descriptor = _opened(_accepted_path())
    try:
        _write(descriptor, content.encode())
    finally:
        os.close(descriptor)


def _accepted_path() -> Path:
    file = path()
    return file.with_name(file.name + ".accepted")


def _opened(file: Path) -> int:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError as error:
        raise CheckpointFileError(f"The checkpoint file {file} cannot be written ({error.strerror}).") from error


def _write(descriptor: int, content: bytes) -> None:
    if not content:
        return
    end = os.lseek(descriptor, 0, os.SEEK_END)
    if end and os.pread(descriptor, 1, end - 1) != b"\n":
        content = b"\n" + content  # a torn line: the next note begins on a line of its own
    while content:  # a disk that fills up takes part of it, and says so at the next write
        content = content[os.write(descriptor, content) :]
    os.fsync(descriptor)
