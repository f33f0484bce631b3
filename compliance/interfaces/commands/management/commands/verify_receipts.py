"""Recomputes the stored receipt chains: `verify_receipts [--organization ORG]`.

Exit code 1 when any chain does not hold; the first fault of each is named on standard error.
"""

import json
import uuid
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from compliance.facts.policies.chain import verify
from compliance.facts.policies.errors import BrokenReceiptChainError
from compliance.tenancy import context
from compliance.tenancy.errors import NoSuchCompanyError
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization


class Command(BaseCommand):
    """Follows each company's chain from its first receipt."""

    help = "Recomputes every receipt hash and link of the stored chains, and says which hold."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", type=uuid.UUID, help="One company; all of them without.")
        parser.add_argument("--json", action="store_true", help="Print a report as JSON on standard output.")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            chosen = [organization(options["organization"])] if options["organization"] else Organization.objects.all()
        except NoSuchCompanyError as error:
            raise CommandError(str(error)) from error
        reports = [self._report(each) for each in chosen]
        broken = sum(report["fault"] is not None for report in reports)
        if options["json"]:
            self.stdout.write(json.dumps({"organizations": reports, "broken": broken}))
        if broken:
            raise CommandError(f"{broken} receipt chain{'s do' if broken > 1 else ' does'} not hold.")

    def _report(self, company: Organization) -> dict[str, Any]:
        receipts, fault = None, None
        try:
            with context.company(company.organization_id):
                receipts = verify(company.organization_id)
        except BrokenReceiptChainError as error:
            fault = str(error)
            self.stderr.write(f"{company.organization_id}: {fault}")
        else:
            self.stderr.write(f"{company.organization_id}: {receipts:,} receipts, one unbroken chain.")
        return {"organization_id": str(company.organization_id), "receipts": receipts, "fault": fault}
