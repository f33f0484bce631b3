"""What the commands of an operator have in common."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from compliance.errors import ComplianceError


class OperatorCommand(BaseCommand):
    """A command that a room may refuse: the refusal is one sentence on standard error, and the exit code is 1."""

    def execute(self, *arguments: Any, **options: Any) -> str | None:
        """Runs the command as Django does. Raises CommandError."""
        try:
            return super().execute(*arguments, **options)
        except ComplianceError as error:
            raise CommandError(str(error)) from error

    def show(self, found: object, text: str, *, as_json: bool) -> None:
        """Prints what the command found, as JSON or as text."""
        self.stdout.write(json.dumps(found, default=str) if as_json else text)
