"""`python -m compliance.contentfile`: `check PATH...` lists faults, `serve PATH` opens a package in the player.

Exit status of `check`: 0: every package can be published (warnings may remain); 1: errors; 2: something could not be
read, or the command line is wrong.
"""

import argparse
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, TextIO

from compliance.contentfile import limits
from compliance.contentfile.content import check_content
from compliance.contentfile.errors import PackageUnreadable
from compliance.contentfile.excerpts import excerpt, lines_with_faults, printable
from compliance.contentfile.faults import Fault, Severity
from compliance.contentfile.fingerprint import content_sha256
from compliance.contentfile.package import check_package

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The result for one path."""

    path: str
    faults: Sequence[Fault]
    fault_count: int
    content_sha256: str | None
    package_sha256: str | None
    unreadable: str = ""

    @property
    def errors(self) -> int:
        return sum(1 for fault in self.faults if fault.severity is Severity.ERROR)

    @property
    def status(self) -> int:
        if self.unreadable:
            return 2
        return 0 if self.content_sha256 else 1


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Runs the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m compliance.contentfile", description="Course content files.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="check content files, package folders and package zips")
    check.add_argument("paths", nargs="+", metavar="PATH", help="a content.json, a package folder or a package zip")
    check.add_argument("--json", action="store_true", help="print one JSON document for programs")
    serve = commands.add_parser("serve", help="show a package in the player, on this machine, as its learners see it")
    serve.add_argument(
        "path", metavar="PATH", help="a package folder or a package zip; it is read again when it changes"
    )
    serve.add_argument("--port", type=int, default=8001, help="8001 by default; 0 takes a free one")
    options = parser.parse_args(arguments)
    out = out or sys.stdout
    if options.command == "serve":
        # The only import from outside this pure room, declared in pyproject.toml: Django's templates draw the player.
        # They are loaded only here, because nothing else needs them.
        from compliance.interfaces.player.serving import serve as serve_package

        return serve_package(FilePath(options.path), options.port, out)
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="backslashreplace")
    outcomes = [_check(path) for path in options.paths]
    if options.json:
        json.dump({"files": [_as_json(outcome) for outcome in outcomes]}, out, indent=2)
        out.write("\n")
    else:
        for outcome in outcomes:
            _print(outcome, out)
    return max(outcome.status for outcome in outcomes)


def _check(path: str) -> _Outcome:
    try:
        place = FilePath(path)
        if place.is_dir() or _is_zip(place):
            package = check_package(place)
            return _Outcome(
                path,
                package.faults,
                package.fault_count,
                package.content_sha256 if package.ok else None,
                package.package_sha256 if package.ok else None,
            )
        with place.open("rb") as opened:
            data = opened.read(limits.JSON_BYTES + 1)
    except (PackageUnreadable, OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        return _Outcome(path, (), 0, None, None, reason or str(error))
    checked = check_content(data)
    fingerprint = content_sha256(checked.content) if checked.content is not None else None
    return _Outcome(path, checked.faults, checked.fault_count, fingerprint, None)


def _is_zip(place: FilePath) -> bool:
    if place.suffix.lower() == ".zip":
        return True
    with place.open("rb") as opened:
        return opened.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def _as_json(outcome: _Outcome) -> dict[str, Any]:
    return {
        "path": outcome.path,
        "ok": outcome.status == 0,
        "unreadable": outcome.unreadable or None,
        "content_sha256": outcome.content_sha256,
        "package_sha256": outcome.package_sha256,
        "fault_count": outcome.fault_count,
        "faults": [
            {
                "severity": fault.severity,
                "code": fault.code,
                "file": fault.file or None,
                "pointer": fault.pointer,
                "line": fault.line,
                "column": fault.column,
                "offset": fault.offset,
                "message": fault.message,
            }
            for fault in outcome.faults
        ],
    }


def _print(outcome: _Outcome, out: TextIO) -> None:
    if outcome.unreadable:
        out.write(f"{outcome.path}: cannot be read ({outcome.unreadable})\n")
        return
    texts = lines_with_faults(FilePath(outcome.path), outcome.faults)
    for fault in outcome.faults:
        place = "/".join(part for part in (outcome.path.rstrip("/"), printable(fault.file)) if part)
        if fault.line is not None:
            place += f":{fault.line}:{fault.column}"
        out.write(f"{place}: {fault.severity} {fault.code}\n")
        out.write(f"    {fault.message}\n")
        if fault.pointer:
            out.write(f"    at {printable(fault.pointer)}\n")
        lines = texts.get(fault.file)
        if lines and fault.line is not None and fault.column is not None and fault.line <= len(lines):
            _print_line(lines[fault.line - 1], fault.line, fault.column, out)
    left_off = outcome.fault_count - len(outcome.faults)
    if left_off:
        out.write(f"{outcome.path}: there are more faults; mend these first\n")
    if outcome.status == 0:
        warnings = f", {_counted(outcome.fault_count, 'warning')}" if outcome.fault_count else ""
        out.write(f"{outcome.path}: good{warnings}, content_sha256 {outcome.content_sha256}\n")
    else:
        others = len(outcome.faults) - outcome.errors
        also = f", {_counted(others, 'warning')}" if others else ""
        out.write(f"{outcome.path}: {_counted(outcome.errors, 'error')}{also}\n")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _print_line(line: str, number: int, column: int, out: TextIO) -> None:
    part, there = excerpt(line, column, _WIDTH)
    label = f"    {number} | "
    out.write(f"{label}{part}\n{' ' * (len(label) - 2)}| {' ' * there}^\n")


if __name__ == "__main__":
    sys.exit(main())
