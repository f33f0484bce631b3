"""Builds evidence packs, which an auditor can check with nothing but Python.

The pack is written file by file into a temporary folder and then zipped, so the memory used does not grow with the
company.
"""

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from compliance.catalogue import owed
from compliance.facts.people import queries
from compliance.history.queries import records_by_register
from compliance.history.text import instant
from compliance.interfaces.api import snapshots
from compliance.interfaces.console.evidence import (
    contents,
    history_files,
    identity_files,
    log_files,
    packing,
    readme,
    sampling,
    summary,
)
from compliance.interfaces.console.evidence.errors import CannotBuildError, OutlivedError
from compliance.interfaces.console.evidence.subject import Subject
from compliance.interfaces.console.evidence.tally import Tally
from compliance.proofs.pack_captures import EVIDENCE_CONSTANT
from compliance.proofs.single_file import single_file
from compliance.tenancy import context

Progress = Callable[[int, int], None]


class Built(NamedTuple):
    """A built pack: its size, its digest, the digest of its SHA256SUMS, its rows, its completeness and its sample."""

    size: int
    sha256: str
    list_sha256: str
    registers: dict[str, int]
    completeness: dict[str, int]
    sample: dict[str, Any]


def build(subject: Subject, output: Path, progress: Progress | None = None, *, erasures: int | None = None) -> Built:
    """Writes the pack of `subject` to `output`. Raises EvidenceError.

    `erasures` is how many erasures the company had made when the pack was begun, by default now. It is compared at each
    page and at the end; after another erasure the pack is removed and OutlivedError is raised.
    """
    known = _erasures(subject) if erasures is None else erasures
    with tempfile.TemporaryDirectory(prefix="evidence-", dir=output.parent) as name:
        folder, packed = Path(name, "files"), Path(name, "pack.zip")
        folder.mkdir()
        list_sha256, registers, completeness = _write(subject, folder, progress or (lambda done, total: None), known)
        sample = sampling.draw(folder)
        packing.write_zip(folder, packed)
        with packed.open("rb") as content:
            sha256 = hashlib.file_digest(content, "sha256").hexdigest()
        built = Built(packed.stat().st_size, sha256, list_sha256, registers, completeness, sample)
        refuse_outlived(subject, known)
        packed.chmod(0o600)  # it may hold names, and is for whoever asked for it alone
        try:
            packed.replace(output)
        except OSError as error:
            raise CannotBuildError(f"{output} cannot be written: {error.strerror}.") from error
    return built


def refuse_outlived(subject: Subject, erasures: int) -> None:
    """Raises OutlivedError if the company's number of erasures is no longer `erasures`."""
    if _erasures(subject) != erasures:
        raise OutlivedError("A person was erased while the pack was built. Nothing of it was kept: ask for it again.")


def _erasures(subject: Subject) -> int:
    with context.company(subject.organization_id):
        return queries.erasures(subject.organization_id)


def _write(subject: Subject, folder: Path, tell: Progress, erasures: int) -> tuple[str, dict[str, int], dict[str, int]]:
    """Writes the files of the pack into `folder`. Returns the digest of their list, the rows and the completeness.

    It waits for the signer twice: first until the pin is in the log, at the end for the signed list of files.
    """
    log_files.wait_for_log(subject)
    expected, done = _expected(subject), 0

    def count(rows: int) -> None:
        nonlocal done
        done += rows
        refuse_outlived(subject, erasures)
        tell(min(done, expected), expected)

    tally = Tally()
    registers = contents.write_registers(subject, folder, tally, count)
    completeness = tally.completeness()
    history_files.write_history(subject, folder, count)
    try:
        identity_files.write_identities(subject, folder)
    except CannotBuildError:
        refuse_outlived(subject, erasures)  # an erasure also makes commitments unreadable, and is the better reason
        raise
    log_files.write_log(subject, folder)
    _write_json(folder / "pack.json", _pack(subject, registers, completeness))
    (folder / "summary.pdf").write_bytes(summary.summary_pdf(subject, tally, registers, completeness))
    (folder / "README.txt").write_text(readme.text(subject, registers), encoding="utf-8", newline="")
    (folder / "verify.py").write_text(single_file("verify"), encoding="utf-8", newline="")
    list_sha256 = packing.write_list(folder)
    log_files.write_manifest(subject, folder)
    return list_sha256, registers, completeness


def _expected(subject: Subject) -> int:
    """An estimate of the rows: each record once, training records twice, and every row version."""
    with context.company(subject.organization_id):
        records = records_by_register(subject.organization_id, subject.pin.sequence)
    return sum(records.values()) + records.get(owed("course").number, 0) + subject.pin.sequence


def _pack(subject: Subject, registers: dict[str, int], completeness: dict[str, int]) -> dict[str, Any]:
    question = subject.question()
    pin, company = subject.pin, question.company
    return {
        "format": EVIDENCE_CONSTANT,
        "company": subject.organization.name,
        "organization_id": str(company.organization_id),
        "deployment_id": str(company.deployment_id),
        "learning_space_id": str(company.learning_space_id),
        "time_zone": subject.organization.time_zone,
        "period": {
            "from": subject.first_day.isoformat(),
            "to": subject.last_day.isoformat(),
            "start": instant(subject.start),
            "end": instant(subject.moment),
        },
        "pin": {
            "capture_sequence": pin.capture_sequence,
            "sequence": pin.sequence,
            "chain_hash": pin.chain_hash,
        },
        "snapshot": snapshots.of(question, True),
        "registers": registers,
        "completeness": completeness,
    }


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
