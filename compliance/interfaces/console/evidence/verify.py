"""Verify this evidence pack: `python -I -S verify.py`, with Python 3.11 or newer and nothing else.

Checks that the folder holds exactly the files of SHA256SUMS and each to the byte; every digest of the policy versions
and receipts and the chain of receipts; that the policy files are those that people read; the chain of captures up to
the one that every register is pinned to, and the checkpoint; that the registers hold as many rows as they say; and
counts anew that people are owing, excused and none owed together.

Another folder may be named: `python -I -S verify.py FOLDER`. A verifier that came with the evidence could itself be
forged: to be sure, run one that you have from elsewhere, or compare SHA256SUMS with the digest you were told.

Exit status 0 and "No fault found." when all of it holds; otherwise each fault, and status 1.
"""

import sys

sys.dont_write_bytecode = True

import hashlib  # noqa: E402
import json  # noqa: E402
import re  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from importlib import import_module  # noqa: E402
from importlib.util import module_from_spec, spec_from_file_location  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

LIST = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  ([!-~]+)")
Row = dict[str, Any]


def main(arguments: list[str]) -> str | None:
    """What is wrong, None when nothing is."""
    folder = Path(arguments[0] if arguments else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    faults = file_faults(folder)
    if not faults:
        # Nothing of the pack is run or read any further before every file is known to be what was packed.
        try:
            faults = content_faults(folder)
        except (KeyError, TypeError, ValueError, OSError) as fault:
            faults = [f"The pack cannot be read: {fault!r}"]
    return "\n".join(f"FAULT  {fault}" for fault in faults) or None


def file_faults(folder: Path) -> list[str]:
    """Files that are missing, too many or changed."""
    try:
        text = (folder / LIST).read_bytes().decode("ascii")
    except (OSError, ValueError) as fault:
        return [f"{LIST} cannot be read: {fault}"]
    listed: dict[str, str] = {}
    for number, line in enumerate(text.split("\n")[:-1], 1):
        match = _LINE.fullmatch(line)
        if match is None or match[2] in listed:
            return [f"{LIST} line {number} is malformed."]
        listed[match[2]] = match[1]
    if not text.endswith("\n") or list(listed) != sorted(listed):
        return [f"{LIST} is malformed."]
    faults = []
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    for name in sorted(present - set(listed) - {LIST}):
        faults.append(f"{name!r} is not part of the pack.")
    for name, digest in listed.items():
        if name not in present:
            faults.append(f"{name} is missing.")
        elif _digest(folder / name) != digest:
            faults.append(f"{name} is not the file that was packed.")
    if not faults:
        print(f"holds  {len(listed)} files are those that were packed.")
    return faults


def content_faults(folder: Path) -> list[str]:
    """What does not hold within the files."""
    verifier = _load(folder / "verifier")
    pack = json.loads((folder / "pack.json").read_bytes())
    snapshot = json.loads((folder / "snapshot.json").read_bytes())["snapshot"]
    return [
        *_page_faults(folder, verifier, pack, snapshot),
        *_policy_faults(folder),
        *_chain_faults(folder, verifier, snapshot),
        *_row_faults(folder, pack, snapshot),
        *_completeness_faults(folder, pack),
    ]


def _page_faults(folder: Path, verifier: str, pack: Row, snapshot: Row) -> Iterator[str]:
    pages = import_module(f"{verifier}.pages")
    given = [
        pages.parse_page(path.relative_to(folder).as_posix(), path.read_bytes())
        for register in ("policies", "acknowledgements")
        for path in sorted((folder / "pages").glob(f"{register}-*.json"))
    ]
    report = import_module(f"{verifier}.verifier").verify(given)
    for sentence in report.holding:
        print(f"holds  {sentence}")
    for page in given:
        if page.envelope.get("snapshot") != snapshot:
            yield f"{page.name} is from another snapshot."
        register = page.name.split("/")[-1].rpartition("-")[0]
        if page.envelope.get("total") != pack["registers"][register]:
            yield f"{page.name} states another total than the pack."
    yield from map(str, report.faults)
    for register in ("policies", "acknowledgements"):
        rows = (row.fields for page in given if f"/{register}-" in page.name for row in page.rows)
        kept = _rows(folder, register)
        if any(dict(row) != next(kept, None) for row in rows) or next(kept, None) is not None:
            yield f"registers/{register}.jsonl differs from the pages."


def _policy_faults(folder: Path) -> Iterator[str]:
    count = 0
    for row in _rows(folder, "policies"):
        count += 1
        name = f"policies/{row['course_release_id']}.html"
        if not (folder / name).is_file() or _digest(folder / name) != row["document_sha256"]:
            yield f"{name} is not the file that people read."
    files = len(list((folder / "policies").glob("*.html")))
    if files != count:
        yield f"There are {files} policy files but {count} policy versions."
    elif count:
        print(f"holds  {count} policy files are those that people read and signed.")


def _chain_faults(folder: Path, verifier: str, snapshot: Row) -> Iterator[str]:
    history = import_module(f"{verifier}.history")
    previous, number, last_sequence, stated = "0" * 64, 0, 0, _checkpoint(folder, verifier)
    seen = False
    with (folder / "history" / "captures.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            capture = json.loads(line)
            number += 1
            first, last = capture["first_sequence"], capture["last_sequence"]
            stated_of_it = {
                "organization_id": snapshot["organization_id"],
                "capture_sequence": capture["capture_sequence"],
                "captured_at": capture["captured_at"],
                "first_sequence": first,
                "last_sequence": last,
                "previous_chain_hash": previous,
            }
            if capture["tree_root"] is None:
                chain_hash = history.capture_digest(rows_sha256=capture["rows_sha256"], **stated_of_it)
            else:
                chain_hash = history.tree_capture_digest(
                    history.tree_capture_lines(
                        tree_size=last_sequence if last is None else last,
                        tree_root=capture["tree_root"],
                        ledger_head=capture["ledger_head"],
                        **stated_of_it,
                    )
                )
            if capture["capture_sequence"] != number or (first is not None and first != last_sequence + 1):
                yield f"A capture is missing before capture {capture['capture_sequence']}."
            if chain_hash != capture["chain_hash"]:
                yield f"The chain hash of capture {capture['capture_sequence']} does not hold."
            if stated is not None and stated.capture_sequence == number:
                seen = stated.chain_hash == chain_hash
            previous, last_sequence = chain_hash, last_sequence if last is None else last
    if (previous, number, last_sequence) != (
        snapshot["chain_hash"],
        snapshot["capture_sequence"],
        snapshot["sequence"],
    ):
        yield "The chain of captures does not end where the registers are pinned."
    if stated is not None and (not seen or str(stated.organization_id) != snapshot["organization_id"]):
        yield "The checkpoint states another history than this one."
    print(f"holds  {number} captures are one chain" + (", and the checkpoint is of it." if seen else "."))


def _checkpoint(folder: Path, verifier: str) -> Any:
    """What the checkpoint states, None without one. Its signature needs Ed25519, which Python alone does not have."""
    path = folder / "checkpoint.txt"
    if not path.is_file():
        return None
    note = path.read_bytes().decode("utf-8")
    return import_module(f"{verifier}.checkpoints").parse_checkpoint(note.partition("\n\n")[0] + "\n")


def _row_faults(folder: Path, pack: Row, snapshot: Row) -> Iterator[str]:
    """Each register holds its rows, all of them of this company and known by the pinned capture."""
    for register, count in pack["registers"].items():
        rows = 0
        for row in _rows(folder, register):
            rows += 1
            if row.get("organization_id", snapshot["organization_id"]) != snapshot["organization_id"]:
                yield f"registers/{register}.jsonl row {rows} is of another company."
            if row.get("sequence", 0) > snapshot["sequence"]:
                yield f"registers/{register}.jsonl row {rows} is newer than the snapshot."
        if rows != count:
            yield f"registers/{register}.jsonl has {rows} rows, not {count}."
        table = (folder / "registers" / f"{register}.csv").read_bytes()
        if not table.startswith(b"\xef\xbb\xbf"):
            yield f"registers/{register}.csv is not the table that was packed."
    print(f"holds  {len(pack['registers'])} registers have the rows that they say.")


def _completeness_faults(folder: Path, pack: Row) -> Iterator[str]:
    """People are owing, excused and none owed together: counted anew from the rows."""
    employees = {row["learner_profile_id"] for row in _rows(folder, "people") if row["entry_type"] == "employee"}
    owing: set[str] = set()
    excused: set[str] = set()
    for row in _rows(folder, "training-records-period"):
        if row["requirement"] != "optional":
            whose = excused if row["outcome"] in ("excused", "waived") else owing
            whose.add(row["learner_profile_id"])
    counted = {
        "people": len(employees),
        "owing": len(owing),
        "excused": len(excused - owing),
        "none_owed": len(employees - owing - excused),
    }
    if counted != pack["completeness"] or (owing | excused) - employees:
        yield f"Counted anew, completeness is {counted}, and the pack states {pack['completeness']}."
    else:
        said = "{people} people = {owing} owing + {excused} excused + {none_owed} none owed".format(**counted)
        print(f"holds  {said}.")


def _rows(folder: Path, register: str) -> Iterator[Row]:
    with (folder / "registers" / f"{register}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _digest(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _load(folder: Path) -> str:
    """Loads the verifier that lies in `folder`; the name it is importable by."""
    name = "verifier_of_the_pack"
    spec = spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    if spec is None or spec.loader is None:
        raise ValueError("The folder `verifier` is not there.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return name


if __name__ == "__main__":
    wrong = main(sys.argv[1:])
    print(wrong or "No fault found.")
    # What is wrong goes to sys.exit as it is: text there is status 1.
    sys.exit(wrong and "The evidence does not hold.")
