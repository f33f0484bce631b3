"""Recomputes the access log's chains: `verify_access_log [--organization ORG | --deployment] [--json]`.

Exit code 1 when any does not hold; each line at fault is named on standard error.
"""

import json
import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.console.access_log import DEPLOYMENT
from compliance.interfaces.operations import access_log
from compliance.tenancy.queries import organization


class Command(OperatorCommand):
    """Follows each chain from its first line, and compares it with what was signed."""

    help = "Recomputes the access log line by line, compares it with what was signed, and names each line at fault."

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--organization", type=uuid.UUID, help="The lines of one company.")
        which.add_argument("--deployment", action="store_true", help="The lines of no company: sign-ins, accounts.")
        parser.add_argument("--json", action="store_true", help="Print a report as JSON on standard output.")

    def handle(self, *_: Any, **options: Any) -> None:
        chosen = [DEPLOYMENT] if options["deployment"] else None
        if options["organization"]:
            chosen = [organization(options["organization"]).organization_id]
        found = access_log.verify(datetime.now(UTC), chosen)
        for chain, one in found.items():
            name = "the deployment" if chain == DEPLOYMENT else str(chain)
            for fault in one.faults:
                self.stderr.write(f"{name}: {fault}")
            if not one.faults:
                self.stderr.write(f"{name}: {one.lines:,} lines, one unbroken chain.")
        broken = sum(bool(one.faults) for one in found.values())
        if options["json"]:
            chains = [{"chain": str(chain), **one._asdict()} for chain, one in found.items()]
            self.stdout.write(json.dumps({"chains": chains, "broken": broken}))
        if broken:
            chains_do = "chains of the access log do" if broken > 1 else "chain of the access log does"
            raise CommandError(f"{broken} {chains_do} not hold.")
