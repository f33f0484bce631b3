"""Ports, users and process identities that both servers need."""

import contextlib
import os
import pwd
import signal
import socket
import time
from pathlib import Path


def free_port() -> int:
    """A TCP port on the loopback address that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def unprivileged_user() -> pwd.struct_passwd | None:
    """The user that PostgreSQL runs as when we are root; None when we are not."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def can_enter(folder: Path, user: pwd.struct_passwd) -> bool:
    """Whether `user` can pass through every folder above `folder`, judged by the permission bits for others."""
    return all(parent.stat().st_mode & 0o001 or parent.stat().st_uid == user.pw_uid for parent in folder.parents)


def runs(pid: int, program: str) -> bool:
    """Whether process `pid` lives and is `program` (a pid may have been given to someone else since)."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return bool(words) and program in words[0].decode(errors="replace")


def end(pid: int, program: str, seconds: float = 20.0) -> None:
    """Asks process `pid` to end, and kills it when it has not ended in time."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not runs(pid, program):
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        deadline = time.monotonic() + seconds
        while runs(pid, program) and time.monotonic() < deadline:
            time.sleep(0.02)
