"""`python -m development.embedded start|stop|run`: the embedded servers from the command line.

`start --folder var` and `stop --folder var` are for development. `run COMMAND...` starts servers in a new temporary
folder, runs the command with their addresses in its environment, ends them and returns the command's exit code:
that is how `make test` gives the suite servers of its own. What the command leaves running is named and ended, and
`run` then fails.
"""

import argparse
import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from compliance.errors import ComplianceError
from development.embedded import binaries, cluster, postgresql, processes, servers
from development.embedded.errors import LeftRunningError

_BECOME_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2), Linux
_GRACE_SECONDS = 5.0
"""How long processes may take to end after the command that started them."""


def _run(command: list[str], major: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="compliance-records-test-"))
    folder.chmod(0o755)
    # A run that is terminated, or whose terminal is closed, must still end its servers.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda signalled, _: sys.exit(128 + signalled))
    try:
        with _nothing_left_running(), servers.running(folder, major=major, durable=False) as values:
            return _exit_code(command, os.environ | values)
    finally:
        for each in (folder, *cluster.folders(folder)):
            shutil.rmtree(postgresql.data_folder(each), ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


def _exit_code(command: list[str], environment: dict[str, str]) -> int:
    """Runs `command` to its end, and reaps every other process that ends meanwhile."""
    runner = subprocess.Popen(command, env=environment)
    try:
        while True:
            pid, status = os.wait()
            if pid == runner.pid:
                runner.returncode = os.waitstatus_to_exitcode(status)
                return runner.returncode if runner.returncode >= 0 else 128 - runner.returncode
    except BaseException as reason:
        if not isinstance(reason, KeyboardInterrupt):  # Ctrl-C was sent to the command too
            runner.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            runner.wait(timeout=_GRACE_SECONDS)
        raise


@contextlib.contextmanager
def _nothing_left_running() -> Iterator[None]:
    """Ends all remaining processes that were started within, whoever their parent was, and raises LeftRunningError.

    As a subreaper this process inherits orphans and daemons, so it finds all that it started. Without prctl (outside
    Linux) it finds only processes whose parents live.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
        deadline = time.monotonic() + _GRACE_SECONDS
        while (left := processes.started_here()) and time.monotonic() < deadline:
            time.sleep(0.05)
        if left:
            names = ", ".join(processes.description(process) for process in left)
            raise LeftRunningError(f"The command left processes running, which are ended now: {names}")
    finally:
        processes.end(processes.started_here, seconds=_GRACE_SECONDS)


def main() -> int:
    """Runs one command; prints errors on stderr and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m development.embedded", description=__doc__)
    parser.add_argument(
        "--postgresql", type=int, choices=sorted(binaries.POSTGRESQL_FOLDERS), default=binaries.NEWEST_POSTGRESQL
    )
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
        command = options.command[options.command[:1] == ["--"] :]
        return _run(command, options.postgresql) if command else parser.error("run needs a command")
    except ComplianceError as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
