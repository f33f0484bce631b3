"""Makes a webhook of a company: `create_webhook ORG URL [--name] [--from-capture N] [--json]`."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.webhooks import actions


class Command(OperatorCommand):
    """Prints the secret once; it is stored sealed, and no command displays it again."""

    help = (
        "Makes a webhook, which sends an event for each capture that changes the company's registers. Its secret is"
        " displayed once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", type=uuid.UUID)
        parser.add_argument("url", help="https://..., where events are posted to.")
        parser.add_argument("--name", default="", help="What receives there.")
        parser.add_argument("--from-capture", type=int, help="Sends this capture and all since, not new ones only.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        secret, webhook = actions.create_webhook(
            organization_id=options["organization"],
            url=options["url"],
            at=datetime.now(UTC),
            actor="create_webhook",
            name=options["name"],
            from_capture=options["from_capture"],
        )
        show_secret(self, secret, webhook.webhook_id, as_json=options["json"])


def show_secret(command: OperatorCommand, secret: str, webhook_id: uuid.UUID, *, as_json: bool) -> None:
    """Prints a new secret, the only time it is displayed."""
    text = f"{secret}\nWebhook {webhook_id}. The secret is shown once; keep it where the receiver reads it."
    command.show({"secret": secret, "webhook_id": str(webhook_id)}, text, as_json=as_json)
