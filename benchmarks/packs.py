"""The row of evidence packs: the memory of the single-file verifier, run as an auditor runs it."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks import larger_pack, proofs
from benchmarks.building import Company
from benchmarks.reads import Result, at_most
from compliance.interfaces.console.evidence.building import build
from compliance.interfaces.console.evidence.subject import subject
from compliance.proofs.single_file import single_file

MOST_MEGABYTES = 200
# Runs a program as if it had been started alone, and writes the peak memory of its process, in KiB.
_WATCHED = """
import atexit, pathlib, runpy, sys
def say():
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    sys.stdout.write(next(line for line in lines if line.startswith("VmHWM:")))
atexit.register(say)
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def rows(company: Company, times: int, now: datetime) -> Iterator[Result]:
    """Measures a process that verifies a pack of an imported company, made larger by `times`."""
    yesterday = (now - timedelta(days=1)).date()
    with tempfile.TemporaryDirectory() as name, proofs.signed(company.organization_id, now):
        pack, larger, program = (Path(name) / each for each in ("pack.zip", "larger.zip", "verify.py"))
        build(subject(company.organization_id, yesterday - timedelta(days=365), yesterday, now=now), pack)
        key, versions = larger_pack.make(pack, times, larger)
        program.write_text(single_file("verify"), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-I", "-c", _WATCHED, program, larger, "--log-key", key],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        size = larger.stat().st_size
    megabytes = int(done.stdout.split()[-2]) * 1024 / 1e6
    result = at_most("evidence pack, memory of its verifier, MB", megabytes, MOST_MEGABYTES, "", {})
    yield result._replace(note=f"{versions:,} versions, {size / 1e6:.1f} MB: holds")
