"""`manage.py distribute`: moves every table to its place on a cluster."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from compliance.tenancy.distributing import distribute
from compliance.tenancy.errors import NotDistributedError, NotEstablishedError


class Command(BaseCommand):
    """Only on a cluster (CLUSTER=1). `manage.py migrate` does the same at its end."""

    help = "Brings every table to where its declaration puts it on a cluster. May be run again at any time."

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Moves each table that is not in its place, and prints what it moved."""
        if not settings.CLUSTER:
            raise CommandError("CLUSTER is not 1: this installation has one PostgreSQL, and nothing is to be placed.")
        try:
            moved = 0
            for sentence in distribute("owner" if "owner" in settings.DATABASES else "default"):
                moved += 1
                self.stdout.write(sentence)
        except (NotDistributedError, NotEstablishedError) as error:
            raise CommandError(str(error)) from error
        if not moved:
            self.stdout.write("Every table is in its place.")
