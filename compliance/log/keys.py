"""The log's name and its keys: who signs, and how everybody checks what was signed.

The origin names the log in its checkpoints, and its key (C2SP tlog-checkpoint). What else the signer signs bears a name
below the origin (`<origin>/evidence`), so that no such signature can be taken for that of a checkpoint.
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
    """The log's origin: as the folder's checkpoint states it, else as the settings name it.

    Raises OriginChangedError when LOG_ORIGIN names another one than the log was begun with.
    """
    note = folder.read(folder.CHECKPOINT)
    return same_origin(None if note is None else note.partition("\n")[0])


def same_origin(begun: str | None) -> str:
    """The origin under which the log was begun; that of the settings before. Raises OriginChangedError."""
    wanted: str = settings.LOG_ORIGIN
    if begun is not None and wanted not in ("", begun):
        raise OriginChangedError(
            f"LOG_ORIGIN is {wanted}, but the log was begun as {begun}, and its key bears that name: witnesses and"
            f" auditors would take another name for another log. Set LOG_ORIGIN={begun}, or leave it empty."
        )
    return begun or wanted or f"{settings.BASE_URL.partition('://')[2]}/log"


def signers(begun: str | None = None, purpose: str = "") -> list[NoteSigner]:
    """The private keys that this process holds, the one that signs first; all but the signer hold none.

    `begun`: the origin where it is known. `purpose`: what else than checkpoints is signed, as `evidence`.
    """
    name = _named(begun or origin(), purpose) if settings.CHECKPOINT_KEYS else ""
    return [NoteSigner.from_seed(name, hashlib.sha256(key.encode()).digest()) for key in settings.CHECKPOINT_KEYS]


def signing_key(begun: str | None = None, purpose: str = "") -> NoteSigner:
    """The key that signs. Raises SigningKeyMissingError in a process that must not have it."""
    for signer in signers(begun, purpose):
        return signer
    raise SigningKeyMissingError(
        "This process does not hold the key that signs checkpoints: run the command as the signer (docs/operations.md)."
    )


def holds_key() -> bool:
    """Whether this process may sign."""
    return bool(settings.CHECKPOINT_KEYS)


def verifier_keys(purpose: str = "") -> list[str]:
    """The public halves of our keys, newest first: of those that this process holds, else from the settings."""
    if settings.CHECKPOINT_KEYS:
        return [signer.verifier_key for signer in signers(purpose=purpose)]
    found = (parse_verifier_key(line) for line in settings.CHECKPOINT_VERIFIER_KEYS)
    return [VerifierKey(_named(each.key_name, purpose), each.public_key).line() for each in found]


class Checked(NamedTuple):
    """The text of a note that one of our keys signed, and the verifier key of that one."""

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
    """What a checkpoint of our log states, its signature checked. Raises LogFolderError."""
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
