"""Many random companies, each asked at every boundary and between: `python -m tests.oracle --times 500 --first 1000`.

It needs servers of its own: `python -m development.embedded run -- python -m tests.oracle --times 500`. Story N is the
same in every run, so `--first N --times 1` tells one again.
"""

import argparse
import os
import sys

import pytest

arguments = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
arguments.add_argument("--times", type=int, default=100, help="how many stories (100)")
arguments.add_argument("--first", type=int, default=1000, help="the number of the first (1000)")
arguments.add_argument("--moments", type=int, help="how many moments of each chapter are asked about (all)")

if __name__ == "__main__":
    chosen = arguments.parse_args()
    os.environ |= {"ORACLE_FIRST": str(chosen.first), "ORACLE_TIMES": str(chosen.times)}
    os.environ["ORACLE_MOMENTS"] = str(chosen.moments or "all")
    sys.exit(pytest.main(["tests/oracle/test_companies.py", "-q", "--tb=line", "--timeout=0"]))
