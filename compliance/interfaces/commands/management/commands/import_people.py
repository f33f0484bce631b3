"""Takes in a spreadsheet of people: `import_people FILE --organization ORG [--leavers] [--dry-run] [--json]`.

Exit code 0: done, and every row was good. 1: done, but some rows are wrong and were left out. 2: nothing was recorded,
because the file cannot be read, no column identifies the people, or too many people would leave.
"""

import json
import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from compliance.errors import ComplianceError
from compliance.facts.recording import Channel, Teller
from compliance.history.actions import capture_all
from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.provisioning.spreadsheets import columns as matching
from compliance.provisioning.spreadsheets import company
from compliance.provisioning.spreadsheets.facts import KINDS
from compliance.provisioning.spreadsheets.headings import LABELS, Field
from compliance.provisioning.spreadsheets.importing import Outcome, check_leaves, import_people, preview
from compliance.provisioning.spreadsheets.limits import FILE_BYTES
from compliance.provisioning.spreadsheets.plan import Plan
from compliance.provisioning.spreadsheets.reading import Table, read
from compliance.tenancy import context, queries

_LISTED = 200
REFUSED = 2
SOME_ROWS_WRONG = 1


class Command(OperatorCommand):
    """Records who joins, changes, moves team and leaves according to a spreadsheet, and captures it."""

    refused = REFUSED
    help = (
        "Takes in a spreadsheet of people (CSV or XLSX) from HR. People are found again by e-mail address or employee"
        " number. Rows that are wrong are reported, the others recorded."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="A CSV file or an Excel workbook (.xlsx).")
        parser.add_argument("--organization", type=uuid.UUID, required=True)
        parser.add_argument("--leavers", action="store_true", help="End the employment of whoever is not in the file.")
        parser.add_argument(
            "--confirm-leaves",
            type=int,
            metavar="NUMBER",
            help="So many may leave, though they are most of the company.",
        )
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="HEADING=FIELD",
            help=f"What a column holds, where its heading does not say so: {', '.join(Field)}; nothing for no use.",
        )
        parser.add_argument("--dry-run", action="store_true", help="Only say what would be recorded.")
        parser.add_argument("--json", action="store_true", help="Print a report as JSON on standard output.")

    def handle(self, *_: Any, **options: Any) -> None:
        outcome = self._run(options)
        refused = _refusal(outcome.plan, options["confirm_leaves"]) if options["dry_run"] else None
        self._show(outcome, options, refused)
        if refused is not None:
            raise CommandError(f"The import would be refused. {refused}", returncode=REFUSED)

    def _run(self, options: dict[str, Any]) -> Outcome:
        organization_id, now = options["organization"], datetime.now(UTC)
        queries.organization(organization_id)
        table = read(_content(options["file"]))
        with context.company(organization_id):
            columns = matching.recognise(table.headings, table.first, company.role_names(organization_id))
        columns = matching.chosen(table.headings, columns, _changes(options["column"]))
        if not options["json"]:
            self._show_columns(table, columns)
        if options["dry_run"]:
            with context.company(organization_id):
                planned = preview(organization_id, table, columns, now=now, leavers=options["leavers"])
            return Outcome(planned, 0)
        outcome = import_people(
            organization_id=organization_id,
            table=table,
            columns=columns,
            clock=lambda: datetime.now(UTC),
            teller=Teller(Channel.COMMAND, "import_people", kinds=KINDS),
            leavers=options["leavers"],
            confirmed_leaves=options["confirm_leaves"],
        )
        if outcome.recorded:
            capture_all(organization_id, datetime.now(UTC))
        return outcome

    def _show_columns(self, table: Table, columns: matching.Columns) -> None:
        self.stdout.write(f"Read as {table.kind}; the headings are in row {table.heading_row}.")
        for place, heading in enumerate(table.headings):
            field = columns.get(place)
            self.stdout.write(f"  {heading or '(no heading)'}: {LABELS[field] if field else 'not used'}")

    def _show(self, outcome: Outcome, options: dict[str, Any], refused: str | None) -> None:
        planned, dry_run = outcome.plan, options["dry_run"]
        if options["json"]:
            wrong = [each._asdict() for each in planned.wrong]
            printed = {**planned.counts, "wrong": wrong, "recorded": outcome.recorded, "dry_run": dry_run}
            printed["refused"] = refused
            self.stdout.write(json.dumps(printed))
        else:
            for word, count in planned.counts.items():
                self.stdout.write(f"{count:>10,} {word}")
            for name in planned.new_teams.values():
                self.stdout.write(f"New team: {name}")
            self.stdout.write(f"{outcome.recorded:,} facts recorded{' (dry run)' if dry_run else ''}.")
        for note in planned.notes(options["leavers"]):
            self.stderr.write(note)
        for each in planned.wrong[:_LISTED]:
            self.stderr.write(f"row {each.line}: {each.reason}")
        if len(planned.wrong) > _LISTED:
            self.stderr.write(f"... and {len(planned.wrong) - _LISTED:,} more; --json lists all of them.")
        if planned.wrong and refused is None:
            count, outcome_words = len(planned.wrong), "nothing was recorded" if dry_run else "the others were recorded"
            raise CommandError(
                f"{count:,} row{'s are' if count > 1 else ' is'} wrong; {outcome_words}.", returncode=SOME_ROWS_WRONG
            )


def _refusal(planned: Plan, confirmed_leaves: int | None) -> str | None:
    """The reason why the import of this plan would be refused, None if it would not be."""
    try:
        check_leaves(planned, confirmed_leaves)
    except ComplianceError as error:
        return str(error)
    return None


def _content(name: str) -> bytes:
    """The bytes of the file; of a file that is too long, one byte more than the limit."""
    try:
        with Path(name).open("rb") as stream:
            return stream.read(FILE_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror or error}.", returncode=REFUSED) from error


def _changes(options: list[str]) -> dict[str, str]:
    """The fields that `--column` options name, by heading."""
    found = {}
    for option in options:
        heading, equals, field = option.rpartition("=")
        if not equals:
            raise CommandError(
                f"--column {option}: write the heading, an equals sign and the field.", returncode=REFUSED
            )
        found[heading] = field.strip()
    return found
