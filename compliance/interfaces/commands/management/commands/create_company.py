"""Makes a company: `create_company NAME --time-zone Z --history-from DATE [--id UUID] [--json]`."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, date, datetime
from typing import Any

from django.core.management.base import CommandError

from compliance.facts.lines.fields import FIRST_INSTANT, LAST_INSTANT
from compliance.history.actions import create_company
from compliance.interfaces.commands.operator_command import OperatorCommand


class Command(OperatorCommand):
    """Makes the company and the first capture of its history."""

    help = "Makes a company with an empty history that is complete from a date on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--time-zone", required=True, help="IANA time zone, like Europe/Paris.")
        parser.add_argument("--history-from", required=True, help="The first company day of the history: YYYY-MM-DD.")
        parser.add_argument("--id", type=uuid.UUID, help="The organization's id; a fresh one without.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            history_from = date.fromisoformat(options["history_from"])
        except ValueError as error:
            raise CommandError(f"{options['history_from']!r} is no date. Write it like 2024-01-31.") from error
        if not FIRST_INSTANT.date() <= history_from <= LAST_INSTANT.date():
            raise CommandError(f"{options['history_from']} lies outside the years 1900 to 2999.")
        made = create_company(
            name=options["name"],
            time_zone=options["time_zone"],
            history_from=history_from,
            now=datetime.now(UTC),
            organization_id=options["id"],
        )
        identifier = str(made.organization_id)
        self.show({"organization_id": identifier}, identifier, as_json=options["json"])
