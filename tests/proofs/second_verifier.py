"""A second verifier of `svc.proof/1` that shares no code with `compliance`.

Written from docs/verify.md and the specifications. Where it and the product differ, one of them reads the format
wrongly. The first fault ends a check: `Refused` names the place and states what is wrong.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from tests.proofs.second_log import (
    COUNT,
    Head,
    Refused,
    Trust,
    check_checkpoint,
    leaf_of,
    root_by_path,
    sha256_lines,
    strict_base64,
)

REGISTERS = {
    "training-records",
    "people",
    "certificates",
    "courses",
    "policies",
    "policy-records",
    "acknowledgements",
}
ROW_LINES = (
    "organization_id",
    "sequence",
    "register",
    "record_id",
    "valid_from",
    "recorded_at",
    "cause",
    "logic_version",
)
CAPTURE_LINES = (
    "organization_id",
    "capture_sequence",
    "captured_at",
    "first_sequence",
    "last_sequence",
    "tree_size",
    "tree_root",
    "ledger_head",
    "previous_chain_hash",
)
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
DIGEST = re.compile(r"[0-9a-f]{64}")
SALT = re.compile(r"[0-9a-f]{32}")


def read_json(content: bytes, place: str) -> Any:
    """Strict JSON: UTF-8 without a byte order mark, no member twice, no NaN. Raises Refused."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise Refused(place, "has a member twice")
        return dict(pairs)

    def constant(name: str) -> None:
        raise Refused(place, f"holds {name}")

    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=members, parse_constant=constant)
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise Refused(place, "is not JSON") from None


def members_of(value: Any, place: str, *names: str) -> tuple[Any, ...]:
    """The values of an object with exactly these members. Raises Refused."""
    if not isinstance(value, dict) or set(value) != set(names):
        raise Refused(place, f"does not have exactly the members {', '.join(names)}")
    return tuple(value[name] for name in names)


def is_text(value: Any, form: re.Pattern[str], place: str) -> str:
    """The value, when it is text of this form. Raises Refused."""
    if not isinstance(value, str) or not form.fullmatch(value):
        raise Refused(place, "does not have its form")
    return value


def is_count(value: Any, place: str, least: int = 0) -> int:
    """The value, when it is an integer of at least `least`. Raises Refused."""
    if type(value) is not int or not least <= value < 2**63:
        raise Refused(place, "is not a whole number in its range")
    return value


