"""The offline verifier as a command: reads files and trusted keys, prints findings, returns an exit status."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from .errors import NotAPage, NoteMalformed, PackUnreadable
from .findings import Report
from .log import LogCheckpoint
from .log_trust import LogTrust, check_one_history, log_trust
from .pages import MOST_BYTES, JsonObject, PulledPage, page_in, parse_json, printable
from .row_proof import is_row_proof, row_proof_of
from .row_verifier import verify_row_proof
from .verifier import verify

HOLDS, AT_FAULT, UNREADABLE = 0, 1, 2

_EPILOG = """\
A proof of a row is checked from its text to the checkpoint of the log. Who signed that only --log-key tells: get the
key from the company or its auditor, never from the service that gave the proof. Without it a proof is not verified.

Exit status: 0 all that could be checked holds; 1 something does not, and each fault is named; 2 a file is neither a
page nor a proof, a proof was given without --log-key, or the arguments are wrong.
"""


ReadPack = Callable[[BinaryIO, str, LogTrust, Report], LogCheckpoint | None]
"""Verifies an evidence pack (`pack.verify_pack`); of this room's programs only `verify` passes it."""

ZIP_BEGINS = b"PK\3\4"


def options(program: str, what: str = "") -> argparse.ArgumentParser:
    """Return the parser of the arguments of a program; `what` names what it verifies besides pages and proofs."""
    parser = argparse.ArgumentParser(
        prog=program,
        description=f"Verify {what}pages of policy versions and receipts, and proofs of single rows, offline.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help=f"{what}a JSON page as it was pulled, or a proof of a row"
    )
    add_trust_options(parser)
    return parser


def add_trust_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that state whom the verifier trusts."""
    parser.add_argument("--log-key", metavar="LINE", help="the verifier key of the log: name+hash+key")
    parser.add_argument(
        "--witness-key", metavar="LINE", action="append", default=[], help="the verifier key of a witness; repeatable"
    )
    parser.add_argument(
        "--witnesses", metavar="N", type=int, help="how many of these witnesses must have cosigned (default: all)"
    )


def trust_in(arguments: argparse.Namespace) -> LogTrust:
    """Return the trust that the options state. Raises NoteMalformed for what is not a verifier key."""
    return log_trust(arguments.log_key, arguments.witness_key, arguments.witnesses)


def run(
    arguments: Sequence[str],
    out: TextIO,
    error: TextIO,
    program: str = "python -m compliance.proofs",
    read_pack: ReadPack | None = None,
) -> int:
    """Verify what the arguments name, write the findings, and return the exit status.

    Without `read_pack` evidence packs are not read. Raises SystemExit for arguments that are wrong, and after help.
    """
    given = options(program, "evidence packs, " if read_pack else "").parse_args(arguments)
    try:
        trust = trust_in(given)
    except NoteMalformed as fault:
        error.write(f"{fault}\n")
        return UNREADABLE
    pages: list[PulledPage] = []
    checkpoints: list[tuple[str, LogCheckpoint]] = []
    found = Report()
    unreadable = 0
    for name in given.files:
        try:
            checkpoint: LogCheckpoint | None = None
            if read_pack is not None and _is_zip(name):
                checkpoint = _read_pack(name, read_pack, trust, found)
            elif is_row_proof(document := parse_json(printable_name(name), _content(name))):
                checkpoint = _checked(printable_name(name), document, trust, found)
            else:
                pages.append(page_in(printable_name(name), document))
            if checkpoint is not None:
                checkpoints.append((printable_name(name), checkpoint))
        except (NotAPage, PackUnreadable) as fault:
            unreadable += 1
            error.write(f"{fault}\n")
        except OSError as fault:  # a disk that fails, or that has no room for what is compared across a large pack
            unreadable += 1
            error.write(f"{printable_name(name)} cannot be verified here: {printable(fault.strerror or str(fault))}\n")
    found.add(verify(pages))
    check_one_history(checkpoints, found)
    return write(found, out, unreadable)


def write(report: Report, out: TextIO, unreadable: int = 0) -> int:
    """Write the findings of a report, and return the exit status."""
    for word, sentences in (("holds", report.holding), ("note", report.notes), ("NOT CHECKED", report.unchecked)):
        for sentence in sentences:
            out.write(f"{word:6} {sentence}\n")
    for each in report.faults:
        out.write(f"FAULT  {each}\n")
    if report.further:
        out.write(f"FAULT  And {report.further} more.\n")
    if report.faults:
        out.write(f"{report.total} {'fault' if report.total == 1 else 'faults'} found.\n")
        return AT_FAULT
    if report.unchecked:
        out.write("No fault found, but not everything was checked.\n")
        return UNREADABLE
    if unreadable:
        return UNREADABLE
    out.write("No fault found.\n")
    return HOLDS


def _checked(name: str, document: object, trust: LogTrust, report: Report) -> LogCheckpoint | None:
    """Verify a proof of a row; return its checkpoint, or None."""
    proof = row_proof_of(name, cast("JsonObject", document), report)
    return None if proof is None else verify_row_proof(proof, trust, report)


def _is_zip(name: str) -> bool:
    """Tell whether the file begins like a ZIP. Raises NotAPage."""
    return _content(name, len(ZIP_BEGINS)) == ZIP_BEGINS


def _read_pack(name: str, read_pack: ReadPack, trust: LogTrust, report: Report) -> LogCheckpoint | None:
    """Verify an evidence pack; return its checkpoint, or None. Raises PackUnreadable."""
    with Path(name).open("rb") as file:
        return read_pack(file, printable_name(name), trust, report)


def _content(name: str, most: int = MOST_BYTES + 1) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise NotAPage(f"{printable_name(name)} cannot be read: {printable(reason)}") from fault


def printable_name(name: str) -> str:
    """Return the whole name of a file, so that it can be found again, without terminal control characters."""
    return name if name.isascii() and name.isprintable() else ascii(name)[1:-1]
