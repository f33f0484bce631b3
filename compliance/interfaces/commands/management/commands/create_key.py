"""Issues an API key for a company: `create_key ORG --scope S ... [--name] [--network CIDR] [--expires]`."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from compliance.access import actions
from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.rules.instants import read_instant
from compliance.rules.vocabulary import Scope


class Command(OperatorCommand):
    """Prints the key once; only its digest is stored."""

    help = "Issues an API key for a company. The key is displayed once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", type=uuid.UUID)
        parser.add_argument("--scope", action="extend", nargs="+", required=True, dest="scopes", help=", ".join(Scope))
        parser.add_argument("--name", default="", help="What the key is for.")
        parser.add_argument("--network", action="append", default=[], dest="networks", help="CIDR; may be repeated.")
        parser.add_argument(
            "--expires", help="RFC 3339 instant with offset; without it the key ends in a year, which is the longest."
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        expires_at = instant(options["expires"]) if options["expires"] else None
        token, key = actions.issue_key(
            organization_id=options["organization"],
            scopes=options["scopes"],
            environment=settings.ENVIRONMENT,
            at=datetime.now(UTC),
            actor="create_key",
            name=options["name"],
            networks=options["networks"],
            expires_at=expires_at,
        )
        show_key(self, token, key.key_id, as_json=options["json"])


def instant(text: str) -> datetime:
    """The instant that an option names. Raises CommandError."""
    try:
        return read_instant(text)
    except ValueError:
        raise CommandError(f"{text!r} is no instant with an offset. Write it like 2027-01-31T00:00:00Z.") from None


def show_key(command: OperatorCommand, token: str, key_id: uuid.UUID, *, as_json: bool) -> None:
    """Prints a new key, the only time it is displayed."""
    text = f"{token}\nKey {key_id}. It is shown once; keep it in a secret store."
    command.show({"key": token, "key_id": str(key_id)}, text, as_json=as_json)
