"""`replay_webhook WEBHOOK_ID CAPTURE`: sends a capture and all later ones again, after a receiver has lost events."""

import uuid
from argparse import ArgumentParser
from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.webhooks import actions


class Command(OperatorCommand):
    """Sets a webhook back to a capture."""

    help = (
        "Sends a capture and all since once more, in order, with the same webhook-id each. A paused one stays paused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("webhook_id", type=uuid.UUID)
        parser.add_argument("capture", type=int, help="The number of the first capture to send again.")

    def handle(self, *_: Any, **options: Any) -> None:
        webhook = actions.replay(
            webhook_id=options["webhook_id"], from_capture=options["capture"], actor="replay_webhook"
        )
        paused = ", once it is resumed" if webhook.paused_at else ""
        self.stdout.write(f"Webhook {webhook.webhook_id} hears of capture {options['capture']} and all since{paused}.")
