"""What a crashed demo left running: recognised by its session and by what its processes are, and ended."""

import contextlib
import os
import signal
import time
from pathlib import Path

_FILE = "demo.session"


def remember(folder: Path, session: int) -> None:
    """Notes the session that web, worker and beat run in."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _FILE).write_text(str(session))


def end(folder: Path) -> None:
    """Ends every process of the noted session that is a program of ours; a pid given to others since is left alone."""
    file = folder / _FILE
    try:
        session = int(file.read_text())
    except (OSError, ValueError):
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in _ours(session):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        deadline = time.monotonic() + 15
        while _ours(session) and time.monotonic() < deadline:
            time.sleep(0.05)
    file.unlink(missing_ok=True)


def _ours(session: int) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        mine = any(name in words for name in (b"honcho", b"granian", b"celery", b"compliance"))
        if fields[0] != "Z" and int(fields[3]) == session and mine:
            found.append(int(folder.name))
    return found
