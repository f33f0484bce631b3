"""Users and processes. A process is recognised by its working folder or by the environment it began with.

A pid in a file may be lost, or belong to another process by now; the system itself knows these two.
"""

import contextlib
import os
import pwd
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil


def unprivileged_user() -> pwd.struct_passwd | None:
    """The user that runs PostgreSQL when we are root; None when we are not."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def can_enter(folder: Path, user: pwd.struct_passwd) -> bool:
    """Whether `user` can enter every folder above `folder`, according to the permission bits for others."""
    return all(parent.stat().st_mode & 0o001 or parent.stat().st_uid == user.pw_uid for parent in folder.parents)


def working_in(folder: Path, program: str) -> list[psutil.Process]:
    """The processes of `program` whose working directory is `folder`, without those that another of them started."""
    folder = folder.resolve()
    found = _those(lambda process: program in process.name() and Path(process.cwd()) == folder)
    pids = {process.pid for process in found}
    return [process for process in found if _parent(process) not in pids]


def with_setting(name: str, value: str) -> list[psutil.Process]:
    """The processes that began with this in their environment, without this process and its ancestors."""
    above = {os.getpid(), *(process.pid for process in psutil.Process().parents())}
    return _those(lambda process: process.pid not in above and process.environ().get(name) == value)


def started_here() -> list[psutil.Process]:
    """The descendants of this process."""
    below = {process.pid for process in psutil.Process().children(recursive=True)}
    return _those(lambda process: process.pid in below)


def description(process: psutil.Process) -> str:
    """Its pid, and the beginning of its command line if it still has one."""
    try:
        return f"{process.pid} ({' '.join(process.cmdline())[:100]})"
    except psutil.Error:
        return str(process.pid)


def _parent(process: psutil.Process) -> int | None:
    try:
        return process.ppid()
    except psutil.Error:
        return None


def _those(wanted: Callable[[psutil.Process], bool]) -> list[psutil.Process]:
    """The living processes for which `wanted` is true, without those of other users that may not be inspected."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if wanted(process) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def end(
    found: Callable[[], list[psutil.Process]], *, first: signal.Signals = signal.SIGTERM, seconds: float = 20.0
) -> None:
    """Asks the processes that `found` finds to end, and kills those that have not ended in time.

    They are searched for repeatedly, because a process that is asked to end may still start another.
    """
    for number in (first, signal.SIGKILL):
        asked: set[psutil.Process] = set()
        deadline = time.monotonic() + seconds
        while (running := found()) and time.monotonic() < deadline:
            for process in running:
                if process not in asked:
                    asked.add(process)
                    with contextlib.suppress(psutil.NoSuchProcess):
                        process.send_signal(number)
            time.sleep(0.05)
