"""Moves every company of a node of a cluster to the others: `drain_node HOST:PORT [--undo] [--json]`.

Use it before a node is removed or replaced. From its start the node is given no new companies; `--undo` lets it take
companies again, and moves none back. The command may be interrupted at any moment; a second run does the rest.
"""

from argparse import ArgumentParser
from typing import Any

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.tenancy import moving


class Command(OperatorCommand):
    """Only on a cluster, with CLUSTER_ADMINISTRATOR_URL."""

    interrupted = (
        "The move was interrupted. Each company is whole on one node, and the drained one is given no others. Run the"
        " same command again: it does what is left. `--undo` lets the node take companies again."
    )
    help = "Moves all companies of a node to the other nodes of the cluster, while the service runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("node", metavar="HOST:PORT", help="The node, as `manage.py nodes` lists it.")
        parser.add_argument("--undo", action="store_true", help="Let a drained node take companies again.")
        parser.add_argument("--json", action="store_true", help="Print what was done as JSON on standard output.")

    def handle(self, *_: Any, **options: Any) -> None:
        node = options["node"]
        if options["undo"]:
            moving.fill_node(node)
            self.show({"node": node, "takes_companies": True}, f"{node} takes companies.", as_json=options["json"])
            return
        done = moving.drain_node(node, self.tell)
        words = f"{node} holds no company. {moving.sentence(done)}"
        self.show(done._asdict(), words, as_json=options["json"])

    def tell(self, sentence: str) -> None:
        """Prints what is being done, on standard error."""
        self.stderr.write(sentence, self.style.NOTICE)
