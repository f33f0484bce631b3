"""The history in a pack: every row version up to the pin, and the captures, so that rows can be verified up to the log.

A version is included with its text if it was in force in the period, or is the first to name a course version;
otherwise with its digest. Rows are streamed, so the memory used does not grow with the company.
"""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from compliance.catalogue import REGISTERS, owed
from compliance.history.models import Capture
from compliance.history.of_period import CarriedVersion, versions
from compliance.history.text import instant
from compliance.interfaces.console.evidence.subject import Subject
from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.history import CAPTURE_CONSTANT, TREE_CAPTURE_CONSTANT, tree_capture_lines
from compliance.registers.listings import LISTINGS
from compliance.tenancy import context

Progress = Callable[[int], None]

CAPTURES_A_READ = 5000
_PROGRESS_EVERY = 1000
_SOURCE = re.compile(rb'"course_id":"([0-9a-f-]{36})","course_release_id":(null|"[0-9a-f-]{36}")')


def write_history(subject: Subject, folder: Path, progress: Progress) -> None:
    """Writes `history/` below `folder`. Calls `progress` with the number of row versions."""
    (folder / "history").mkdir()
    for number, register in REGISTERS.items():
        named: set[bytes] | None = set() if register is owed("course") else None
        with (folder / "history" / f"{register.name}.jsonl").open("wb") as lines:
            written = 0
            asked = (subject.organization_id, number, subject.pin.sequence, subject.start, subject.moment)
            for version in versions(*asked, by_publication=LISTINGS[register.page].by_publication):
                lines.write(_line(version, named))
                written += 1
                if written % _PROGRESS_EVERY == 0:
                    progress(_PROGRESS_EVERY)
            progress(written % _PROGRESS_EVERY)
    _write_captures(subject, folder)


def _line(version: CarriedVersion, named: set[bytes] | None) -> bytes:
    line: dict[str, Any] = {
        "sequence": version.sequence,
        "record_id": version.record_id,
        "valid_from": instant(version.valid_from),
        "recorded_at": instant(version.recorded_at),
        "cause": version.cause,
        "logic_version": version.logic_version,
    }
    given = version.in_force
    if named is not None and (source := _source_in(version.content)) is not None and source not in named:
        named.add(source)
        given = True
    if given:
        line["content"] = version.content.decode()
    else:
        line["content_sha256"] = hashlib.sha256(version.content).hexdigest()
    return orjson.dumps(line) + b"\n"


def _source_in(content: bytes) -> bytes | None:
    """The release of a training record or, if it has none, its course; None for an absence."""
    match = _SOURCE.search(content)
    if match is None:
        return None
    return match[1] if match[2] == b"null" else match[2]


def _write_captures(subject: Subject, folder: Path) -> None:
    """Writes every capture from the first to the pinned one: the lines of its chain hash, and the hash."""
    upto = Capture.objects.filter(
        organization_id=subject.organization_id, capture_sequence__lte=subject.pin.capture_sequence
    ).order_by("capture_sequence")
    last, previous = 0, ZERO_DIGEST
    with (folder / "history" / "captures.jsonl").open("wb") as lines:
        while True:
            with context.company(subject.organization_id):
                found = list(upto.filter(capture_sequence__gt=last)[:CAPTURES_A_READ])
            for capture in found:
                lines.write(orjson.dumps(_capture(capture, previous)) + b"\n")
                last, previous = capture.capture_sequence, capture.chain_hash
            if len(found) < CAPTURES_A_READ:
                return


def _capture(capture: Capture, previous: str) -> dict[str, str]:
    first, end = (capture.first_sequence, capture.last_sequence) if capture.rows else (None, None)
    if capture.tree_root is not None and capture.ledger_head is not None:
        lines = tree_capture_lines(
            organization_id=capture.organization_id,
            capture_sequence=capture.capture_sequence,
            captured_at=capture.captured_at,
            first_sequence=first,
            last_sequence=end,
            tree_size=capture.last_sequence,
            tree_root=bytes(capture.tree_root).hex(),
            ledger_head=bytes(capture.ledger_head).hex(),
            previous_chain_hash=previous,
        )
        return {"format": TREE_CAPTURE_CONSTANT, **lines, "chain_hash": capture.chain_hash}
    return {
        "format": CAPTURE_CONSTANT,
        "organization_id": str(capture.organization_id),
        "capture_sequence": str(capture.capture_sequence),
        "captured_at": instant(capture.captured_at),
        "first_sequence": "" if first is None else str(first),
        "last_sequence": "" if end is None else str(end),
        "rows_sha256": str(capture.rows_sha256),
        "previous_chain_hash": previous,
        "chain_hash": capture.chain_hash,
    }
