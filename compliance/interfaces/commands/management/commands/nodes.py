"""Lists the nodes of a cluster and their contents, and with `--companies` the node of each: `nodes [--json]`."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.tenancy import shards


class Command(OperatorCommand):
    """Only on a cluster; it needs no administrator."""

    help = "Lists the nodes of the cluster with their companies and sizes, and with --companies each company's node."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--companies", action="store_true", help="Also each company, by node.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        if not settings.CLUSTER:
            raise CommandError("CLUSTER is not 1: this installation has one PostgreSQL.")
        uses = shards.uses()
        found: dict[str, Any] = {
            "nodes": [
                {"node": each.node.name, "takes_companies": each.node.takes_companies}
                | {name: value for name, value in each._asdict().items() if name != "node"}
                for each in uses
            ]
        }
        lines = [_line(each) for each in uses]
        if options["companies"]:
            names = {each.node.number: each.node.name for each in uses}
            found["companies"] = [
                {"organization_id": company, "node": names[shard.node], "shares_with": len(shard.companies) - 1}
                for shard in shards.shards()
                for company in shard.companies
            ]
            lines += [
                f"{each['organization_id']}  {each['node']}"
                + (f", in one shard with {each['shares_with']:,} more" if each["shares_with"] else "")
                for each in sorted(found["companies"], key=lambda each: (each["node"], str(each["organization_id"])))
            ]
        self.show(found, "\n".join(lines), as_json=options["json"])


def _line(use: shards.Use) -> str:
    size = "does not answer" if use.bytes is None else f"{use.bytes / 1e6:,.1f} MB"
    line = f"{use.node.name}  companies {use.companies:,}, shards {use.shards:,}, {size}"
    if not use.node.takes_companies:
        line += ", drained"
    if use.left_over:
        line += f", tables left over {use.left_over:,}"
    return line
