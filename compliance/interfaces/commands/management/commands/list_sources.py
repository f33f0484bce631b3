"""Lists sources that open, by company: `list_sources [ORG] [--issuer-left] [--json]`."""

import json
import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand

from compliance.access.models import Source
from compliance.interfaces.console import issuers


class Command(BaseCommand):
    """Prints a line a source: which, what it may bring, until when, by whom."""

    help = "Lists the sources that still open. With --issuer-left those whose issuer is no member of staff any more."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", type=uuid.UUID, nargs="?", help="One company; all of them without.")
        parser.add_argument("--issuer-left", action="store_true", help="Only sources whose issuer has left.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        found = issuers.still_open(Source, datetime.now(UTC), options["organization"])
        if options["issuer_left"]:
            found = [each for each in found if each.issuer_left]
        if options["json"]:
            self.stdout.write(json.dumps([_described(each) for each in found], default=str))
            return
        for each in found:
            source, left = each.row, " (has left)" if each.issuer_left else ""
            self.stdout.write(
                f"{source.source_id} {source.organization_id} {source} {' '.join(source.kinds)};"
                f" ends {source.expires_at:%Y-%m-%d}; issued by {each.issuer or 'unknown'}{left}"
            )
        self.stdout.write(f"{len(found)} sources.")


def _described(each: issuers.Issued[Source]) -> dict[str, Any]:
    source = each.row
    return {
        "source_id": source.source_id, "organization_id": source.organization_id, "name": source.name,
        "ending": source.ending, "kinds": source.kinds, "networks": source.networks, "leaving": source.leaving,
        "expires_at": source.expires_at, "former_until": source.former_until, "last_used_at": source.last_used_at,
        "issued_by": each.issuer, "issuer_left": each.issuer_left,
    }  # fmt: skip
