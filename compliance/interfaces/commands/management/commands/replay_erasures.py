"""Does erasures again after a restore from a backup (issue 5): `replay_erasures [FILE]`.

Reads the list outside the database (setting ERASURE_LIST). What stands erased is left alone, so it may run any number
of times. Nothing new is added to the list by it that is not there.
"""

import uuid
from argparse import ArgumentParser
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from compliance.facts.errors import AlreadyExistsError, ErasedPersonError, FactsError, UnresolvedReferenceError
from compliance.facts.people import erasure_list
from compliance.facts.people.erasing import repeat
from compliance.tenancy.models import Organization


class Command(BaseCommand):
    """Repeats each erasure of the list that the database does not hold."""

    help = "After a restore: erases again everyone on the list of erasures whom the restored database still shows."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="The list; ERASURE_LIST without.")

    def handle(self, *_: Any, **options: Any) -> None:
        path = options["file"] or Path(settings.ERASURE_LIST)
        if not path.exists():
            raise CommandError(
                f"There is no list of erasures at {path}. If nobody was ever erased, there is nothing to do; else set"
                " ERASURE_LIST to where it is, or take it from the backup."
            )
        known = set(Organization.objects.values_list("organization_id", flat=True))
        outcomes: Counter[str] = Counter()
        try:
            for entry in list(erasure_list.read(path)):
                outcomes[self._repeat(entry, known)] += 1
        except FactsError as error:
            raise CommandError(str(error)) from error
        for outcome, count in sorted(outcomes.items()):
            self.stdout.write(f"{count:>8,} {outcome}")

    def _repeat(self, entry: erasure_list.Entry, known: set[uuid.UUID]) -> str:
        if entry.organization_id not in known:
            return "of companies that are not here"
        try:
            repeat(entry, now=datetime.now(UTC))
        except (AlreadyExistsError, ErasedPersonError):
            return "stood already"
        except UnresolvedReferenceError:
            return "of people who are not here"
        return "erased again"
