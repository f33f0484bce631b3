"""The format of a proof of one row version, `svc.proof/1`: its content, writing it, and reading it strictly.

A proof is one JSON object. `row` is the version with the hashed text, `tree` its place in the company's tree, `capture`
the lines of the `svc.capture/2` with that tree's root, `log` the place of the capture in the deployment's log and the
log's signed checkpoint; `identity`, if given, opens the commitment in the text.

Reading checks the form only; `row_verifier` checks what the proof proves.
"""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from .errors import NotAPage
from .findings import Check, Report
from .forms import DIGEST_FORM, INSTANT_FORM, TEXT_FORM, UUID_FORM, Form, one_of
from .merkle import HASH_BYTES
from .pages import JsonObject, parse_json, printable

PROOF_FORMAT = "svc.proof/1"
MOST_PATH = 64
_MOST_NUMBER = (1 << 63) - 1
_DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}")
_REGISTER = re.compile(r"[a-z]+(?:-[a-z]+)*")
_SALT = re.compile(r"[0-9a-f]{32}")
_HASH = re.compile(r"[A-Za-z0-9+/]{43}=")


class ProvedRow(NamedTuple):
    """The row version, with what its digest `svc.row/1` covers; `content` is the hashed text."""

    organization_id: str
    sequence: int
    register: str
    record_id: str
    valid_from: str
    recorded_at: str
    cause: str
    logic_version: int
    content: str


@dataclass(frozen=True, slots=True)
class TreePlace:
    """The place of a leaf in a tree of `size` leaves, and its path to the root: 32 bytes each, its sibling first."""

    size: int
    index: int
    path: tuple[bytes, ...]


class Identity(NamedTuple):
    """The values that open the row's `identity_sha256`; None is hashed as an empty line."""

    salt: str
    person_name: str | None
    work_email: str | None


class RowProof(NamedTuple):
    """A proof whose every member has the right form. `capture` are the lines of `svc.capture/2` by name, in order."""

    name: str
    row: ProvedRow
    tree: TreePlace
    capture: dict[str, str]
    chain_hash: str
    log: TreePlace
    checkpoint: str
    identity: Identity | None


def row_proof_text(
    row: ProvedRow,
    tree: TreePlace,
    capture: Mapping[str, str],
    chain_hash: str,
    log: TreePlace,
    checkpoint: str,
    identity: Identity | None = None,
) -> str:
    """Return the proof as JSON, compact, its members in the order of the format. `capture` without `chain_hash`."""
    proof: dict[str, Any] = {
        "format": PROOF_FORMAT,
        "row": row._asdict(),
        "tree": _place(tree),
        "capture": {**capture, "chain_hash": chain_hash},
        "log": {**_place(log), "checkpoint": checkpoint},
    }
    if identity is not None:
        proof["identity"] = identity._asdict()
    return json.dumps(proof, ensure_ascii=False, separators=(",", ":"))


def is_row_proof(document: object) -> bool:
    """Tell whether a JSON document is meant as a proof of a row, of whatever version."""
    found = document.get("format") if isinstance(document, dict) else None
    return isinstance(found, str) and found.startswith("svc.proof/")


def parse_row_proof(name: str, content: bytes, report: Report) -> RowProof | None:
    """Return the proof in the file called `name`, or report the faults of its form and return None.

    Raises NotAPage for what is not JSON or not a proof.
    """
    document = parse_json(name, content)
    if not is_row_proof(document):
        raise NotAPage(f"{name} is JSON, but not a proof: it has no `format` of one.")
    return row_proof_of(name, cast("JsonObject", document), report)


def row_proof_of(name: str, document: JsonObject, report: Report) -> RowProof | None:
    """Return the proof in a JSON document for which `is_row_proof` is true, or report the faults of its form."""
    if document["format"] != PROOF_FORMAT:
        sentence = f"The format is {printable(document['format'])}, and only {PROOF_FORMAT} is known."
        report.fault(Check.FORM, name, ("format",), sentence)
        return None
    before = len(report.faults)
    allowed = {"format", *MEMBERS} - (set() if "identity" in document else {"identity"})
    _check_members(name, "", document, allowed, report)
    parts = {part: _part(name, part, document[part], report) for part in MEMBERS if part in document}
    if len(report.faults) > before:
        return None
    row, tree, capture, log = (parts[part] for part in ("row", "tree", "capture", "log"))
    identity = parts.get("identity")
    return RowProof(
        name,
        ProvedRow(**{member: row[member] for member in ProvedRow._fields}),
        _read_place(tree),
        {line: capture[line] for line in MEMBERS["capture"] if line != "chain_hash"},
        capture["chain_hash"],
        _read_place(log),
        log["checkpoint"],
        None if identity is None else Identity(**identity),
    )


def _place(place: TreePlace) -> dict[str, object]:
    path = [base64.b64encode(each).decode() for each in place.path]
    return {"size": place.size, "index": place.index, "path": path}


def _read_place(part: Mapping[str, Any]) -> TreePlace:
    return TreePlace(part["size"], part["index"], tuple(map(base64.b64decode, part["path"])))


