"""`make scale`: servers that die, freeze and come back under load; prints one table. Exit 1 where a bound is broken.

`nodes` and `moves` need CITUS, the folder of PostgreSQL with Citus; `failover` takes a quarter of an hour.
SCALE_TIMES says how often a node (20) or a primary (10) is killed, a company moved (10), and reads with and without a
standby are measured (2); SCALE_SECONDS (60) for how long a node is frozen.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable

from benchmarks.scale import failover, moves, nodes, ratios, standbys
from benchmarks.scale.table import Row, markdown
from development.embedded import cluster

PARTS: dict[str, tuple[Callable[[int], list[Row]], int]] = {
    "nodes": (nodes.measure, 20),
    "moves": (moves.measure, 10),
    "standbys": (standbys.measure, 2),
    "failover": (failover.measure, 10),
    "ratios": (ratios.measure, 10),
}
ON_CLUSTER = {"nodes", "moves", "ratios"}


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
    chosen = [name for name in asked or PARTS if name not in without]
    if len(chosen) > 1:
        return _each_in_a_process(chosen)
    rows: list[Row] = []
    for name in chosen:
        measure, times = PARTS[name]
        rows += measure(int(os.environ.get("SCALE_TIMES", times)))
    sys.stdout.write(markdown(rows))
    return 1 if any(row.faults for row in rows) else 0


def _each_in_a_process(parts: list[str]) -> int:
    """Each part alone, because a process has one database; their rows in one table."""
    sys.stdout.write(markdown([]))
    code = 0
    for name in parts:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.scale", name], stdout=subprocess.PIPE, text=True, check=False
        )
        code = code or done.returncode
        sys.stdout.write("".join(done.stdout.splitlines(keepends=True)[len(markdown([]).splitlines()) :]))
        sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(main())
