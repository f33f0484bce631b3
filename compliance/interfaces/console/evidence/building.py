"""Builds an evidence pack: what an auditor checks with nothing but Python.

The pack is written file by file into a folder beside nothing of ours and then packed, so memory stays the same for a
company of any size.
"""

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import orjson

import compliance.proofs
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.people import queries
from compliance.history.queries import records_by_register
from compliance.interfaces.api import snapshots
from compliance.interfaces.console.evidence import chain, contents, packing, readme, summary
from compliance.interfaces.console.evidence.errors import CannotBuildError, OutlivedError
from compliance.interfaces.console.evidence.subject import Subject
from compliance.interfaces.console.evidence.tally import Tally
from compliance.tenancy import context

Progress = Callable[[int, int], None]


class Built(NamedTuple):
    """A pack: how large the file is, its digest, the digest of its SHA256SUMS, the rows and the completeness."""

    size: int
    sha256: str
    list_sha256: str
    registers: dict[str, int]
    completeness: dict[str, int]


def build(subject: Subject, output: Path, progress: Progress | None = None, *, erasures: int | None = None) -> Built:
    """Writes the pack of `subject` to `output`. Raises EvidenceError and CheckpointFileError.

    `erasures` is how many the company had made when the pack was begun, by default now. After another one, looked for
    at each page and at the end, nothing is left of the pack: OutlivedError.
    """
    known = _erasures(subject) if erasures is None else erasures
    with tempfile.TemporaryDirectory(prefix="evidence-", dir=output.parent) as name:
        folder, packed = Path(name, "files"), Path(name, "pack.zip")
        folder.mkdir()
        list_sha256, registers, completeness = _write(subject, folder, progress or (lambda done, total: None), known)
        packing.write_zip(folder, packed)
        with packed.open("rb") as content:
            sha256 = hashlib.file_digest(content, "sha256").hexdigest()
        built = Built(packed.stat().st_size, sha256, list_sha256, registers, completeness)
        refuse_outlived(subject, known)
        try:
            packed.replace(output)
        except OSError as error:
            raise CannotBuildError(f"{output} cannot be written: {error.strerror}.") from error
    return built


def refuse_outlived(subject: Subject, erasures: int) -> None:
    """Raises OutlivedError when the company has made more erasures than that."""
    if _erasures(subject) != erasures:
        raise OutlivedError("A person was erased while the pack was built. Nothing of it was kept: ask for it again.")


def _erasures(subject: Subject) -> int:
    with context.company(subject.organization_id):
        return queries.erasures(subject.organization_id)


def _write(subject: Subject, folder: Path, tell: Progress, erasures: int) -> tuple[str, dict[str, int], dict[str, int]]:
    """Writes the files of the pack into `folder`: the digest of their list, the rows and the completeness."""
    expected, done = _expected(subject), 0

    def count(rows: int) -> None:
        nonlocal done
        done += rows
        refuse_outlived(subject, erasures)
        tell(min(done, expected), expected)

    tally = Tally()
    registers = contents.write_registers(subject, folder, tally, count)
    completeness = tally.completeness()
    chain.write_captures(subject, folder)
    stated = chain.write_checkpoint(subject, folder)
    snapshot = snapshots.of(subject.question(), True)
    _write_json(folder / "snapshot.json", {"snapshot": snapshot})
    _write_json(folder / "pack.json", _pack(subject, registers, completeness))
    (folder / "summary.pdf").write_bytes(summary.summary_pdf(subject, tally, registers, completeness))
    (folder / "README.txt").write_text(readme.text(subject, registers, stated), encoding="utf-8", newline="")
    _copy_verifier(folder)
    return packing.write_list(folder), registers, completeness


def _expected(subject: Subject) -> int:
    """About how many rows will come: each record once, training records twice."""
    with context.company(subject.organization_id):
        records = records_by_register(subject.organization_id, subject.pin.sequence)
    return sum(records.values()) + records.get(TRAINING_RECORDS.number, 0)


def _pack(subject: Subject, registers: dict[str, int], completeness: dict[str, int]) -> dict[str, Any]:
    return {
        "format": "svc.evidence/1",
        "company": subject.organization.name,
        "organization_id": str(subject.organization_id),
        "time_zone": subject.organization.time_zone,
        "period": {"from": subject.first_day.isoformat(), "to": subject.last_day.isoformat()},
        "registers": registers,
        "completeness": completeness,
    }


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _copy_verifier(folder: Path) -> None:
    """The verifier as a folder, and `verify.py` that runs it; all but the module that signs, which needs more."""
    source = Path(compliance.proofs.__file__).parent
    (folder / "verifier").mkdir()
    for path in sorted(source.glob("*.py")):
        if path.name != "note_keys.py":
            (folder / "verifier" / path.name).write_bytes(path.read_bytes())
    (folder / "verify.py").write_bytes(Path(__file__).with_name("verify.py").read_bytes())
