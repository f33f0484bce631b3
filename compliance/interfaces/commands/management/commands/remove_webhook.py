"""`remove_webhook WEBHOOK_ID`, for an operator: what the console's act of that name does."""

import uuid
from argparse import ArgumentParser
from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.webhooks import actions


class Command(OperatorCommand):
    """Removes a webhook for good, with its secrets and the list of its tries."""

    help = "Ends a webhook for good, with its secrets and the list of its tries."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("webhook_id", type=uuid.UUID)

    def handle(self, *_: Any, **options: Any) -> None:
        webhook = actions.remove(webhook_id=options["webhook_id"], actor="remove_webhook")
        self.stdout.write(f"Webhook {webhook.webhook_id} is removed.")
