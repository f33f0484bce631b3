"""Lists webhooks and their states: `list_webhooks [ORG] [--json]`."""

import json
import uuid
from argparse import ArgumentParser
from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.tenancy.queries import organization
from compliance.webhooks import queries


class Command(OperatorCommand):
    """Prints a line for each webhook, without its secret and without the query of its URL."""

    help = "Lists webhooks: their addresses and states, and up to which capture the receiver has acknowledged."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", type=uuid.UUID, nargs="?", help="One company; all of them without.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        organization_id = options["organization"]
        if organization_id is not None:
            organization(organization_id)
        found = queries.of_all() if organization_id is None else queries.of_company(organization_id)
        if options["json"]:
            self.stdout.write(json.dumps([queries.described(each) for each in found], default=str))
            return
        for each in found:
            fields, state = queries.described(each), queries.state(each)
            self.stdout.write(
                f"{each.webhook_id} {each.organization_id} {each} {fields['url']} {state.word}: {state.words};"
                f" acknowledged up to capture {each.capture_sequence}"
            )
        self.stdout.write(f"{len(found)} webhooks.")
