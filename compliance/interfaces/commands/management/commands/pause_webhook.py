"""`pause_webhook WEBHOOK_ID`, for an operator: what the console's act of that name does."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.webhooks import actions


class Command(OperatorCommand):
    """Stops sending to a webhook until it is resumed."""

    help = "Stops sending to a webhook until it is resumed. Nothing is lost: what comes waits."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("webhook_id", type=uuid.UUID)

    def handle(self, *_: Any, **options: Any) -> None:
        webhook = actions.pause(webhook_id=options["webhook_id"], at=datetime.now(UTC), actor="pause_webhook")
        self.stdout.write(f"Webhook {webhook.webhook_id} is paused.")
