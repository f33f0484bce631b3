"""Moves kept files to the place in FILES_PLACE: `move_files [--organization ORG]`. The service goes on meanwhile.

Each file is compared with its digests when it is read, and again when it is read back from the new place. After an
interruption a second run does the rest. It also moves media and exports that an earlier version kept elsewhere. Exit
code 1 when a file could not be moved; it stays where it is, and standard error names it.
"""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TaskID

from compliance.errors import ComplianceError
from compliance.facts.courses.media import move_media, waiting_media
from compliance.files import moving, places
from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.console.exports.keeping import move_old
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization


class Command(OperatorCommand):
    """Moves the files of one company, or of all."""

    help = "Moves kept files to the place where new ones are kept (FILES_PLACE), while the service runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options."""
        parser.add_argument("--organization", type=uuid.UUID, help="One company; all of them without.")
        parser.add_argument("--json", action="store_true", help="Print what was moved as JSON on standard output.")

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Runs the command."""
        chosen = [organization(options["organization"])] if options["organization"] else Organization.objects.all()
        counted = {"place": places.current(), "files": 0, "bytes": 0, "of_before": 0, "faults": 0}
        with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), console=Console(stderr=True)) as progress:
            for company in chosen:
                self._move(company, progress, counted)
        words = f"{counted['files']:,} files moved, and {counted['of_before']:,} that were kept otherwise before."
        self.show(counted, words, as_json=options["json"])
        if counted["faults"]:
            raise CommandError(f"{counted['faults']:,} could not be moved and are where they were.")

    def _move(self, company: Organization, progress: Progress, counted: dict[str, Any]) -> None:
        identifier = company.organization_id
        with context.company(identifier):
            total = moving.waiting(identifier) + waiting_media(identifier)
        task: TaskID = progress.add_task(str(identifier), total=total)

        def tell(moved: moving.Move) -> None:
            progress.advance(task)
            if moved.fault:
                counted["faults"] += 1
                self.stderr.write(f"{identifier} {moved.file_id}: {moved.fault}")
            else:
                counted["files"] += 1
                counted["bytes"] += moved.size

        moving.move(identifier, tell)
        for of_before in (lambda: move_media(identifier), lambda: move_old(identifier, datetime.now(UTC))):
            try:
                counted["of_before"] += of_before()
            except ComplianceError as error:
                counted["faults"] += 1
                self.stderr.write(f"{identifier}: {error}")
        progress.update(task, completed=total)
