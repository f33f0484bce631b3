"""Lists API keys that open, by company: `list_keys [ORG] [--issuer-left] [--json]`."""

import json
import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand

from compliance.access.models import ApiKey
from compliance.interfaces.console import issuers


class Command(BaseCommand):
    """Prints a line a key: which, whose, until when, by whom."""

    help = "Lists the API keys that still open. With --issuer-left those whose issuer is no member of staff any more."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", type=uuid.UUID, nargs="?", help="One company; all of them without.")
        parser.add_argument("--issuer-left", action="store_true", help="Only keys whose issuer has left.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        found = issuers.still_open(ApiKey, datetime.now(UTC), options["organization"])
        if options["issuer_left"]:
            found = [each for each in found if each.issuer_left]
        if options["json"]:
            self.stdout.write(json.dumps([_described(each) for each in found], default=str))
            return
        for each in found:
            left = " (has left)" if each.issuer_left else ""
            ends = f"{each.row.expires_at:%Y-%m-%d}" if each.row.expires_at else "never"
            self.stdout.write(
                f"{each.row.key_id} {each.row.organization_id} {each.row.name or 'No name'} …{each.row.ending}"
                f" {' '.join(each.row.scopes)}; ends {ends}; issued by {each.issuer or 'unknown'}{left}"
            )
        self.stdout.write(f"{len(found)} keys.")


def _described(each: issuers.Issued[ApiKey]) -> dict[str, Any]:
    key = each.row
    return {
        "key_id": key.key_id, "organization_id": key.organization_id, "name": key.name, "ending": key.ending,
        "scopes": key.scopes, "expires_at": key.expires_at, "issued_by": each.issuer, "issuer_left": each.issuer_left,
    }  # fmt: skip
