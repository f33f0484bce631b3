"""Checks the captures of a pack: from the row digests to the company's tree, the chain, the log and its checkpoint."""

import base64
import binascii
import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from .digests import ZERO_DIGEST, sha256_lines
from .errors import NoteMalformed, NoteUnverified, PackMalformed, TreeProofRefused
from .findings import Check, Report
from .history import CAPTURE_CONSTANT, TREE_CAPTURE_CONSTANT
from .instants import is_hashed_instant
from .log import LogCheckpoint
from .log_trust import LogTrust, check_signed_checkpoint
from .merkle import HASH_BYTES, CompactRange, leaf_hash, root_from_inclusion
from .pack_archive import Archive
from .pack_history import Leaf
from .pack_json import number, parse_line, text
from .pages import JsonObject, printable
from .signed_note import VerifierKey, parse_note, verified_text

CAPTURES = "history/captures.jsonl"
LOG = "log.json"
MANIFEST = "manifest.txt"
SUMS = "SHA256SUMS"
EVIDENCE_CONSTANT = "svc.evidence/2"
KEY_SUFFIX = "/evidence"
"""The end of the name of the key that signs manifests, after the log's origin."""

MOST_NOTE = 1 << 23
_MOST_LOG = 1 << 18
_MOST_PATH = 64

_LINES = {
    CAPTURE_CONSTANT: (
        "organization_id", "capture_sequence", "captured_at", "first_sequence", "last_sequence", "rows_sha256",
        "previous_chain_hash",
    ),
    TREE_CAPTURE_CONSTANT: (
        "organization_id", "capture_sequence", "captured_at", "first_sequence", "last_sequence", "tree_size",
        "tree_root", "ledger_head", "previous_chain_hash",
    ),
}  # fmt: skip
"""The lines of each form of capture, in the order hashed."""


class Pin(NamedTuple):
    """The capture to which the pack is pinned, as `pack.json` states it."""

    organization_id: str
    capture_sequence: int
    sequence: int
    chain_hash: str


def manifest_text(organization_id: str, chain_hash: str, sums: str) -> str:
    """Return the text of a manifest, which the signer signs for a pack. `sums` is the text of SHA256SUMS."""
    return f"{EVIDENCE_CONSTANT}\n{organization_id}\n{chain_hash}\n{sums}"


def evidence_key(log_key: VerifierKey) -> VerifierKey:
    """Return the key that signs manifests: the log's own key, under a name that no checkpoint has."""
    return log_key._replace(key_name=log_key.key_name + KEY_SUFFIX)


def check_captures(archive: Archive, pin: Pin, leaves: Iterator[Leaf], report: Report) -> bool:
    """Follow the chain of captures to the pin over all leaves; tell whether it is intact.

    Raises PackMalformed for a line that is not a capture, and for missing leaves.
    """
    tree, before, sequence, captured, moment = CompactRange(), ZERO_DIGEST, 0, 0, ""
    faults = report.total
    for at, line in enumerate(archive.lines(CAPTURES), 1):
        place = f"{CAPTURES} line {at}"
        capture = parse_line(place, line)
        form, lines = _lines(place, capture)
        if (lines["organization_id"], lines["capture_sequence"], lines["previous_chain_hash"]) != (
            pin.organization_id, str(at), before,
        ):  # fmt: skip
            report.fault(Check.CAPTURE, place, (), "The capture does not follow the one before it in this company.")
            return False
        if lines["captured_at"] < moment:
            report.fault(Check.CAPTURE, place, ("captured_at",), "The capture is older than the one before it.")
        moment = lines["captured_at"]
        first, last = _range(place, lines)
        if first is not None and last is not None:
            if first != sequence + 1 or not first <= last <= pin.sequence:
                report.fault(Check.CAPTURE, place, ("first_sequence",), "Its rows do not follow those before it.")
                return False
            sequence = last
        elif form == CAPTURE_CONSTANT and lines["rows_sha256"] != hashlib.sha256(b"").hexdigest():
            report.fault(Check.CAPTURE, place, ("rows_sha256",), "It has no rows, and a digest of some.")
        _take(place, form, lines, tree, leaves, sequence, report)
        before, captured = sha256_lines((form, *lines.values())), at
        if text(place, capture, "chain_hash") != before:
            report.fault(Check.CAPTURE, place, ("chain_hash",), "chain_hash is not the digest of the capture's lines.")
    if (captured, sequence, before) != (pin.capture_sequence, pin.sequence, pin.chain_hash):
        report.fault(Check.CAPTURE, CAPTURES, (), "The captures do not end at the pin.")
    return report.total == faults


