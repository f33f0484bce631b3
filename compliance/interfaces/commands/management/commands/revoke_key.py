"""Revokes an API key at once."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from compliance.access import actions
from compliance.interfaces.commands.operator_command import OperatorCommand


class Command(OperatorCommand):
    """Revokes; a second call does not replace the reason."""

    help = "Revokes an API key."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key_id", type=uuid.UUID)
        parser.add_argument("--reason", required=True, help="At most 40 characters.")

    def handle(self, *_: Any, **options: Any) -> None:
        key = actions.revoke_key(
            key_id=options["key_id"], at=datetime.now(UTC), actor="revoke_key", reason=options["reason"]
        )
        self.stdout.write(f"Key {key.key_id} is revoked: {key.revoked_reason}.")
