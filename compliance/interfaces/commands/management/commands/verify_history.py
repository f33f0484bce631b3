"""Recomputes stored histories and names the first fault (design 5 and 9): `verify_history [--organization ORG]`."""

import json
import uuid
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from compliance.history import queries
from compliance.history.verify import FirstFault, verify_history


class Command(BaseCommand):
    """Walks every capture and row; exit code 1 when one does not hold."""

    help = "Recomputes the history of one company or of all from its stored rows."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", type=uuid.UUID, help="One company; all of them without.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        found = [
            verify_history(organization_id)
            for organization_id in ([options["organization"]] if options["organization"] else queries.companies())
        ]
        faults = [each for each in found if isinstance(each, FirstFault)]
        if options["json"]:
            report = [{"holds": not isinstance(each, FirstFault)} | each._asdict() for each in found]
            self.stdout.write(json.dumps(report, default=str))
        for each in found:
            if isinstance(each, FirstFault):
                self.stderr.write(f"{each.organization_id}: {each.sentence}")
            elif not options["json"]:
                self.stdout.write(
                    f"{each.organization_id}: holds; {each.captures} captures, {each.records} records, {each.rows} rows"
                )
        if faults:
            raise CommandError(f"{len(faults)} of {len(found)} histories do not hold.")
