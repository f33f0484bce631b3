"""`python -m compliance.embedded start|stop|run`: the embedded servers from the command line.

`start --folder var` and `stop --folder var` are for development. `run COMMAND...` starts servers in a new temporary
folder, runs the command with their addresses in its environment, ends them and returns the command's exit code:
that is how `make test` gives the suite servers of its own.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from compliance.embedded import binaries, postgresql, servers
from compliance.errors import ComplianceError


def _run(command: list[str], major: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="compliance-records-test-"))
    folder.chmod(0o755)
    # A terminated run must still end its servers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with servers.running(folder, major=major, durable=False) as values:
            return subprocess.run(command, env=os.environ | values, check=False).returncode
    finally:
        shutil.rmtree(postgresql.data_folder(folder), ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    """Runs one command; prints errors on stderr and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m compliance.embedded", description=__doc__)
    parser.add_argument("--postgresql", type=int, choices=sorted(binaries.POSTGRESQL_FOLDERS), default=18)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("start", "stop"):
        verbs.add_parser(verb).add_argument("--folder", type=Path, default=Path("var"))
    verbs.add_parser("run").add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    try:
        if options.verb == "start":
            servers.start(options.folder, major=options.postgresql)
            sys.stdout.write(f"Servers run; their addresses are in {options.folder / servers.FILE}\n")
            return 0
        if options.verb == "stop":
            servers.stop(options.folder)
            return 0
        return _run([word for word in options.command if word != "--"], options.postgresql)
    except ComplianceError as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
