"""Makes a personal link to sign a policy: `signing_link --organization ORG --share ID --profile ID`."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import CommandError

from compliance.facts.policies.queries import signing_state
from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.pages.links import LINK_LIFE, SigningLink, signing_link
from compliance.tenancy import context
from compliance.tenancy.queries import organization


class Command(OperatorCommand):
    """Prints one link, for one person and one share."""

    help = "Prints the personal link by which a person reads and signs a policy. Send it to that person alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", type=uuid.UUID, required=True)
        parser.add_argument("--share", type=uuid.UUID, required=True)
        parser.add_argument("--profile", type=uuid.UUID, required=True, help="learner_profile_id of the person.")
        parser.add_argument("--days", type=int, default=LINK_LIFE.days, help="How long it lasts; 1 to 366.")

    def handle(self, *_: Any, **options: Any) -> None:
        if not 1 <= options["days"] <= 366:
            raise CommandError("--days is 1 to 366.")
        organization_id, share_id, profile_id = options["organization"], options["share"], options["profile"]
        now = datetime.now(UTC)
        organization(organization_id)
        with context.company(organization_id):
            state = signing_state(organization_id, share_id=share_id, learner_profile_id=profile_id, moment=now)
        if state is None:
            raise CommandError(f"{share_id} is no share of a policy.")
        if state.record is None:
            raise CommandError("The share asks nothing of this person at present.")
        link = SigningLink(organization_id, share_id, profile_id, now + timedelta(days=options["days"]))
        self.stdout.write(signing_link(link, now))
