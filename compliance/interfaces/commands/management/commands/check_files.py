"""Compares kept files with their objects: `check_files [--organization ORG] [--whole] [--clear]`.

A row whose object is missing or differs is named on standard error, and the exit code is 1: the storage lost it, or is
older than the database. Objects without a row are counted. `--clear` removes those that are so old that no transaction
can still be about to refer to them, as a task does each night. It also reports a bucket that is open to the public.
`--adopt-folder` makes this machine's folder the one of the deployment, after it was put back without its mark.
"""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError

from compliance.files import machines, orphans, places
from compliance.files.errors import FilesError
from compliance.files.models import KeptFile
from compliance.interfaces.commands.operator_command import OperatorCommand, away_node
from compliance.tenancy import lost
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization


class Command(OperatorCommand):
    """Reports faults of the files of one company, or of all."""

    help = "Compares kept files with their objects in the storage, and says which are missing or differ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options."""
        parser.add_argument("--organization", type=uuid.UUID, help="One company; all of them without.")
        parser.add_argument("--whole", action="store_true", help="Read every byte and compare it with its digest.")
        parser.add_argument("--clear", action="store_true", help="Remove old objects that no row knows.")
        parser.add_argument("--adopt-folder", action="store_true", help="This FILES_FOLDER is the deployment's now.")
        parser.add_argument("--json", action="store_true", help="Print what was found as JSON on standard output.")

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Runs the command."""
        if options["adopt_folder"]:
            machines.adopt_folder()
        now = datetime.now(UTC)
        found: dict[str, Any] = {"unsound": [], "orphans": 0, "cleared": 0, "failed": 0}
        found["exposed"] = self._exposed()
        chosen = [organization(options["organization"])] if options["organization"] else Organization.objects.all()
        for company in chosen:
            try:
                self._check(company.organization_id, options, now, found)
            except FilesError as error:
                found["failed"] += 1
                self.stderr.write(f"{company.organization_id}: {error}")
            except lost.ERRORS as error:
                found["failed"] += 1
                away = away_node(error, company.organization_id)
                self.stderr.write(f"{company.organization_id}: its node {away} does not answer.")
        if options["clear"]:
            try:
                found["cleared"] += orphans.clear_unfinished(now)
            except FilesError as error:
                found["failed"] += 1
                self.stderr.write(str(error))
        words = f"{len(found['unsound'])} files are not as they were kept."
        words += f" Without a row: {found['orphans']} objects, {found['cleared']} removed."
        self.show(found, words, as_json=options["json"])
        if found["exposed"]:
            raise CommandError(f"People outside may read the bucket: {found['exposed']}.")
        if found["unsound"]:
            raise CommandError("Put the objects back from a backup; media come back when their package is published.")
        if found["failed"]:
            raise CommandError("Not everything could be compared or cleared: run this again when the storage answers.")

    def _check(self, identifier: uuid.UUID, options: dict[str, Any], now: datetime, found: dict[str, Any]) -> None:
        """Adds what one company's files and objects are like to what was found."""
        for each in orphans.unsound(identifier, whole=options["whole"]):
            found["unsound"].append({"organization_id": identifier} | each._asdict())
            self.stderr.write(f"{identifier} {each.purpose} {each.file_id} in the {each.place}: {each.fault}")
        if options["clear"]:
            found["cleared"] += orphans.clear_orphans(identifier, now)
        else:
            found["orphans"] += sum(1 for _ in orphans.orphans(identifier, now))

    def _exposed(self) -> str:
        if not places.is_set_up(KeptFile.Place.BUCKET):
            return ""
        with places.storage(KeptFile.Place.BUCKET) as storage:
            return str(storage.exposed())
