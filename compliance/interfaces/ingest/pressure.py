"""Limits of one process under load: how many large bodies it holds, and how many calls only wait.

Other limits apply earlier: the lane limits threads, the front server limits bodies that are being received, and the
API limits the calls of a source and of a company.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from compliance.interfaces.api.problems import Code, Problem

LARGE_BYTES: Final = 256 * 1024
"""Smaller bodies need no place and are not held up by large ones."""
LARGE_AT_ONCE: Final = 2
"""The lines of a full body take some hundred MiB while they are recorded, and more at once would not be faster."""
WAITING_AT_ONCE: Final = 8
"""Half of the threads, so that calls which wait for the history never stop those that record."""
PATIENCE: Final = timedelta(seconds=5)
"""How long a post waits for its turn before it is refused as busy."""
RETRY_AFTER_SECONDS: Final = 5

_large = threading.BoundedSemaphore(LARGE_AT_ONCE)
_waiting = threading.BoundedSemaphore(WAITING_AT_ONCE)


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Holds one of the places for large bodies, if `size` is large. Raises `recording_busy`."""
    if size <= LARGE_BYTES:
        yield
        return
    if not _large.acquire(timeout=PATIENCE.total_seconds()):
        raise busy("The service records as many large bodies as it can at this moment.")
    try:
        yield
    finally:
        _large.release()


@contextmanager
def place_to_wait() -> Iterator[bool]:
    """Yields whether there is a place to wait for the history, and holds it."""
    held = _waiting.acquire(blocking=False)
    try:
        yield held
    finally:
        if held:
            _waiting.release()


def busy(detail: str) -> Problem:
    """`recording_busy`: nothing was recorded, and the same body may be sent again."""
    return Problem(Code.RECORDING_BUSY, detail, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})
