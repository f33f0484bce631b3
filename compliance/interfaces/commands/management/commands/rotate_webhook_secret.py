"""Gives a webhook another secret: `rotate_webhook_secret WEBHOOK_ID [--json]`."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from compliance.interfaces.commands.management.commands.create_webhook import show_secret
from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.webhooks import actions


class Command(OperatorCommand):
    """Prints the new secret once; the former one also signs for 24 hours."""

    help = (
        "Gives a webhook another secret, shown once. For 24 hours both sign, so that the receiver may change in time."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("webhook_id", type=uuid.UUID)
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        secret, webhook = actions.rotate_secret(
            webhook_id=options["webhook_id"], at=datetime.now(UTC), actor="rotate_webhook_secret"
        )
        show_secret(self, secret, webhook.webhook_id, as_json=options["json"])
