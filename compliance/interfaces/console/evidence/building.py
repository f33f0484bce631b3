"""Builds an evidence pack (issue 8, part 5): what an auditor checks with nothing but Python.

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
from compliance.interfaces.api.views import snapshot_of
from compliance.interfaces.console.evidence import chain, contents, packing, readme, summary
from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.subject import Subject
from compliance.interfaces.console.evidence.tally import Tally
from compliance.tenancy import context, sql

Progress = Callable[[int, int], None]


class Built(NamedTuple):
    """A pack: how large the file is, its digest, the digest of its SHA256SUMS, the rows and the completeness."""

    size: int
    sha256: str
    list_sha256: str
    registers: dict[str, int]
    completeness: dict[str, int]


def build(subject: Subject, output: Path, progress: Progress | None = None) -> Built:
    """Writes the pack of `subject` to `output`. Raises EvidenceError and CheckpointFileError."""
    with tempfile.TemporaryDirectory(prefix="evidence-", dir=output.parent) as name:
        folder = Path(name)
        tell = progress or (lambda done, total: None)
        expected, done = _expected(subject), 0

        def count(rows: int) -> None:
            nonlocal done
            done += rows
            tell(min(done, expected), expected)

        tally = Tally()
        registers = contents.write_registers(subject, folder, tally, count)
        completeness = tally.completeness()
        chain.write_captures(subject, folder)
        stated = chain.write_checkpoint(subject, folder)
        snapshot = snapshot_of(subject.question(), True)
        _write_json(folder / "snapshot.json", {"snapshot": snapshot})
        _write_json(folder / "pack.json", _pack(subject, registers, completeness))
        (folder / "summary.pdf").write_bytes(summary.summary_pdf(subject, tally, registers, completeness))
        (folder / "README.txt").write_text(readme.text(subject, registers, stated), encoding="utf-8", newline="")
        _copy_verifier(folder)
        list_sha256 = packing.write_list(folder)
        try:
            packing.write_zip(folder, output)
        except OSError as error:
            raise CannotBuildError(f"{output} cannot be written: {error.strerror}.") from error
    with output.open("rb") as content:
        sha256 = hashlib.file_digest(content, "sha256").hexdigest()
    return Built(output.stat().st_size, sha256, list_sha256, registers, completeness)


def _expected(subject: Subject) -> int:
    """About how many rows will come: each record once, training records twice."""
    with context.company(subject.organization_id):
        ((records,),) = sql.fetch(
            "SELECT coalesce(sum(CASE WHEN register = 1 THEN 2 ELSE 1 END), 0)::bigint FROM history_historyrecord"
            " WHERE organization_id = %s AND birth <= %s",
            [subject.organization_id, subject.pin.sequence],
        )
    return int(records)


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
