"""The log's origin and its keys: the signer's private keys, and the checks of what was signed.

The origin names the log in its checkpoints, and its key (C2SP tlog-checkpoint). Other things are signed under a name
below the origin (`<origin>/evidence`), so that no such signature can pass as that of a checkpoint.
"""

import hashlib
from typing import NamedTuple

from django.conf import settings

from compliance.log import folder
from compliance.log.errors import LogFolderError, OriginChangedError, SigningKeyMissingError
from compliance.proofs.errors import NoteMalformed, NoteUnverified
from compliance.proofs.log import LogCheckpoint, parse_log_checkpoint
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.signed_note import VerifierKey, parse_verifier_key, verified_text


def origin() -> str:
    """The log's origin: from the folder's checkpoint or, before the first, from the settings.

    Raises OriginChangedError when LOG_ORIGIN names another one than that of the checkpoint.
    """
    note = folder.read(folder.CHECKPOINT)
    return same_origin(None if note is None else note.partition("\n")[0])


def same_origin(begun: str | None) -> str:
    """The origin with which the log began or, before that, the one of the settings. Raises OriginChangedError."""
    wanted: str = settings.LOG_ORIGIN
    if begun is not None and wanted not in ("", begun):
        raise OriginChangedError(
            f"LOG_ORIGIN is {wanted}, but the log was begun as {begun}, and its key bears that name: witnesses and"
            f" auditors would take another name for another log. Set LOG_ORIGIN={begun}, or leave it empty."
        )
    return begun or wanted or f"{settings.BASE_URL.partition('://')[2]}/log"


def signers(begun: str | None = None, purpose: str = "") -> list[NoteSigner]:
    """The private keys of this process, the signing one first; empty in every process but the signer.

    `begun`: the origin, if it is known. `purpose`: what is signed other than checkpoints, such as `evidence`.
    """
    name = _named(begun or origin(), purpose) if settings.CHECKPOINT_KEYS else ""
    return [NoteSigner.from_seed(name, hashlib.sha256(key.encode()).digest()) for key in settings.CHECKPOINT_KEYS]


def signing_key(begun: str | None = None, purpose: str = "") -> NoteSigner:
    """The signing key. Raises SigningKeyMissingError in a process without it."""
    for signer in signers(begun, purpose):
        return signer
    raise SigningKeyMissingError(
        "This process does not hold the key that signs checkpoints: run the command as the signer (docs/operations.md)."
    )


def holds_key() -> bool:
    """Whether this process may sign."""
    return bool(settings.CHECKPOINT_KEYS)


def verifier_keys(purpose: str = "") -> list[str]:
    """The public halves of our keys, newest first: from the private keys of this process, or else from the settings."""
    if settings.CHECKPOINT_KEYS:
        return [signer.verifier_key for signer in signers(purpose=purpose)]
    found = (parse_verifier_key(line) for line in settings.CHECKPOINT_VERIFIER_KEYS)
    return [VerifierKey(_named(each.key_name, purpose), each.public_key).line() for each in found]


class Checked(NamedTuple):
    """The text of a note that one of our keys signed, and the verifier key of this key."""

    text: str
    verifier_key: str


def checked(note: str, purpose: str = "") -> Checked:
    """The text of a note that one of our keys has signed. Raises LogFolderError."""
    try:
        for key in verifier_keys(purpose):
            try:
                return Checked(verified_text(note, key), key)
            except NoteUnverified:
                continue
    except NoteMalformed as error:
        raise LogFolderError(f"A signed note of the log, or a verifier key, is malformed. {error}") from error
    raise LogFolderError(
        "A signed note of the log is signed by none of our keys: it was altered, or the key was changed."
        " After a change of keys keep the older one in CHECKPOINT_KEY, and its verifier key in CHECKPOINT_VERIFIER_KEY,"
        " behind the newer one and a comma. CHECKPOINT_VERIFIER_KEY is what `manage.py signer --verifier-key` prints."
    )


def checked_checkpoint(note: str) -> LogCheckpoint:
    """The content of a checkpoint of our log, after checking its signature. Raises LogFolderError."""
    text, verifier_key = checked(note)
    try:
        found = parse_log_checkpoint(text)
    except NoteMalformed as error:
        raise LogFolderError(f"A signed note of the log is no checkpoint. {error}") from error
    if found.origin != verifier_key.partition("+")[0]:
        raise LogFolderError(f"A checkpoint of {found.origin} is signed by the key of another log.")
    return found


def _named(name: str, purpose: str) -> str:
    return f"{name}/{purpose}" if purpose else name
