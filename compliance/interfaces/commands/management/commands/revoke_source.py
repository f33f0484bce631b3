"""Revokes a source at once."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError

from compliance.access.sources import GOES_ON, revoke_source
from compliance.interfaces.commands.operator_command import OperatorCommand


class Command(OperatorCommand):
    """Revokes for good; a second call does not replace the reason."""

    help = "Revokes a source: neither its token nor a former one is valid any more."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source_id", type=uuid.UUID)
        parser.add_argument("--reason", required=True, help="At most 40 characters.")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["reason"] in GOES_ON:
            raise CommandError(f"{options['reason']!r} is what ends a token alone, so the source could be reopened.")
        source = revoke_source(
            source_id=options["source_id"], at=datetime.now(UTC), actor="revoke_source", reason=options["reason"]
        )
        self.stdout.write(f"Source {source.source_id} is revoked: {source.revoked_reason}.")
