"""Gives a source another token: `rotate_source SOURCE [--overlap-days D] [--expires INSTANT] [--json]`."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from compliance.access import actions
from compliance.access.sources import rotate_source
from compliance.interfaces.commands.management.commands.create_key import instant
from compliance.interfaces.commands.management.commands.create_source import show_token
from compliance.interfaces.commands.operator_command import OperatorCommand


class Command(OperatorCommand):
    """Prints the new token once."""

    help = "Gives a source a new token. The former one is valid until the overlap is over."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source_id", type=uuid.UUID)
        parser.add_argument("--overlap-days", type=float, default=actions.ROTATION_OVERLAP / timedelta(days=1))
        parser.add_argument("--expires", help="RFC 3339 instant with offset: the new end. Without it the end stays.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        if not 0 <= options["overlap_days"] <= 365:
            raise CommandError("--overlap-days lies between 0 and 365.")
        token, source = rotate_source(
            source_id=options["source_id"],
            environment=settings.ENVIRONMENT,
            at=datetime.now(UTC),
            actor="rotate_source",
            overlap=timedelta(days=options["overlap_days"]),
            expires_at=instant(options["expires"]) if options["expires"] else None,
        )
        show_token(self, token, source, as_json=options["json"])
