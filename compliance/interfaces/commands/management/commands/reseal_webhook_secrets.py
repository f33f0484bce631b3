"""`reseal_webhook_secrets`: run it after SECRET_KEY was changed, before the former one leaves SECRET_KEY_FALLBACKS."""

from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.webhooks import actions


class Command(OperatorCommand):
    """Seals every stored secret under the current key."""

    help = "Seals the secrets of webhooks under SECRET_KEY; those of SECRET_KEY_FALLBACKS may then go."

    def handle(self, *_: Any, **__: Any) -> None:
        self.stdout.write(f"The secrets of {actions.reseal_all()} webhooks are sealed under SECRET_KEY.")
