"""`make scale`: servers that die, freeze and come back under load; prints one table. Exit 1 where a bound is broken.

It takes a quarter of an hour. SCALE_TIMES (10) says how often the primary is killed.
"""

import argparse
import os
import sys

from benchmarks.scale import failover
from benchmarks.scale.table import Row, markdown

PARTS = {"failover": failover.measure}


def main() -> int:
    """Runs the parts that are asked for, and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="these alone")
    options = parser.parse_args()
    times = int(os.environ.get("SCALE_TIMES", "10"))
    rows: list[Row] = []
    for name in options.parts or PARTS:
        rows += PARTS[name](times)
    sys.stdout.write(markdown(rows))
    return 1 if any(row.faults for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
