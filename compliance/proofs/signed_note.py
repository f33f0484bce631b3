"""C2SP signed notes (https://c2sp.org/signed-note), the form of our checkpoints; Ed25519 only.

A note is text that ends in a line feed, an empty line, and one line per signature: an em dash, the key's name, and
base64 of four bytes of key hash and the signature. This module only writes and reads that form: checking a signature
needs Ed25519, which the standard library lacks and `note_keys` brings.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from .errors import NoteMalformed

ED25519_ALGORITHM = b"\x01"
ED25519_KEY_BYTES = 32
ED25519_SIGNATURE_BYTES = 64
KEY_HASH_BYTES = 4
MOST_SIGNATURES = 100

_KEY_NAME = re.compile(r"[^\s+\x00-\x1f\x7f]+")
_SIGNATURE_LINE = re.compile(r"— ([^ ]+) ([A-Za-z0-9+/]+={0,2})")
_FORBIDDEN_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line: who signed, the hash that tells keys of one name apart, and the signature's bytes."""

    key_name: str
    key_hash: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A note and its signatures. `text` ends in a line feed and, in UTF-8, is exactly what was signed."""

    text: str
    signatures: tuple[NoteSignature, ...]


def check_key_name(key_name: str) -> str:
    """Return `key_name` when it can name a key: not empty, without white space, plus sign or control characters."""
    if _KEY_NAME.fullmatch(key_name) is None:
        raise NoteMalformed("A key name may hold no white space, plus sign or control character and may not be empty.")
    return key_name


def key_hash(key_name: str, public_key: bytes) -> bytes:
    """Return the four bytes that tell which key signed: of SHA-256 of name, line feed, algorithm byte, public key."""
    digest = hashlib.sha256(check_key_name(key_name).encode() + b"\n" + ED25519_ALGORITHM + public_key).digest()
    return digest[:KEY_HASH_BYTES]


def check_text(text: str) -> str:
    """Return `text` when it can be a note: ends in a line feed, Unicode without control characters but line feeds."""
    if not text.endswith("\n"):
        raise NoteMalformed("The text of a note ends in a line feed.")
    if _FORBIDDEN_CONTROL.search(text) is not None:
        raise NoteMalformed("The text of a note holds a control character other than a line feed.")
    return text


def format_note(text: str, signatures: Iterable[NoteSignature]) -> str:
    """Return the whole signed note. Raises NoteMalformed where the text or a key name cannot stand in one."""
    lines = [
        f"— {check_key_name(each.key_name)} {base64.b64encode(each.key_hash + each.signature).decode()}\n"
        for each in signatures
    ]
    if not lines:
        raise NoteMalformed("A signed note has at least one signature.")
    return f"{check_text(text)}\n{''.join(lines)}"


def parse_note(note: str) -> SignedNote:
    """Return the text and signatures of a signed note; the last empty line parts them. Checks no signature."""
    text, separator, block = note.rpartition("\n\n")
    if not separator or not block.endswith("\n"):
        raise NoteMalformed("A signed note is a text, an empty line and signature lines, each ending in a line feed.")
    lines = block.removesuffix("\n").split("\n")
    if len(lines) > MOST_SIGNATURES:
        raise NoteMalformed(f"A signed note has at most {MOST_SIGNATURES} signatures.")
    return SignedNote(check_text(text + "\n"), tuple(_parse_signature(line) for line in lines))


def _parse_signature(line: str) -> NoteSignature:
    match = _SIGNATURE_LINE.fullmatch(line)
    if match is None:
        raise NoteMalformed("A signature line is an em dash, a key name and base64, parted by single spaces.")
    try:
        decoded = base64.b64decode(match[2], validate=True)
    except binascii.Error as fault:
        raise NoteMalformed("A signature line holds something that is not base64.") from fault
    if len(decoded) <= KEY_HASH_BYTES:
        raise NoteMalformed("A signature line holds no signature.")
    return NoteSignature(check_key_name(match[1]), decoded[:KEY_HASH_BYTES], decoded[KEY_HASH_BYTES:])


def format_verifier_key(key_name: str, public_key: bytes) -> str:
    """Return the public half as the one line that auditors are given: name, key hash and key, joined by plus signs."""
    encoded = base64.b64encode(ED25519_ALGORITHM + public_key).decode()
    return f"{check_key_name(key_name)}+{key_hash(key_name, public_key).hex()}+{encoded}"


def parse_verifier_key(verifier_key: str) -> tuple[str, bytes]:
    """Return the key's name and its 32 public bytes. Raises NoteMalformed when the line is not one of ours."""
    key_name, _, rest = verifier_key.strip().partition("+")
    hash_text, _, encoded = rest.partition("+")
    try:
        decoded = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as fault:
        raise NoteMalformed("A verifier key is a name, a key hash and base64, joined by plus signs.") from fault
    if decoded[:1] != ED25519_ALGORITHM or len(decoded) != 1 + ED25519_KEY_BYTES:
        raise NoteMalformed("Only Ed25519 verifier keys are known.")
    public_key = decoded[1:]
    if key_hash(key_name, public_key).hex() != hash_text:
        raise NoteMalformed("The key hash of a verifier key does not belong to its name and key.")
    return key_name, public_key
