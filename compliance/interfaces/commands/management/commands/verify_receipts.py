"""Recomputes the stored receipt chains: `verify_receipts [--organization ORG]`.

Exit code 1 when any chain is wrong; the first fault of each is named on standard error. On a cluster, a node that does
not answer is also named there, and the chains on other nodes are recomputed.
"""

import json
import uuid
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from compliance.facts.policies.chain import verify
from compliance.facts.policies.errors import BrokenReceiptChainError
from compliance.interfaces.commands.operator_command import OperatorCommand, away_node
from compliance.tenancy import context, lost
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization


class Command(OperatorCommand):
    """Follows each company's chain from its first receipt."""

    help = "Recomputes every receipt hash and link of the stored chains, and says which hold."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", type=uuid.UUID, help="One company; all of them without.")
        parser.add_argument("--json", action="store_true", help="Print a report as JSON on standard output.")

    def handle(self, *_: Any, **options: Any) -> None:
        chosen = [organization(options["organization"])] if options["organization"] else Organization.objects.all()
        reports = [self._report(each) for each in chosen]
        away = sum(report["away"] is not None for report in reports)
        broken = sum(report["fault"] is not None for report in reports)
        if options["json"]:
            self.stdout.write(json.dumps({"organizations": reports, "broken": broken, "away": away}))
        words = [f"{broken} receipt chain{'s do' if broken > 1 else ' does'} not hold."] if broken else []
        if away:
            words.append(f"{away} of {len(reports)} could not be recomputed: run this again when their node answers.")
        if words:
            raise CommandError(" ".join(words))

    def _report(self, company: Organization) -> dict[str, Any]:
        receipts, fault, away = None, None, None
        try:
            with context.company(company.organization_id):
                receipts = verify(company.organization_id)
        except BrokenReceiptChainError as error:
            fault = str(error)
            self.stderr.write(f"{company.organization_id}: {fault}")
        except lost.ERRORS as error:
            away = away_node(error, company.organization_id)
            self.stderr.write(f"{company.organization_id}: its node {away} does not answer.")
        else:
            self.stderr.write(f"{company.organization_id}: {receipts:,} receipts, one unbroken chain.")
        return {"organization_id": str(company.organization_id), "receipts": receipts, "fault": fault, "away": away}