def _take(
    place: str, form: str, lines: dict[str, str], tree: CompactRange, leaves: Iterator[Leaf], upto: int, report: Report
) -> None:
    """Appends the leaves of a capture's rows to the tree, and compares the capture with them."""
    own = hashlib.sha256()
    separator = b""
    others = 0
    for _ in range(upto - tree.size):
        digest, recorded_at = next(leaves)
        others += recorded_at != lines["captured_at"]
        if form == CAPTURE_CONSTANT:
            own.update(separator + digest.hex().encode())
            separator = b"\n"
        tree.extend((leaf_hash(digest),))
    if others:
        sentence = f"Of its row versions, {others} say that they were recorded at another moment."
        report.fault(Check.CAPTURE, place, ("captured_at",), sentence)
    if form == CAPTURE_CONSTANT:
        if own.hexdigest() != lines["rows_sha256"]:
            report.fault(Check.TREE, place, ("rows_sha256",), "The row versions in the pack are not those captured.")
    elif lines["tree_size"] != str(tree.size):
        report.fault(Check.TREE, place, ("tree_size",), f"The tree has {tree.size} leaves here.")
    elif lines["tree_root"] != tree.root().hex():
        report.fault(Check.TREE, place, ("tree_root",), "The row versions in the pack do not lead to this root.")


def _lines(place: str, capture: JsonObject) -> tuple[str, dict[str, str]]:
    form = text(place, capture, "format")
    if form not in _LINES or capture.keys() != {"format", *_LINES[form], "chain_hash"}:
        raise PackMalformed(place, "The line does not have the members of a capture.")
    lines = {name: text(place, capture, name) for name in _LINES[form]}
    if any("\n" in line for line in lines.values()):
        raise PackMalformed(place, "A line of the capture holds a line feed.")
    if not is_hashed_instant(lines["captured_at"]):
        raise PackMalformed(place, "captured_at is no instant in the form that is hashed.")
    return form, lines


def _range(place: str, lines: dict[str, str]) -> tuple[int | None, int | None]:
    found = []
    for name in ("first_sequence", "last_sequence"):
        line = lines[name]
        if line and (not line.isascii() or not line.isdigit() or len(line) > 18 or line != str(int(line))):
            raise PackMalformed(place, f"{name} is no number.")
        found.append(int(line) if line else None)
    first, last = found
    if (first is None) != (last is None):
        raise PackMalformed(place, "The capture has only one of first_sequence and last_sequence.")
    return first, last


def check_log(archive: Archive, pin: Pin, trust: LogTrust, report: Report) -> LogCheckpoint | None:
    """Check that the pin's capture is an entry of the log, and who signed the log's checkpoint; return the checkpoint.

    None when the file has no checkpoint. Raises PackMalformed.
    """
    found = parse_line(LOG, archive.content(LOG, _MOST_LOG))
    if found.keys() != {"size", "index", "path", "checkpoint"}:
        raise PackMalformed(LOG, "The file does not have the members of a place in the log.")
    size, index = number(LOG, found, "size"), number(LOG, found, "index")
    checkpoint = check_signed_checkpoint(LOG, text(LOG, found, "checkpoint"), trust, report)
    if checkpoint is None:
        return None
    try:
        root = root_from_inclusion(leaf_hash(bytes.fromhex(pin.chain_hash)), index, size, _path(found.get("path")))
    except TreeProofRefused as fault:
        report.fault(Check.LOG, LOG, ("path",), str(fault))
        return checkpoint
    if (checkpoint.size, checkpoint.root) != (size, root):
        report.fault(Check.LOG, LOG, ("path",), "The pin's capture is not in the log that the checkpoint states.")
        return checkpoint
    report.holding.append(
        f"Capture {pin.capture_sequence} is entry {index} of the log {printable(checkpoint.origin)},"
        f" whose checkpoint has {size}."
    )
    return checkpoint


def _path(value: object) -> list[bytes]:
    if not isinstance(value, list) or len(value) > _MOST_PATH:
        raise PackMalformed(LOG, f"path is no array of at most {_MOST_PATH} hashes.")
    hashes = []
    for each in value:
        try:
            decoded = base64.b64decode(each, validate=True) if isinstance(each, str) else b""
        except (binascii.Error, ValueError) as fault:
            raise PackMalformed(LOG, "path holds what is not base64.") from fault
        if len(decoded) != HASH_BYTES or base64.b64encode(decoded).decode() != each:
            raise PackMalformed(LOG, f"path holds what is not the base64 of {HASH_BYTES} bytes.")
        hashes.append(decoded)
    return hashes


def check_manifest(archive: Archive, pin: Pin, sums: bytes, trust: LogTrust, report: Report) -> None:
    """Check that the manifest covers this list of files and this capture, and who signed it. Raises PackMalformed."""
    try:
        note = archive.content(MANIFEST, MOST_NOTE).decode()
        signed = parse_note(note)
    except UnicodeDecodeError as fault:
        raise PackMalformed(MANIFEST, "The file is not UTF-8.") from fault
    except NoteMalformed as fault:
        raise PackMalformed(MANIFEST, str(fault)) from fault
    if signed.text != manifest_text(pin.organization_id, pin.chain_hash, sums.decode("ascii", "replace")):
        report.fault(Check.SIGNATURE, MANIFEST, (), "The manifest is of another company, capture or list of files.")
        return
    if trust.log_key is None:
        return
    key = evidence_key(trust.log_key)
    try:
        verified_text(note, key.line())
    except NoteUnverified as fault:
        report.fault(Check.SIGNATURE, MANIFEST, (), str(fault))
    else:
        report.holding.append(f"The list of files is signed by {printable(key.key_name)}.")
