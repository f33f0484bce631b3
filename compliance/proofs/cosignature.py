"""Cosignatures: a witness states that it saw a log's checkpoint and that the log only grew until then.

https://c2sp.org/tlog-cosignature, the type of Ed25519 (0x04): a signature line of the checkpoint's note whose signature
is eight bytes of time, big-endian, and an Ed25519 signature over the two lines `cosignature/v1` and `time N` and the
checkpoint's text. `time` is in seconds since 1970 (POSIX).
"""

import struct

from . import ed25519
from .errors import NoteMalformed, NoteUnverified
from .log import parse_log_checkpoint
from .signed_note import (
    ED25519_COSIGNATURE,
    NoteSignature,
    VerifierKey,
    check_text,
    parse_note,
    parse_verifier_key,
    signatures_of,
)

LAST_TIME = 2**63 - 1
_TIME_BYTES = 8


def parse_witness_key(line: str) -> VerifierKey:
    """Return the verifier key of a witness. Raises NoteMalformed for a line that is not one."""
    return parse_verifier_key(line, ED25519_COSIGNATURE)


def witness_key(key_name: str, seed: bytes) -> VerifierKey:
    """Return the public half of the key that a witness of this name has from a 32-byte seed."""
    return VerifierKey(key_name, ed25519.public_key(seed), ED25519_COSIGNATURE)


def cosigned_message(text: str, time: int) -> bytes:
    """Return the bytes that a witness signs for the text of a checkpoint. Raises NoteMalformed for any other text."""
    parse_log_checkpoint(check_text(text))
    if not 0 <= time <= LAST_TIME:
        raise NoteMalformed("The time of a cosignature is from 0 to 2^63 - 1.")
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def cosign(key_name: str, seed: bytes, text: str, time: int) -> NoteSignature:
    """Return the cosignature of a checkpoint's text at `time`. Raises NoteMalformed for any other text."""
    signature = ed25519.sign(seed, cosigned_message(text, time))
    return NoteSignature(key_name, witness_key(key_name, seed).key_hash(), struct.pack(">Q", time) + signature)


def cosigned_times(note: str, *witness_keys: str) -> dict[VerifierKey, int]:
    """Return which of the witnesses cosigned a checkpoint, and the newest time of each.

    Raises NoteMalformed for what is not a checkpoint's note or not a witness's key, and NoteUnverified when a signature
    has the name and hash of one of the keys but is not valid. Signatures of other keys are ignored.
    """
    parsed = parse_note(note)
    parse_log_checkpoint(parsed.text)
    times: dict[VerifierKey, int] = {}
    for key, each in signatures_of(parsed, map(parse_witness_key, witness_keys)):
        time = _verified_time(parsed.text, key, each)
        if time is None:
            raise NoteUnverified(f"The cosignature of {key.key_name} is not valid.")
        times[key] = max(time, times.get(key, 0))
    return times


def _verified_time(text: str, key: VerifierKey, cosignature: NoteSignature) -> int | None:
    """The time that a cosignature states, or None when the key did not make it."""
    if not cosignature.canonical or len(cosignature.signature) != _TIME_BYTES + ed25519.SIGNATURE_BYTES:
        return None
    (time,) = struct.unpack_from(">Q", cosignature.signature)
    if time > LAST_TIME:
        return None
    message = cosigned_message(text, time)
    return time if ed25519.verify(key.public_key, cosignature.signature[_TIME_BYTES:], message) else None
