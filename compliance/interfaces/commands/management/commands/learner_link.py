"""Makes a personal link to the learners' pages: `learner_link ORG PROFILE [--days N]`."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import CommandError

from compliance.facts.people.queries import doors_of, person
from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.learning import links
from compliance.tenancy import context
from compliance.tenancy.queries import organization


class Command(OperatorCommand):
    """Prints one link that signs a person in."""

    help = (
        "Prints a personal link to the learners' pages: for 15 minutes and one use, or for so many days and any number"
        " of uses. Whoever has it signs in as that person: give it to nobody else."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", type=uuid.UUID, help="organization_id of the company.")
        parser.add_argument("profile", type=uuid.UUID, help="learner_profile_id of the person.")
        parser.add_argument("--days", type=int, help="How long it can be used, any number of times; 1 to 366.")

    def handle(self, *_: Any, **options: Any) -> None:
        days: int | None = options["days"]
        if days is not None and not 1 <= days <= 366:
            raise CommandError("--days is 1 to 366.")
        organization_id, profile_id, now = options["organization"], options["profile"], datetime.now(UTC)
        organization(organization_id)
        with context.company(organization_id):
            found = person(organization_id, profile_id)
            if found is None:
                raise CommandError(f"The company knows nobody with the learner_profile_id {profile_id}.")
            if not doors_of(organization_id, profile_id, now):
                raise CommandError(
                    "This person was erased." if found.erased_at else "This person has left, or is suspended."
                )
            token = links.make(
                organization_id,
                now=now,
                life=timedelta(days=days) if days else links.ASKED_FOR,
                learner_profile_id=profile_id,
                uses=None if days else 1,
            )
        self.stdout.write(links.address_of(token))