def _part(name: str, part: str, value: object, report: Report) -> dict[str, Any]:
    """One member of the proof as a plain dictionary; reports every fault of its form."""
    if not isinstance(value, JsonObject):
        report.fault(Check.FORM, name, (part,), f"{part} is no JSON object.")
        return {}
    forms = MEMBERS[part]
    _check_members(name, f"{part}.", value, forms, report)
    for member, form in forms.items():
        if member not in value:
            continue
        if member == "path":
            _check_path(name, part, value[member], report)
        elif not form.holds(value[member]):
            sentence = f"{part}.{member} is {_quoted(value[member])}, not {form.words}."
            report.fault(Check.FORM, name, (f"{part}.{member}",), sentence)
    return dict(value)


def _check_members(name: str, prefix: str, found: JsonObject, allowed: Mapping[str, Form] | set[str],
                   report: Report) -> None:  # fmt: skip
    """Report members that are missing, doubled or unknown: nothing would prove the content of an unknown one."""
    for member in sorted(set(allowed) - set(found)):
        report.fault(Check.FORM, name, (f"{prefix}{member}",), f"{prefix}{member} is missing.")
    for member in found.repeated:
        place = printable(f"{prefix}{member}")
        report.fault(Check.FORM, name, (place,), f"{place} is given more than once.")
    for member in sorted(set(found) - set(allowed)):
        place = printable(f"{prefix}{member}")
        report.fault(Check.FORM, name, (place,), f"{place} is no member of {PROOF_FORMAT}, so nothing proves it.")


def _check_path(name: str, part: str, value: object, report: Report) -> None:
    if not isinstance(value, list) or len(value) > MOST_PATH:
        report.fault(Check.FORM, name, (f"{part}.path",), f"{part}.path is no array of at most {MOST_PATH} hashes.")
        return
    for at, each in enumerate(cast("Sequence[object]", value)):
        if not _is_hash(each):
            place = f"{part}.path[{at}]"
            sentence = f"{place} is {_quoted(each)}, not the base64 of {HASH_BYTES} bytes."
            report.fault(Check.FORM, name, (place,), sentence)


def _quoted(value: object) -> str:
    """A value for a sentence; for an object or a list only the kind, however deeply it is nested."""
    if isinstance(value, dict | list):
        return "a JSON object" if isinstance(value, dict) else "a JSON array"
    return repr(printable(value)) if isinstance(value, str) else printable(value)


def _is_hash(value: object) -> bool:
    """Whether a value is the canonical base64 of 32 bytes: the last digit before the padding has four spellings."""
    if not isinstance(value, str) or _HASH.fullmatch(value) is None:
        return False
    return base64.b64encode(base64.b64decode(value)).decode() == value


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_NUMBER


def _matches(pattern: re.Pattern[str], words: str) -> Form:
    return Form(words, lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None)


def _is_present(value: object) -> bool:
    return value != "" and TEXT_FORM.holds(value)


_NUMBER = Form("a whole number from 0", _is_number)
_LINE_NUMBER = _matches(_DECIMAL, "the decimal digits of a whole number, as text")
_LINE_NUMBER_OR_EMPTY = Form(
    "decimal digits as text, or an empty text", lambda value: value == "" or _LINE_NUMBER.holds(value)
)
_PRESENT_TEXT = Form("text that is not empty", _is_present)
_PLACE = {"size": _NUMBER, "index": _NUMBER, "path": _PRESENT_TEXT}

MEMBERS: dict[str, dict[str, Form]] = {
    "row": {
        "organization_id": UUID_FORM,
        "sequence": _NUMBER,
        "register": _matches(_REGISTER, "the name of a register"),
        "record_id": UUID_FORM,
        "valid_from": INSTANT_FORM,
        "recorded_at": INSTANT_FORM,
        "cause": one_of("first", "change", "sweep"),
        "logic_version": _NUMBER,
        "content": _PRESENT_TEXT,
    },
    "tree": _PLACE,
    "capture": {
        "organization_id": UUID_FORM,
        "capture_sequence": _LINE_NUMBER,
        "captured_at": INSTANT_FORM,
        "first_sequence": _LINE_NUMBER_OR_EMPTY,
        "last_sequence": _LINE_NUMBER_OR_EMPTY,
        "tree_size": _LINE_NUMBER,
        "tree_root": DIGEST_FORM,
        "ledger_head": DIGEST_FORM,
        "previous_chain_hash": DIGEST_FORM,
        "chain_hash": DIGEST_FORM,
    },
    "log": {**_PLACE, "checkpoint": _PRESENT_TEXT},
    "identity": {
        "salt": _matches(_SALT, "32 lower-case hexadecimal digits"),
        "person_name": Form("text that is not empty, or null", lambda value: value is None or _is_present(value)),
        # A line feed here would make the hashed lines ambiguous; in the name it cannot.
        "work_email": Form(
            "one line of text, or null",
            lambda value: value is None or (_is_present(value) and "\n" not in cast("str", value)),
        ),
    },
}
"""The members of each part of a proof with their forms; those of `capture` in the order in which they are hashed."""