def path_of(value: Any, place: str) -> list[bytes]:
    """The hashes of a path in base64. Raises Refused."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise Refused(place, "is no list of base64")
    return [strict_base64(each, 32, f"{place}[{at}]") for at, each in enumerate(value)]


def row_digest(organization_id: str, row: dict[str, Any], content_sha256: str) -> str:
    """`svc.row/1`. Raises Refused for a value without its form."""
    is_text(organization_id, UUID, "row.organization_id")
    sequence = is_count(row["sequence"], "row.sequence", 1)
    if not isinstance(row["register"], str) or row["register"] not in REGISTERS:
        raise Refused("row.register", "is no register")
    is_text(row["record_id"], UUID, "row.record_id")
    is_text(row["valid_from"], INSTANT, "row.valid_from")
    is_text(row["recorded_at"], INSTANT, "row.recorded_at")
    if row["cause"] not in ("first", "change", "sweep"):
        raise Refused("row.cause", "is none of first, change and sweep")
    version = is_count(row["logic_version"], "row.logic_version", 1)
    values = (row[name] for name in ("register", "record_id", "valid_from", "recorded_at", "cause"))
    return sha256_lines("svc.row/1", organization_id, str(sequence), *values, str(version), content_sha256)


def capture_digest(capture: dict[str, str], place: str = "capture") -> str:
    """`svc.capture/2`. Raises Refused for a line without its form."""
    forms = (UUID, COUNT, INSTANT, None, None, COUNT, DIGEST, DIGEST, DIGEST)
    for name, form in zip(CAPTURE_LINES, forms, strict=True):
        if form is None:
            if capture[name] != "":
                is_text(capture[name], COUNT, f"{place}.{name}")
        else:
            is_text(capture[name], form, f"{place}.{name}")
    first, last = capture["first_sequence"], capture["last_sequence"]
    if (first == "") != (last == "") or (first and not 1 <= int(first) <= int(last)):
        raise Refused(f"{place}.first_sequence", "does not fit last_sequence")
    if last and last != capture["tree_size"]:
        raise Refused(f"{place}.tree_size", "is not the last sequence")
    return sha256_lines("svc.capture/2", *(capture[name] for name in CAPTURE_LINES))


def identity_digest(salt: str, person_name: str | None, work_email: str | None) -> str:
    """`svc.identity/1`; null is an empty line."""
    return sha256_lines("svc.identity/1", salt, person_name or "", work_email or "")


def check_identity(identity: Any, commitment: Any, place: str) -> None:
    """Check that salt, name and address are those that a row commits to. Raises Refused."""
    salt, name, address = members_of(identity, place, "salt", "person_name", "work_email")
    is_text(salt, SALT, f"{place}.salt")
    for member, value in (("person_name", name), ("work_email", address)):
        if value is not None and (not isinstance(value, str) or value == ""):
            raise Refused(f"{place}.{member}", "is neither null nor a text")
    if address is not None and "\n" in address:
        raise Refused(f"{place}.work_email", "has more than a line")
    try:
        found = identity_digest(salt, name, address)
    except UnicodeEncodeError:
        raise Refused(place, "is not Unicode") from None
    if found != commitment:
        raise Refused(place, "is not what the row commits to")


def check_in_log(chain_hash: str, log: Any, trust: Trust, place: str) -> Head:
    """Check that the capture is the entry of the log at the place of the path. Raises Refused."""
    size, index, path, note = members_of(log, place, "size", "index", "path", "checkpoint")
    is_count(size, f"{place}.size", 1)
    is_count(index, f"{place}.index")
    if not isinstance(note, str):
        raise Refused(f"{place}.checkpoint", "is no text")
    head = check_checkpoint(note, trust, f"{place}.checkpoint")
    if head.size != size:
        raise Refused(f"{place}.size", "is not the checkpoint's")
    lead_to(head.root, leaf_of(bytes.fromhex(chain_hash)), index, size, path_of(path, f"{place}.path"), place)
    return head


def lead_to(root: bytes, leaf: bytes, index: int, size: int, path: list[bytes], place: str) -> None:
    """Check that a path leads from the leaf to the root. Raises Refused."""
    try:
        found = root_by_path(leaf, index, size, path)
    except ValueError as fault:
        raise Refused(f"{place}.path", str(fault)) from None
    if found != root:
        raise Refused(f"{place}.path", "does not lead to the root")


def check_proof(content: bytes, trust: Trust) -> dict[str, Any]:
    """Check a proof of one row and return the row. Raises Refused."""
    proof = read_json(content, "proof")
    names = ["format", "row", "tree", "capture", "log"]
    if isinstance(proof, dict) and "identity" in proof:
        names.append("identity")
    form, row, tree, capture, log, *identity = members_of(proof, "proof", *names)
    if form != "svc.proof/1":
        raise Refused("format", "is not svc.proof/1")
    members_of(row, "row", *ROW_LINES, "content")
    if not isinstance(row["content"], str) or not row["content"]:
        raise Refused("row.content", "is no text")
    try:
        stored = row["content"].encode()
    except UnicodeEncodeError:
        raise Refused("row.content", "is not Unicode") from None
    digest = row_digest(row["organization_id"], row, hashlib.sha256(stored).hexdigest())
    members_of(capture, "capture", *CAPTURE_LINES, "chain_hash")
    if is_text(capture["chain_hash"], DIGEST, "capture.chain_hash") != capture_digest(capture):
        raise Refused("capture.chain_hash", "is not that of the lines")
    if capture["organization_id"] != row["organization_id"]:
        raise Refused("capture.organization_id", "is not the row's")
    size, index, path = members_of(tree, "tree", "size", "index", "path")
    is_count(size, "tree.size", 1)
    if str(size) != capture["tree_size"]:
        raise Refused("tree.size", "is not the capture's")
    if is_count(index, "tree.index") != row["sequence"] - 1:
        raise Refused("tree.index", "is not that of the row's sequence")
    leaf = leaf_of(bytes.fromhex(digest))
    lead_to(bytes.fromhex(capture["tree_root"]), leaf, index, size, path_of(path, "tree.path"), "tree")
    check_in_log(capture["chain_hash"], log, trust, "log")
    if identity:
        stored_members = read_json(stored.split(b"\n", 1)[0], "row.content")
        commitment = stored_members.get("identity_sha256") if isinstance(stored_members, dict) else None
        check_identity(identity[0], commitment, "identity")
    return dict(row)


def check_proofs(contents: Sequence[bytes], trust: Trust) -> None:
    """Check proofs that are given together: two checkpoints of one size must state one root. Raises Refused."""
    roots: dict[int, bytes] = {}
    for content in contents:
        check_proof(content, trust)
        head = check_checkpoint(read_json(content, "proof")["log"]["checkpoint"], trust)
        if roots.setdefault(head.size, head.root) != head.root:
            raise Refused("log.checkpoint", f"states another root for {head.size} entries than another file: a fork")
