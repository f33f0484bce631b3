"""C2SP signed notes (https://c2sp.org/signed-note), the form of our checkpoints; Ed25519 only.

A note is text that ends in a line feed, an empty line, and one line per signature: an em dash, the key's name, and
base64 of four bytes of key hash and the signature. Two types of signature are known: of the text (0x01), and a
witness's, which `cosignature` makes and checks (0x04).
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from . import ed25519
from .errors import NoteMalformed, NoteUnverified

ED25519_SIGNATURE = b"\x01"
ED25519_COSIGNATURE = b"\x04"
KEY_HASH_BYTES = 4
MOST_SIGNATURES = 100

_KEY_NAME = re.compile(r"[^\s+\x00-\x1f\ud800-\udfff]+")
_SIGNATURE_LINE = re.compile(r"— ([^ ]+) ([A-Za-z0-9+/]+={0,2})")
_FORBIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line: who signed, the hash that distinguishes keys of one name, and the signature's bytes.

    `canonical`: whether the line had the base64 spelling that `line` returns. Another spelling would be a second form
    of the same signature, so it does not count as one of a known key.
    """

    key_name: str
    key_hash: bytes
    signature: bytes
    canonical: bool = True

    def line(self) -> str:
        """Return its line in a note, with the line feed. Raises NoteMalformed for its name."""
        encoded = base64.b64encode(self.key_hash + self.signature).decode()
        return f"— {check_key_name(self.key_name)} {encoded}\n"


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A note and its signatures. `text` ends in a line feed and, in UTF-8, is exactly what was signed."""

    text: str
    signatures: tuple[NoteSignature, ...]


class VerifierKey(NamedTuple):
    """The public half of a named key, and the type of the signatures that it makes."""

    key_name: str
    public_key: bytes
    signature_type: bytes = ED25519_SIGNATURE

    def key_hash(self) -> bytes:
        """Return the four bytes that identify the key: from the SHA-256 of name, line feed, type and public key."""
        content = check_key_name(self.key_name).encode() + b"\n" + self.signature_type + self.public_key
        return hashlib.sha256(content).digest()[:KEY_HASH_BYTES]

    def line(self) -> str:
        """Return the line that auditors get: name, key hash, and type and key, joined by plus signs."""
        encoded = base64.b64encode(self.signature_type + self.public_key).decode()
        return f"{check_key_name(self.key_name)}+{self.key_hash().hex()}+{encoded}"


def check_key_name(key_name: str) -> str:
    """Return `key_name` when it can name a key: not empty, without white space, plus sign or control characters."""
    if _KEY_NAME.fullmatch(key_name) is None:
        raise NoteMalformed("A key name may hold no white space, plus sign or control character and may not be empty.")
    return key_name


def check_text(text: str) -> str:
    """Return `text` when it can be a note: ends in a line feed, Unicode without control characters but line feeds.

    Raises NoteMalformed.
    """
    if not text.endswith("\n"):
        raise NoteMalformed("The text of a note ends in a line feed.")
    if _FORBIDDEN.search(text) is not None:
        raise NoteMalformed("The text of a note holds what is not Unicode, or a control character but the line feed.")
    return text


def format_note(text: str, signatures: Iterable[NoteSignature]) -> str:
    """Return the whole signed note. Raises NoteMalformed for a text or a key name that a note cannot have."""
    lines = [each.line() for each in signatures]
    if not lines:
        raise NoteMalformed("A signed note has at least one signature.")
    return f"{check_text(text)}\n{''.join(lines)}"


def parse_note(note: str, most: int | None = MOST_SIGNATURES) -> SignedNote:
    """Return the text and signatures of a signed note; the last empty line separates them. Checks no signature.

    Raises NoteMalformed, also for more than `most` signatures; None is for a note of one's own, of which nobody else
    decides how long it is.
    """
    text, separator, block = note.rpartition("\n\n")
    if not separator or not block.endswith("\n"):
        raise NoteMalformed("A signed note is a text, an empty line and signature lines, each ending in a line feed.")
    lines = block.removesuffix("\n").split("\n")
    if most is not None and len(lines) > most:
        raise NoteMalformed(f"A signed note has at most {most} signatures.")
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
    canonical = base64.b64encode(decoded).decode() == match[2]
    return NoteSignature(check_key_name(match[1]), decoded[:KEY_HASH_BYTES], decoded[KEY_HASH_BYTES:], canonical)


def parse_verifier_key(line: str, signature_type: bytes = ED25519_SIGNATURE) -> VerifierKey:
    """Return the verifier key of a line. Raises NoteMalformed when it is not one of this type of signature."""
    key_name, _, rest = line.strip().partition("+")
    hash_text, _, encoded = rest.partition("+")
    try:
        decoded = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as fault:
        raise NoteMalformed("A verifier key is a name, a key hash and base64, joined by plus signs.") from fault
    if decoded[:1] != signature_type or len(decoded) != 1 + ed25519.PUBLIC_KEY_BYTES:
        raise NoteMalformed(f"Not a verifier key of Ed25519 and of type 0x{signature_type.hex()}.")
    key = VerifierKey(key_name, decoded[1:], signature_type)
    if key.key_hash().hex() != hash_text:
        raise NoteMalformed("The key hash of a verifier key does not belong to its name and key.")
    return key


def signatures_of(note: SignedNote, keys: Iterable[VerifierKey]) -> Iterator[tuple[VerifierKey, NoteSignature]]:
    """Yield each signature of a note with the name and hash of one of the keys, a repeated one once.

    Checks no signature. Anybody can repeat the lines of a note, so a repeated one is not worth a second check.
    """
    known = {(key.key_name, key.key_hash()): key for key in keys}
    for each in dict.fromkeys(note.signatures):
        key = known.get((each.key_name, each.key_hash))
        if key is not None:
            yield key, each


def one_for_each_key(signatures: Iterable[NoteSignature]) -> list[NoteSignature]:
    """Return the first signature of each key, in their order."""
    found: dict[tuple[str, bytes], NoteSignature] = {}
    for each in signatures:
        found.setdefault((each.key_name, each.key_hash), each)
    return list(found.values())


def verified_text(note: str, *verifier_keys: str) -> str:
    """Return the text of `note` when one of the verifier keys signed it.

    Raises NoteMalformed for what is not a note or not a verifier key, and NoteUnverified when there is no signature of
    these keys or one of theirs is not valid. Signatures of other keys are ignored, as C2SP requires.
    """
    parsed = parse_note(note)
    signatures = list(signatures_of(parsed, map(parse_verifier_key, verifier_keys)))
    if not signatures:
        raise NoteUnverified("The note carries no signature of this key.")
    content = parsed.text.encode()
    for key, each in signatures:
        if not each.canonical or not ed25519.verify(key.public_key, each.signature, content):
            raise NoteUnverified("The note's signature is not valid.")
    return parsed.text
