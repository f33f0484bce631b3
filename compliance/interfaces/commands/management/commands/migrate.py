"""`migrate` as the owner of the tables: the application's role may not change the schema (design 11)."""

from typing import Any

from django.conf import settings
from django.core.management.commands.migrate import Command as Migrate


class Command(Migrate):
    """Django's own command, on the `owner` connection unless --database says otherwise."""

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Runs the migrations."""
        if options["database"] == "default" and "owner" in settings.DATABASES:
            options["database"] = "owner"
        super().handle(*arguments, **options)
