"""Changes packs at random, for `mutations`: as anybody can change them, and as the holder of the key can.

- *pack*: a file of the pack with other bytes, other lines or another name, or a missing file. The signed list of files
  reveals it.
- *sealed pack*: the same, but the list of files is made and signed again, as an operator could.
- *forged row*: a changed field, row or order of rows in both a register's JSON Lines and its CSV, signed again.
- *ZIP*: bytes of the archive itself. A verifier that accepts it must have read the genuine files of the pack.

Equivalent, and so accepted by both: JSON and CSV in another spelling with the same values, and files that only the list
of files covers (`FREE_FILES`), signed again. What docs/evidence-pack.md calls not provable (`UNPROVABLE`) and what the
product alone recomputes (`LEFT_TO_THE_PRODUCT`, `BY_THE_CLOCK`), the second verifier may accept where the product
refuses.
"""

import csv
import io
import json
import random
from functools import cache
from typing import Any

from compliance.proofs.errors import ProofError
from compliance.proofs.findings import Report
from compliance.proofs.log_trust import log_trust
from compliance.proofs.pack import verify_pack
from tests.proofs import second_story
from tests.proofs.changes import change_bytes, change_document, dumped
from tests.proofs.second_log import Refused
from tests.proofs.second_pack import cell, check_pack, read_zip
from tests.proofs.second_registers import BY_THE_CLOCK, FILES, UNPROVABLE
from tests.vectors.log.pack import PACK, seal, zipped

PRODUCT_TRUST = log_trust(second_story.TRUST.log_key, second_story.TRUST.witness_keys, second_story.TRUST.witnesses)
FREE_FILES = {"README.txt", "summary.pdf", "verify.py", "log-key.txt"}
LEFT_TO_THE_PRODUCT = {
    f"pack.json {member}" for member in ("company", "time_zone", "period", "snapshot", "completeness")
} | {f"{name} {field}" for name, register in FILES.items() for field in BY_THE_CLOCK.get(register, ())}
KINDS = ("bytes", "bytes", "bytes", "document", "document", "lines", "gone", "renamed", "added", "exchanged")
Outcome = tuple[str, bool | None, str | None, str | None]
"""The change; whether it is equivalent (None: the second verifier may accept it); what each verifier names."""


@cache
def files() -> dict[str, bytes]:
    """The genuine pack."""
    return read_zip(PACK.read_bytes())


def product_on_pack(content: bytes) -> str | None:
    """The fault that the product's verifier names in a pack; None when it accepts the pack."""
    report = Report()
    try:
        verify_pack(io.BytesIO(content), "pack.zip", PRODUCT_TRUST, report)
    except ProofError as fault:
        return str(fault)
    return "; ".join(map(str, report.faults)) if report.faults else None


def second_on_pack(content: bytes) -> str | None:
    """The fault that the second verifier names in a pack; None when it accepts the pack."""
    try:
        check_pack(content, second_story.TRUST)
    except Refused as fault:
        return str(fault)
    return None


def _outcome(change: str, changed: dict[str, bytes], equivalent: bool | None) -> Outcome:
    content = zipped(changed)
    return change, equivalent, product_on_pack(content), second_on_pack(content)


def change_pack(chance: random.Random) -> Outcome | None:
    """Changes a byte, a line, a name or the number of files, and leaves the list of files as it was."""
    change, changed = _file_changed(chance)
    return None if changed == files() else _outcome(change, changed, False)


def change_sealed_pack(chance: random.Random) -> Outcome | None:
    """The same change, with the list of files signed again."""
    change, changed = _file_changed(chance)
    try:
        sealed = seal(changed)
    except (KeyError, ValueError, TypeError, AttributeError):
        return None
    return None if sealed == files() else _outcome(f"{change}, sealed", sealed, _equivalent(sealed))


def _file_changed(chance: random.Random) -> tuple[str, dict[str, bytes]]:
    changed = dict(files())
    name = chance.choice([each for each in sorted(changed) if changed[each]])
    kind = chance.choice(KINDS)
    if kind == "bytes":
        kind, changed[name] = change_bytes(chance, changed[name])
    elif kind == "document":
        if not name.endswith(("json", "jsonl")):
            return "nothing", changed
        lines = changed[name].split(b"\n")
        at = chance.randrange(len(lines) - 1) if name.endswith("jsonl") else 0
        line = lines[at] if name.endswith("jsonl") else changed[name]
        others = [json.loads(each) for each in lines[:-1]] if name.endswith("jsonl") else [json.loads(line)]
        kind, line = change_document(chance, json.loads(line), others)
        changed[name] = b"\n".join([*lines[:at], line, *lines[at + 1 :]]) if name.endswith("jsonl") else line
    elif kind == "lines":
        lines = changed[name].splitlines(keepends=True)
        at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        kind, lines = chance.choice(
            (
                ("a line gone", [*lines[:at], *lines[at + 1 :]]),
                ("a line twice", [*lines[:at], lines[at], *lines[at:]]),
                ("lines exchanged", _exchanged(lines, at, other)),
                ("lines shuffled", chance.sample(lines, len(lines))),
            )
        )  # fmt: skip
        changed[name] = b"".join(lines)
    elif kind == "gone":
        del changed[name]
    elif kind == "renamed":
        changed[chance.choice((name.upper(), f"./{name}", f"{name}~", f"x/{name}"))] = changed.pop(name)
    elif kind == "added":
        changed[chance.choice(("extra.txt", "policies/extra.html", "history/extra.jsonl"))] = changed[name]
    else:
        other_name = chance.choice(sorted(changed))
        changed[name], changed[other_name] = changed[other_name], changed[name]
    return f"{kind} of {name}", changed


