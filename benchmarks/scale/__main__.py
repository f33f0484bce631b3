"""`make scale`: servers that die, freeze and come back under load; prints one table. Exit 1 where a bound is broken.

`failover` takes a quarter of an hour, `nodes` a few minutes and CITUS, the folder of PostgreSQL with Citus.
SCALE_TIMES says how often a primary (10) or a node (20) is killed, SCALE_SECONDS (60) for how long it is frozen.
"""

import argparse
import os
import sys
from collections.abc import Callable

from benchmarks.scale import failover, nodes
from benchmarks.scale.table import Row, markdown
from development.embedded import cluster

PARTS: dict[str, tuple[Callable[[int], list[Row]], int]] = {
    "nodes": (nodes.measure, 20),
    "failover": (failover.measure, 10),
}
ON_CLUSTER = {"nodes"}


def main() -> int:
    """Runs the parts that are asked for, and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="these alone")
    asked = parser.parse_args().parts
    without = [name for name in asked or PARTS if name in ON_CLUSTER and not cluster.wanted()]
    if without and asked:
        parser.error(f"{', '.join(without)}: CITUS must name a folder with PostgreSQL 18 and Citus (docs/scale.md)")
    if without:
        sys.stderr.write(f"Without CITUS there is no cluster: {', '.join(without)} left out.\n")
    rows: list[Row] = []
    for name in asked or PARTS:
        if name not in without:
            measure, times = PARTS[name]
            rows += measure(int(os.environ.get("SCALE_TIMES", times)))
    sys.stdout.write(markdown(rows))
    return 1 if any(row.faults for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
