"""A second implementation of trees, signed notes and checkpoints, without code of `compliance`.

Written from the specifications: RFC 6962 (section 2.1, by its own recursions), C2SP signed-note, tlog-checkpoint and
tlog-cosignature; Ed25519 is that of `cryptography`. The first fault ends a check: `Refused` names its place.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

COUNT = re.compile(r"0|[1-9][0-9]*")
SIGNATURE_LINE = re.compile(r"— (\S+) ([A-Za-z0-9+/]+={0,2})")


class Refused(Exception):
    """A fault: `place` is the member, file or line, `sentence` states what is wrong with it."""

    def __init__(self, place: str, sentence: str) -> None:
        super().__init__(f"{place}: {sentence}")
        self.place = place


class Trust(NamedTuple):
    """The keys that the verifier trusts: the log's, and at least `witnesses` of the witnesses' keys."""

    log_key: str
    witness_keys: tuple[str, ...] = ()
    witnesses: int = 0


class Head(NamedTuple):
    """The content of a signed checkpoint."""

    origin: str
    size: int
    root: bytes


def sha256_lines(*lines: str) -> str:
    """The hexadecimal digest of lines joined by line feeds."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def leaf_of(content: bytes) -> bytes:
    """RFC 6962, 2.1: the hash of a list with one entry."""
    return hashlib.sha256(b"\x00" + content).digest()


