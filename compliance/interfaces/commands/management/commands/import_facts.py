"""Takes in a facts file: `import_facts FILE|- --organization ORG [--strict] [--json]`.

When it returns, the facts that it recorded are captured and readable, except facts dated ahead: these are captured
when their moment comes. Errors go to standard error, a line each; the exit code is 1 when there is any, also when the
good lines were recorded.
"""

import json
import sys
import uuid
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from compliance.facts.importing import Report, import_facts
from compliance.history.actions import capture_all
from compliance.interfaces.commands.operator_command import OperatorCommand

_ERRORS_LISTED = 200


class Command(OperatorCommand):
    """Records the facts of a file for one company and captures them."""

    help = (
        "Takes in a facts file (svc.facts/1) and captures it. Lines that are wrong are reported, the others recorded."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="A facts file, or - for standard input.")
        parser.add_argument("--organization", type=uuid.UUID, required=True)
        parser.add_argument("--strict", action="store_true", help="Record nothing if any line is wrong.")
        parser.add_argument("--json", action="store_true", help="Print a report as JSON on standard output.")

    def handle(self, *_: Any, **options: Any) -> None:
        with _opened(options["file"]) as stream, _bars() as bars:
            report = import_facts(
                organization_id=options["organization"],
                stream=stream,
                now=datetime.now(UTC),
                strict=options["strict"],
                progress=bars.tell,
            )
            if report.recorded or report.known:
                capture_all(options["organization"], datetime.now(UTC), bars.captured)
        self._show(report, options["strict"], options["json"])

    def _show(self, report: Report, strict: bool, as_json: bool) -> None:
        if as_json:
            self._write_json(report)
        else:
            for kind, count in report.facts.items():
                self.stdout.write(f"{count:>10,} {kind}")
            self.stdout.write(f"{report.recorded:,} recorded, {report.known:,} known already.")
            if report.waiting_until is not None:
                self.stdout.write(
                    f"{report.waiting:,} of them take{'s' if report.waiting == 1 else ''} effect later and"
                    f" wait{'s' if report.waiting == 1 else ''} to be captured,"
                    f" until {report.waiting_until:%Y-%m-%dT%H:%M:%SZ} at the latest."
                )
            for note in report.notes:
                self.stdout.write(f"line {note.line}: {note.reason}")
        for error in report.errors[:_ERRORS_LISTED]:
            named = f" ({error.fact or 'fact'} {error.fact_id})" if error.fact_id else ""
            self.stderr.write(f"line {error.line}{named}: {error.reason}")
        if len(report.errors) > _ERRORS_LISTED:
            self.stderr.write(f"... and {len(report.errors) - _ERRORS_LISTED:,} more; --json lists all of them.")
        if report.errors:
            count = len(report.errors)
            outcome = "nothing was recorded" if strict else "the other lines were recorded"
            raise CommandError(f"{count:,} line{'s are' if count > 1 else ' is'} wrong; {outcome}.")

    def _write_json(self, report: Report) -> None:
        """Prints one JSON object, written line by line, because every line of a large file may be wrong."""
        counts = {
            "facts": report.facts,
            "recorded": report.recorded,
            "known": report.known,
            "waiting": report.waiting,
        }
        notes = ({"line": each.line, "note": each.reason} for each in report.notes)
        self.stdout.write(json.dumps(counts).removesuffix("}"), ending="")
        for name, lines in (("errors", (each._asdict() for each in report.errors)), ("notes", notes)):
            self.stdout.write(f', "{name}": [', ending="")
            for place, line in enumerate(lines):
                self.stdout.write(", " * bool(place) + json.dumps(line), ending="")
            self.stdout.write("]", ending="")
        self.stdout.write("}")


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(name).open("rb"))
        except OSError as error:
            raise CommandError(f"{name} cannot be read: {error.strerror or error}.") from error
        yield stream


class _Bars:
    """Displays the progress of each stage; prints nothing without a terminal."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._tasks: dict[str, Any] = {}

    def tell(self, stage: str, done: int, total: int | None) -> None:
        if self._progress is not None:
            if stage not in self._tasks:
                self._tasks[stage] = self._progress.add_task(stage, total=total)
            self._progress.update(self._tasks[stage], completed=done, total=total)

    def captured(self, done: int) -> None:
        self.tell("capturing", done, None)


@contextmanager
def _bars() -> Iterator[_Bars]:
    if not sys.stderr.isatty():
        yield _Bars(None)
        return
    columns = (TextColumn("{task.description:>10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield _Bars(progress)
