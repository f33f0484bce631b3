"""Captures what the clock has changed and what tasks left behind (design 5 and 9): `sweep [--organization ORG]`."""

import json
import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from compliance.errors import ComplianceError
from compliance.history import actions, queries


class Command(BaseCommand):
    """Sweeps here and now, without a worker."""

    help = "Captures pending and due subjects of one company, or of all that have any."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", type=uuid.UUID, help="One company; all with work without.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        now = datetime.now(UTC)
        chosen = [options["organization"]] if options["organization"] else queries.companies_with_work(now)
        captures = rows = failed = 0
        for organization_id in chosen:
            try:
                done = actions.sweep_company(organization_id, now)
            except ComplianceError as error:
                raise CommandError(str(error)) from error
            captures += len(done)
            rows += sum(captured.rows for captured in done)
            failed += sum(captured.failed for captured in done)
        report = {"companies": len(chosen), "captures": captures, "rows": rows, "failed": failed}
        self.stdout.write(
            json.dumps(report)
            if options["json"]
            else f"{len(chosen)} companies, {captures} captures, {rows} rows; {failed} subjects could not be decided."
        )
        if failed:
            raise CommandError(f"{failed} subjects could not be decided; they will be tried again.")