def parent_of(left: bytes, right: bytes) -> bytes:
    """RFC 6962, 2.1: the hash of a node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(leaves: Sequence[bytes]) -> bytes:
    """RFC 6962, 2.1: MTH over leaf hashes, level by level; a node without a sibling moves up unchanged."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    level = list(leaves)
    while len(level) > 1:
        pairs = [parent_of(level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
        level = pairs + level[len(pairs) * 2 :]
    return level[0]


def _power_below(count: int) -> int:
    power = 1
    while power * 2 < count:
        power *= 2
    return power


def root_by_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """RFC 6962, 2.1.1: the root that PATH(index, D[size]) leads to. Raises ValueError for a path of another length."""
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    if size == 1:
        if path:
            raise ValueError("the path is too long")
        return leaf
    if not path:
        raise ValueError("the path is too short")
    power = _power_below(size)
    if index < power:
        return parent_of(root_by_path(leaf, index, power, path[:-1]), path[-1])
    return parent_of(path[-1], root_by_path(leaf, index - power, size - power, path[:-1]))


def consistent(first: int, second: int, older: bytes, newer: bytes, proof: Sequence[bytes]) -> bool:
    """RFC 6962, 2.1.2: whether PROOF(first, D[second]) leads from the older root to the newer."""
    if not 0 <= first <= second:
        return False
    if first == 0 or first == second:
        return not proof and (older == newer if first == second else older == root_of([]))
    try:
        return _subproof(first, second, older, list(proof), True) == (older, newer)
    except ValueError:
        return False


def _subproof(first: int, second: int, older: bytes, proof: list[bytes], whole: bool) -> tuple[bytes, bytes]:
    if first == second:
        if len(proof) != (0 if whole else 1):
            raise ValueError("the proof has another length")
        return (older, older) if whole else (proof[0], proof[0])
    if not proof:
        raise ValueError("the proof is too short")
    power = _power_below(second)
    if first <= power:
        left, right = _subproof(first, power, older, proof[:-1], whole)
        return left, parent_of(right, proof[-1])
    left, right = _subproof(first - power, second - power, older, proof[:-1], False)
    return parent_of(proof[-1], left), parent_of(proof[-1], right)


def strict_base64(text: str, length: int | None, place: str) -> bytes:
    """RFC 4648, section 4, in its one canonical spelling."""
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Refused(place, "is not base64") from None
    if base64.b64encode(found).decode() != text or (length is not None and len(found) != length):
        raise Refused(place, "is not base64 as it is written, or not of its length")
    return found


def read_key(line: str, kind: int) -> tuple[str, bytes, bytes]:
    """C2SP signed-note, verifier keys: name, key ID and public key of a line of this signature type."""
    name, key_id, encoded = line.split("+", 2)
    key = strict_base64(encoded, 33, "key")
    if key[0] != kind or hashlib.sha256(name.encode() + b"\n" + key).digest()[:4].hex() != key_id:
        raise Refused("key", "is not a key of this kind")
    return name, bytes.fromhex(key_id), key[1:]


class Signature(NamedTuple):
    """A signature line: who signed, the key ID with the signature, and whether its base64 is canonical."""

    name: str
    content: bytes
    canonical: bool


def open_note(note: str, place: str) -> tuple[str, list[Signature]]:
    """C2SP signed-note: the text and the signatures. Raises Refused."""
    text, separator, block = note.rpartition("\n\n")
    if not separator or not block.endswith("\n") or re.search(r"[\x00-\x09\x0b-\x1f]", note):
        raise Refused(place, "is no signed note")
    signatures = []
    for line in block[:-1].split("\n"):
        match = SIGNATURE_LINE.fullmatch(line)
        if match is None or "+" in match[1]:
            raise Refused(place, "has a line that is no signature")
        try:
            content = base64.b64decode(match[2], validate=True)
        except binascii.Error:
            raise Refused(place, "has a signature that is not base64") from None
        if len(content) < 5:
            raise Refused(place, "has an empty signature")
        signatures.append(Signature(match[1], content, base64.b64encode(content).decode() == match[2]))
    return text + "\n", signatures


def signed_text(note: str, key: str, place: str) -> str:
    """The text of a note that this key signed. Raises Refused."""
    text, signatures = open_note(note, place)
    _verify(text, signatures, key, place)
    return text


def _verify(text: str, signatures: Iterable[Signature], key: str, place: str) -> None:
    name, key_id, public = read_key(key, 1)
    of_key = [each for each in signatures if each.name == name and each.content[:4] == key_id]
    if not of_key:
        raise Refused(place, "has no signature of the key")
    for each in of_key:
        if not each.canonical or not _valid(public, each.content[4:], text.encode()):
            raise Refused(place, "has a signature that is not valid")


def _valid(public: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def cosigned(text: str, signatures: Iterable[Signature], key: str, place: str) -> bool:
    """C2SP tlog-cosignature: whether a witness's key of type 0x04 signed. Raises Refused for one that is not valid."""
    name, key_id, public = read_key(key, 4)
    found = False
    for each in signatures:
        if each.name == name and each.content[:4] == key_id:
            time = int.from_bytes(each.content[4:12], "big")
            message = f"cosignature/v1\ntime {time}\n{text}".encode()
            well_formed = each.canonical and len(each.content) == 76 and time < 2**63
            if not well_formed or not _valid(public, each.content[12:], message):
                raise Refused(place, f"has a cosignature of {name} that is not valid")
            found = True
    return found


def check_checkpoint(note: str, trust: Trust, place: str = "checkpoint") -> Head:
    """C2SP tlog-checkpoint, signed by the log and by enough witnesses. Raises Refused."""
    text, signatures = open_note(note, place)
    _verify(text, signatures, trust.log_key, place)
    lines = text.split("\n")
    if len(lines) < 4 or not all(lines[:-1]) or not COUNT.fullmatch(lines[1], 0, 19):
        raise Refused(place, "is no checkpoint")
    if lines[0] != read_key(trust.log_key, 1)[0]:
        raise Refused(place, "is of another log")
    root = strict_base64(lines[2], 32, place)
    count = sum(cosigned(text, signatures, key, place) for key in set(trust.witness_keys))
    if count < trust.witnesses:
        raise Refused(place, f"has {count} of {trust.witnesses} cosignatures")
    return Head(lines[0], int(lines[1]), root)
