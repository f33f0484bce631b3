"""Captures what has changed with the clock and what tasks left undone: `sweep [--organization ORG]`."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError

from compliance.history import actions, queries
from compliance.interfaces.commands.operator_command import OperatorCommand


class Command(OperatorCommand):
    """Sweeps in this process, without a worker."""

    help = "Captures pending and due subjects of one company, or of all that have any."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", type=uuid.UUID, help="One company; all with work without.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        now = datetime.now(UTC)
        chosen = [options["organization"]] if options["organization"] else queries.companies_with_work(now)
        captures = rows = failed = 0
        for organization_id in chosen:
            done = actions.sweep_company(organization_id, now)
            captures += len(done)
            rows += sum(captured.rows for captured in done)
            failed += sum(captured.failed for captured in done)
        report = {"companies": len(chosen), "captures": captures, "rows": rows, "failed": failed}
        text = f"{len(chosen)} companies, {captures} captures, {rows} rows; {failed} subjects could not be decided."
        self.show(report, text, as_json=options["json"])
        if failed:
            raise CommandError(f"{failed} subjects could not be decided; they will be tried again.")
