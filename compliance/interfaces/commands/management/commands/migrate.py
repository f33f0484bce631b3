"""`migrate` as the owner of the tables: the application's role may not change the schema.

At its end it creates the triggers and row-level security policies that the models declare, and prints each change; on
a cluster it distributes new tables to their nodes first.
"""

from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.commands.migrate import Command as Migrate

from compliance.tenancy.distributing import distribute
from compliance.tenancy.errors import NotDistributedError, NotEstablishedError
from compliance.tenancy.establishing import establish


class Command(Migrate):
    """Django's own command, on the `owner` connection unless --database names another."""

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Runs the migrations."""
        if options["database"] == "default" and "owner" in settings.DATABASES:
            options["database"] = "owner"
        super().handle(*arguments, **options)
        if options["app_label"] or options["plan"] or options["check_unapplied"]:
            return
        try:
            changed = list((distribute if settings.CLUSTER else establish)(options["database"]))
        except (NotDistributedError, NotEstablishedError) as error:
            raise CommandError(str(error)) from error
        if options["verbosity"] > 0:
            self.stdout.write(self.style.MIGRATE_HEADING("Protections:"))
            for sentence in changed or ["as the models declare them already."]:
                self.stdout.write(f"  {sentence}")
