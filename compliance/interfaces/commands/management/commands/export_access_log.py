"""Prints the access log with its digests: `export_access_log (--organization ORG | --deployment) [--csv]`."""

import uuid
from argparse import ArgumentParser
from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.console import access_chain
from compliance.tenancy.queries import organization


class Command(OperatorCommand):
    """Writes JSON Lines that `python -m compliance.proofs.access_log FILE` verifies without the service."""

    help = "Prints who saw and did what, a line each, with the digests that chain the lines (docs/verify.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--organization", type=uuid.UUID, help="The lines of one company.")
        which.add_argument("--deployment", action="store_true", help="The lines of no company: sign-ins, accounts.")
        parser.add_argument("--csv", action="store_true", help="As CSV for spreadsheets.")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["organization"]:
            organization(options["organization"])
        lines = access_chain.lines_of(options["organization"])
        for piece in (access_chain.as_csv if options["csv"] else access_chain.as_json_lines)(lines):
            self.stdout.write(piece.decode(), ending="")
