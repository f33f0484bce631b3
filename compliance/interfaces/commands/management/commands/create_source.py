"""Issues a source and its token: `create_source ORG NAME --kind K ... [--network CIDR] [--expires] [--leaving]`."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.conf import settings

from compliance.access.models import Source
from compliance.access.sources import SCIM, issue_source
from compliance.facts.lines.kinds import KINDS
from compliance.interfaces.commands.management.commands.create_key import instant
from compliance.interfaces.commands.operator_command import OperatorCommand


class Command(OperatorCommand):
    """Prints the token once; only its digest is stored."""

    help = "Issues a source: a program that sends facts of one company. Its token is displayed once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", type=uuid.UUID)
        parser.add_argument("name", help="What stories name as the origin of its facts, like Workday.")
        parser.add_argument(
            "--kind",
            action="extend",
            nargs="+",
            required=True,
            dest="kinds",
            metavar="KIND",
            help=f"What it may send; several, or repeated. {SCIM}: people and teams by SCIM. {', '.join(KINDS)}.",
        )
        parser.add_argument(
            "--network", action="extend", nargs="+", default=[], dest="networks", help="CIDR; several, or repeated."
        )
        parser.add_argument(
            "--expires", help="RFC 3339 instant with offset; without it the token ends in a year, which is the longest."
        )
        parser.add_argument(
            "--leaving",
            choices=Source.Leaving.values,
            default=Source.Leaving.LEFT.value,
            help="What it means that an identity provider sets a person inactive.",
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        token, source = issue_source(
            organization_id=options["organization"],
            name=options["name"],
            kinds=options["kinds"],
            environment=settings.ENVIRONMENT,
            at=datetime.now(UTC),
            actor="create_source",
            networks=options["networks"],
            leaving=options["leaving"],
            expires_at=instant(options["expires"]) if options["expires"] else None,
        )
        show_token(self, token, source, as_json=options["json"])


def show_token(command: OperatorCommand, token: str, source: Source, *, as_json: bool) -> None:
    """Prints a new token, the only time it is displayed."""
    text = (
        f"{token}\nSource {source.source_id}, until {source.expires_at:%Y-%m-%dT%H:%M:%SZ}. The token is shown once;"
        " keep it in a secret store."
    )
    command.show({"token": token, "source_id": str(source.source_id)}, text, as_json=as_json)
