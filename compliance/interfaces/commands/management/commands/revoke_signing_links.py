"""Withdraws a person's personal links: `revoke_signing_links --organization ORG --profile ID [--share ID]`."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.pages import links
from compliance.tenancy import context
from compliance.tenancy.queries import organization


class Command(OperatorCommand):
    """Prints how many links were still valid."""

    help = "Withdraws the personal links by which a person could sign: all, or those to one share."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", type=uuid.UUID, required=True)
        parser.add_argument("--profile", type=uuid.UUID, required=True, help="learner_profile_id of the person.")
        parser.add_argument("--share", type=uuid.UUID, help="Only links to this share.")

    def handle(self, *_: Any, **options: Any) -> None:
        organization(options["organization"])
        with context.company(options["organization"]):
            number = links.revoke(options["organization"], options["profile"], datetime.now(UTC), options["share"])
        self.stdout.write(f"{number} links withdrawn.")
