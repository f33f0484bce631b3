"""`resume_webhook WEBHOOK_ID`, for an operator: what the console's act of that name does."""

import uuid
from argparse import ArgumentParser
from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.webhooks import actions


class Command(OperatorCommand):
    """Resumes a paused webhook and sends the waiting event at once."""

    help = "Goes on with a paused webhook, with the event that waits, at once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("webhook_id", type=uuid.UUID)

    def handle(self, *_: Any, **options: Any) -> None:
        webhook = actions.resume(webhook_id=options["webhook_id"], actor="resume_webhook")
        self.stdout.write(f"Webhook {webhook.webhook_id} is resumed.")
