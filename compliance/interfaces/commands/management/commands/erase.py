"""Erases a person at the company's instruction: `erase --organization ORG --profile ID [--dry-run]`.

Someone who was only ever invited has no profile: `--invitation ID` clears the name and address on the invitation.
"""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError

from compliance.facts.people.erasing import erase_invitation, erase_person, would_clear
from compliance.facts.recording import Channel, Teller, telling
from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.tenancy import context
from compliance.tenancy.queries import organization


class Command(OperatorCommand):
    """Erases one person, or lists what that would clear."""

    help = "Clears every personal field of a person, for good. --dry-run lists what would be cleared."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", type=uuid.UUID, required=True)
        who = parser.add_mutually_exclusive_group(required=True)
        who.add_argument("--profile", type=uuid.UUID, help="learner_profile_id of the person.")
        who.add_argument("--invitation", type=uuid.UUID, help="An invitation that nobody accepted.")
        parser.add_argument("--actor", type=uuid.UUID, help="Who instructed it, for the ledger of facts.")
        parser.add_argument("--dry-run", action="store_true", help="Change nothing; with --profile only.")

    def handle(self, *_: Any, **options: Any) -> None:
        organization_id, profile_id = options["organization"], options["profile"]
        now = datetime.now(UTC)
        organization(organization_id)
        if options["dry_run"]:
            if profile_id is None:
                raise CommandError("--dry-run goes with --profile.")
            with context.company(organization_id):
                for each in would_clear(organization_id=organization_id, learner_profile_id=profile_id):
                    self.stdout.write(f"{each.values:>8,} {each.table}.{each.column}")
            return
        with telling(Teller(Channel.COMMAND, "erase")):
            if profile_id is not None:
                erase_person(
                    organization_id=organization_id, learner_profile_id=profile_id, at=now, actor_id=options["actor"]
                )
                self.stdout.write(f"Erased {profile_id}. Records end with the next capture.")
            else:
                invitation_id = options["invitation"]
                erase_invitation(
                    organization_id=organization_id, invitation_id=invitation_id, at=now, actor_id=options["actor"]
                )
                self.stdout.write(f"Erased the invitation {invitation_id}.")
