"""Moves a company to another node of a cluster: `move_company ORG --to HOST:PORT [--json]`.

Companies that share its shard (`manage.py nodes --companies` lists them) move with it. The service goes on: readers
notice nothing, a write waits for 5 s at most. The command may be interrupted at any moment; a second run does the rest.
Progress is printed on standard error.
"""

import uuid
from argparse import ArgumentParser
from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.tenancy import moving


class Command(OperatorCommand):
    """Only on a cluster, with CLUSTER_ADMINISTRATOR_URL."""

    interrupted = (
        "The move was interrupted. The company is whole on one node, as `manage.py nodes --companies` says. Run the"
        " same command again: it does what is left."
    )
    help = "Moves a company to another node of the cluster, while the service runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization_id", type=uuid.UUID, metavar="ORG")
        parser.add_argument("--to", required=True, metavar="HOST:PORT", help="The node, as `manage.py nodes` lists it.")
        parser.add_argument("--json", action="store_true", help="Print what was done as JSON on standard output.")

    def handle(self, *_: Any, **options: Any) -> None:
        done = moving.move_company(options["organization_id"], options["to"], self.tell)
        words = f"The company is on {options['to']}."
        if done.shards:
            words += f" {moving.sentence(done)}"
        self.show(done._asdict(), words, as_json=options["json"])

    def tell(self, sentence: str) -> None:
        """Prints what is being done, on standard error."""
        self.stderr.write(sentence, self.style.NOTICE)
