"""Keeps a web worker on one processor, where the setting `WEB_WORKER_PROCESSORS` asks for it.

Python runs one thread of a process at a time, and each call passes through three: the server's, the event loop's, and
the one that answers. On one processor the next thread runs as soon as the one before waits. Otherwise the system wakes
another processor for it, which takes long, and whose caches hold nothing of the call
(docs/adr/0140-a-web-worker-stays-on-one-processor.md).
"""

import contextlib
import errno
import os
import socket
from pathlib import Path

_held: list[socket.socket] = []


def stay() -> int:
    """Keeps the threads of this process, and those that they start, on one of its processors; returns the number of it.

    Workers of one server get different ones, as long as there are enough. For Linux.
    """
    allowed = sorted(os.sched_getaffinity(0))
    chosen = allowed[_place() % len(allowed)]
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.sched_setaffinity(int(thread.name), {chosen})
    return chosen


def _place() -> int:
    """The lowest number that no other worker of this server has; it is free again when this process ends.

    It is held as a name in Linux's abstract namespace of sockets (unix(7)).
    """
    number = 0
    while not _take(number):
        number += 1
    return number


def _take(number: int) -> bool:
    held = socket.socket(socket.AF_UNIX)
    try:
        held.bind(f"\0compliance-records-web-{os.getppid()}-{number}")
    except OSError as error:
        held.close()
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    _held.append(held)
    return True
