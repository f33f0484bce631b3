"""Allows one demo per folder, and finds what a crashed one left running, by a setting that names its folder.

Everything that the demo starts inherits the setting, so a start finds it whichever process died, and never takes the
demo of another folder for its own.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path

import psutil

from compliance.errors import ComplianceError
from development.embedded import processes

SETTING = "COMPLIANCE_DEMO"
_LOCK = "demo.lock"


class AlreadyRunningError(ComplianceError):
    """Another demo runs in this folder, started by a process that still lives."""


def setting(folder: Path) -> dict[str, str]:
    """The setting in every process of the demo of `folder`."""
    return {SETTING: str(folder)}


def end(folder: Path) -> None:
    """Ends every process that a demo of `folder` started, however that demo ended. Servers are not among them."""
    processes.end(lambda: processes.with_setting(SETTING, str(folder)), seconds=15)


@contextlib.contextmanager
def only_one(folder: Path, address: str) -> Iterator[None]:
    """Holds the lock of `folder`, which the system releases however this process ends.

    A demo whose terminal or `make` was killed cannot be stopped by anybody, so it is ended first. Raises
    AlreadyRunningError when a demo runs whose starter still lives.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("a+") as lock:
        if not _locked(lock.fileno()):
            _end_orphan(folder)
            if not _locked(lock.fileno()):
                lock.seek(0)
                held = json.loads(lock.read() or "{}")
                raise AlreadyRunningError(
                    f"The demo of this folder runs already, on {held.get('address', 'its port')}."
                    f" End it with Ctrl-C where it runs, or: kill {held.get('pid', '')}"
                )
        lock.truncate(0)
        json.dump({"pid": os.getpid(), "parent": os.getppid(), "address": address}, lock)
        lock.flush()
        yield


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end_orphan(folder: Path) -> None:
    """Asks the demo that holds the lock to stop in order, if the process that started it is gone."""
    try:
        held = json.loads((folder / _LOCK).read_text())
        demo = psutil.Process(held["pid"])
        if demo.ppid() == held["parent"] or "development.demo" not in demo.cmdline():
            return
    except (ValueError, KeyError, psutil.Error):
        return
    processes.end(lambda: [demo] if demo.is_running() and demo.status() != psutil.STATUS_ZOMBIE else [], seconds=60)
