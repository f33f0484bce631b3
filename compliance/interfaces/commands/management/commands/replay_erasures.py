"""Repeats erasures after a restore from a backup: `replay_erasures [FILE]`.

Reads the list outside the database (setting ERASURE_LIST). It skips people who are erased already, so it may run any
number of times. It adds nothing to the list but entries that are there already. A line that cannot be read, or an
erasure that fails, does not stop the others: all are tried, then the command names the failures and exits with 1.
"""

import uuid
from argparse import ArgumentParser
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from compliance.facts.errors import AlreadyExistsError, ErasedPersonError, FactsError, UnresolvedReferenceError
from compliance.facts.people import erasure_list
from compliance.facts.people.erasing import repeat
from compliance.facts.recording import Channel, Teller, telling
from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.tenancy.models import Organization


class Command(OperatorCommand):
    """Repeats each erasure of the list that is missing in the database."""

    help = "After a restore: erases again everyone on the list of erasures whom the restored database still shows."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="The list; ERASURE_LIST without.")

    def handle(self, *_: Any, **options: Any) -> None:
        path = options["file"] or Path(settings.ERASURE_LIST)
        try:
            entries = list(erasure_list.read(path))  # to its end first: erasures append to it
        except FileNotFoundError as error:
            raise CommandError(
                f"There is no list of erasures at {path}. If nobody was ever erased, there is nothing to do; else set"
                " ERASURE_LIST to where it is, or take it from the backup."
            ) from error
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from error
        known = set(Organization.objects.values_list("organization_id", flat=True))
        outcomes: Counter[str] = Counter()
        unread, failed = [], 0
        for found in entries:
            if isinstance(found, erasure_list.Unreadable):
                unread.append(found.number)
                self.stderr.write(f"Line {found.number} of the list is not an erasure.")
                continue
            try:
                outcomes[self._repeat(found, known)] += 1
            except FactsError as error:
                failed += 1
                whom = found.learner_profile_id or found.invitation_id
                self.stderr.write(f"{whom} of organization {found.organization_id} was not erased: {error}")
        for outcome, count in sorted(outcomes.items()):
            self.stdout.write(f"{count:>8,} {outcome}")
        if unread or failed:
            raise CommandError(self._verdict(unread, failed))

    def _repeat(self, entry: erasure_list.Entry, known: set[uuid.UUID]) -> str:
        if entry.organization_id not in known:
            return "of companies that are not here"
        try:
            with telling(Teller(Channel.COMMAND, "replay_erasures")):
                repeat(entry, now=datetime.now(UTC))
        except (AlreadyExistsError, ErasedPersonError):
            return "stood already"
        except UnresolvedReferenceError:
            return "of people who are not here"
        return "erased again"

    def _verdict(self, unread: list[int], failed: int) -> str:
        sentences = []
        if unread:
            sentences.append(f"Not read: {', '.join(f'line {number}' for number in unread)}.")
        if failed:
            sentences.append(f"{failed} erasures could not be done.")
        sentences.append(
            "Everything else on the list was. Do not serve readers before these are settled: `The list of erasures has"
            " a torn line` in docs/operations.md."
        )
        return " ".join(sentences)
