"""`test_webhook WEBHOOK_ID`: sends one event `test`, to check that a receiver listens and can verify."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.webhooks import actions


class Command(OperatorCommand):
    """Asks the worker for one test event; the console's page of the webhook lists the result."""

    help = "Sends one event `test` to a webhook, a paused one too, within seconds. It is tried once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("webhook_id", type=uuid.UUID)

    def handle(self, *_: Any, **options: Any) -> None:
        webhook = actions.ask_test(webhook_id=options["webhook_id"], at=datetime.now(UTC), actor="test_webhook")
        self.stdout.write(f"A test event goes to webhook {webhook.webhook_id} within seconds.")
