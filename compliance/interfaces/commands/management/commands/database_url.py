"""Prints where the embedded database is: `database_url [--owner | --superuser]`, to look inside with psql.

It prints a password, so it works only for the embedded servers of a demo or of tests.
"""

from argparse import ArgumentParser
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config import environment


class Command(BaseCommand):
    """The URL of the application's role, which row-level security restricts; or of a role that sees everything."""

    help = "Prints the URL of the embedded database: as the application's role, the owner, or the superuser."

    def add_arguments(self, parser: ArgumentParser) -> None:
        role = parser.add_mutually_exclusive_group()
        role.add_argument("--owner", action="store_true", help="The role that owns the schema.")
        role.add_argument("--superuser", action="store_true", help="The role that nothing binds.")

    def handle(self, *_: Any, **options: Any) -> None:
        known = environment.read()
        embedded = known.DATABASE_SUPERUSER_URL
        address = known.DATABASE_URL
        if options["owner"]:
            address = known.DATABASE_OWNER_URL
        elif options["superuser"]:
            address = embedded
        if not embedded or not address:
            raise CommandError("No embedded servers are known here. Start them: make servers, or make demo.")
        used = settings.DATABASES["default"]
        if _place(embedded) != (used["HOST"], str(used["PORT"])) or _place(address) != _place(embedded):
            raise CommandError("The service uses another database than the embedded one; ask whoever runs that.")
        self.stdout.write(address)


def _place(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.hostname or "", str(parts.port)