def _exchanged(lines: list[bytes], one: int, other: int) -> list[bytes]:
    changed = [*lines]
    changed[one], changed[other] = lines[other], lines[one]
    return changed


def _equivalent(changed: dict[str, bytes]) -> bool | None:
    """Whether a sealed pack has the content of the genuine one, apart from what is not provable."""
    if set(changed) != set(files()):
        return False
    left = False
    for name in set(changed) - FREE_FILES - {"SHA256SUMS", "manifest.txt"}:
        if changed[name] == files()[name]:
            continue
        before, after = _values(name, files()[name]), _values(name, changed[name])
        if after is None or before is None:
            return False
        if name == "pack.json" and isinstance(after, dict) and set(before) <= set(after):
            left = True  # members that the format does not name have no meaning
            different = {f"pack.json {member}" for member in before if not _within(before[member], after[member])}
            if not different <= LEFT_TO_THE_PRODUCT:
                return False
            left = left or bool(different)
        elif _same(before) != _same(after):
            if not _unproved(name, before, after):
                return False
            left = True
    return None if left else True


def _unproved(name: str, before: Any, after: Any) -> bool:
    """Whether a register differs only in what is not proved, and so that its CSV has the same cells (null, "")."""
    register = FILES.get(name.removeprefix("registers/").removesuffix(".jsonl"))
    if register is None or len(before) != len(after):
        return False
    passed = UNPROVABLE[register] | BY_THE_CLOCK.get(register, set())
    return all(
        isinstance(new, dict)
        and set(new) == set(old)
        and {field for field in old if _same(old[field]) != _same(new[field])} <= passed
        and all(cell(old[field]) == cell(new[field]) for field in old)
        for old, new in zip(before, after, strict=True)
    )


def _within(before: Any, after: Any) -> bool:
    """Whether a value is the same, apart from members that the format does not name."""
    if isinstance(before, dict) and isinstance(after, dict):
        return set(before) <= set(after) and all(_within(before[name], after[name]) for name in before)
    return _same(before) == _same(after)


def _values(name: str, content: bytes) -> Any:
    """The values of a JSON or CSV file; None for a malformed one, and for any other file."""
    try:
        text = content.decode()
        if name.endswith(".csv"):
            return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))
        if name.endswith(".jsonl"):
            if text and not text.endswith("\n"):
                return None
            return [_strict(line) for line in text.split("\n")[:-1]]
        return _strict(text) if name.endswith(".json") else None
    except (ValueError, csv.Error, RecursionError):
        return None


def _strict(text: str) -> Any:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError(text)
        return dict(pairs)

    return json.loads(text, object_pairs_hook=members)


def _same(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def forge_row(chance: random.Random) -> Outcome | None:
    """Changes the content of a register, in both of its files and in the counts, and signs the list of files again."""
    name = chance.choice(sorted(FILES))
    rows = [json.loads(line) for line in files()[f"registers/{name}.jsonl"].splitlines()]
    before = _same(rows)
    at = chance.randrange(len(rows))
    kind = chance.choice(("field", "field", "field", "field", "gone", "twice", "exchanged"))
    changed_fields: set[str] = set()
    if kind == "field":
        field = chance.choice(sorted(rows[at]))
        other = chance.choice(rows)[field]
        value = rows[at][field]
        near: list[Any] = (
            [not value] if isinstance(value, bool) else [value + 1, value - 1] if isinstance(value, int) else []
        )
        near += [f"{value}x", value[:-1], value.replace("2026", "2025")] if isinstance(value, str) else []
        rows[at][field] = chance.choice([other, None, "", *near])
        changed_fields = {field}
    elif kind == "gone":
        del rows[at]
    elif kind == "twice":
        rows.insert(at, rows[at])
    else:
        other_at = chance.randrange(len(rows))
        rows[at], rows[other_at] = rows[other_at], rows[at]
    if _same(rows) == before:
        return None
    return _forged(name, rows, f"{kind} {', '.join(changed_fields)} in {name}", changed_fields)


def _forged(name: str, rows: list[dict[str, Any]], change: str, fields: set[str]) -> Outcome:
    about = json.loads(files()["pack.json"])
    about["registers"][name] = len(rows)
    content = {
        **files(),
        "pack.json": json.dumps(about).encode(),
        f"registers/{name}.jsonl": "".join(f"{dumped(row)}\n" for row in rows).encode(),
        f"registers/{name}.csv": _table(name, rows),
    }
    passed = UNPROVABLE[FILES[name]] | BY_THE_CLOCK.get(FILES[name], set())
    return _outcome(change, seal(content), None if fields and fields <= passed else False)


def _table(name: str, rows: list[dict[str, Any]]) -> bytes:
    genuine = list(csv.reader(io.StringIO(files()[f"registers/{name}.csv"].decode("utf-8-sig"), newline="")))
    names = genuine[0]
    text = io.StringIO(newline="")
    mark = "\ufeff" if files()[f"registers/{name}.csv"].startswith(b"\xef\xbb\xbf") else ""
    writer = csv.writer(text)
    writer.writerow(names)
    for row in rows:
        written = {**row, "html_file": f"policies/{row.get('course_release_id')}.html"}
        writer.writerow([cell(written.get(each)) for each in names])
    return (mark + text.getvalue()).encode()


def change_zip(chance: random.Random) -> Outcome | None:
    """Changes bytes of the archive: a verifier that accepts it has read the genuine files, or what no list covers."""
    change, content = change_bytes(chance, PACK.read_bytes())
    try:
        same = read_zip(content) == files()
    except Refused:
        same = False
    product, second = product_on_pack(content), second_on_pack(content)
    return f"ZIP: {change}", None if same else False, product, second
