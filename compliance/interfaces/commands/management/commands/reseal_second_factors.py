"""`reseal_second_factors`: run it after a new key was put in front of SECOND_FACTOR_KEYS."""

from typing import Any

from django.core.management.base import CommandError

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.console.sign_in import second_factor
from compliance.interfaces.console.sign_in.sealing import UnreadableSecretError


class Command(OperatorCommand):
    """Seals every stored secret under the newest key."""

    help = "Seals the secrets of second factors under the newest of SECOND_FACTOR_KEYS; the older ones may then go."

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Runs the command."""
        try:
            self.stdout.write(f"{second_factor.reseal_all()} secrets are sealed under the newest key.")
        except UnreadableSecretError as error:
            raise CommandError(str(error)) from error
