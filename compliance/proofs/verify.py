"""Verify evidence packs, proofs of rows and pulled pages without the service: what `/tools/verify.py` is made from.

A pack is read where it lies: nothing is unpacked, and nothing in it is imported or run.
"""

import sys
from collections.abc import Sequence

from .command import run
from .pack import verify_pack


def main(arguments: Sequence[str]) -> int:
    """Verify the files named and print the findings; return the exit status."""
    return run(arguments, sys.stdout, sys.stderr, "verify.py", verify_pack)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
