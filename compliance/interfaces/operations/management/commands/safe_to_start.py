"""Whether the service may start: `safe_to_start [--wait SECONDS]`; exit code 1 and the reason when it may not.

Run it before a web server that starts refused workers again and again, as granian does.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from compliance.errors import ComplianceError
from compliance.interfaces.operations import startup


class Command(BaseCommand):
    """Makes the start-up checks and says nothing when they pass."""

    help = "Checks the role and the protections in the database, and compares it with what was signed."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--wait", type=float, default=startup.PATIENCE_SECONDS, help="Seconds for the database.")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            startup.refuse_unsafe_patiently(options["wait"])
        except ComplianceError as error:
            raise CommandError(f"Refused to start. {error}") from error
