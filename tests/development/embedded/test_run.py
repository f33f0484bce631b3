"""`python -m development.embedded run`, in which the suite runs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[3]
RUN = [sys.executable, "-m", "development.embedded"]
DAEMON = "import subprocess, sys; print(subprocess.Popen(['sleep', '600'], start_new_session=True).pid, flush=True)"


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_command_gets_servers_of_its_own_and_its_exit_code_comes_back():
    script = "import os, sys, psycopg; psycopg.connect(os.environ['DATABASE_URL']).close(); sys.exit(7)"
    done = subprocess.run(
        [*RUN, "--postgresql", "16", "run", "--", sys.executable, "-c", script],
        cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 7


def test_a_process_that_the_command_leaves_running_is_named_and_ended_and_the_run_fails():
    done = subprocess.run(
        [*RUN, "run", "--", sys.executable, "-c", DAEMON], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert f"left processes running, which are ended now: {done.stdout.strip()} (sleep 600)" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not _lives(int(done.stdout))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_terminated_leaves_nothing(number):
    script = f"{DAEMON}; import os, time; print(os.environ['DATABASE_URL'], flush=True); time.sleep(600)"
    before = signal.signal(number, signal.SIG_DFL)  # under nohup the run would start with SIGHUP ignored
    try:
        run = subprocess.Popen(
            [*RUN, "run", "--", sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
    finally:
        signal.signal(number, before)
    with run:
        assert run.stdout is not None
        daemon, address = int(run.stdout.readline()), run.stdout.readline()
        assert address.startswith("postgresql://")
        started = [daemon, *(process.pid for process in psutil.Process(run.pid).children(recursive=True))]
        assert len(started) > 3
        os.kill(run.pid, number)
        assert run.wait(timeout=60) == 128 + number
    assert [pid for pid in started if _lives(pid)] == []
