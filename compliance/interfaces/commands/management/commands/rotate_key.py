"""Issues the successor of an API key; the old key stays valid for a while."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from compliance.access import actions
from compliance.interfaces.commands.management.commands.create_key import show_key
from compliance.interfaces.commands.operator_command import OperatorCommand


class Command(OperatorCommand):
    """Prints the successor once."""

    help = "Issues the successor of a key, with the same end. The old key ends after the overlap."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key_id", type=uuid.UUID)
        parser.add_argument("--overlap-days", type=float, default=actions.ROTATION_OVERLAP / timedelta(days=1))
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        if not 0 <= options["overlap_days"] <= 365:
            raise CommandError("--overlap-days lies between 0 and 365.")
        token, key = actions.rotate_key(
            key_id=options["key_id"],
            environment=settings.ENVIRONMENT,
            at=datetime.now(UTC),
            actor="rotate_key",
            overlap=timedelta(days=options["overlap_days"]),
        )
        show_key(self, token, key.key_id, as_json=options["json"])
