"""Bodies of requests: how large, how slow, and from whom. Nothing parses a body before all of it is here.

Whoever is unknown sends at most `ANONYMOUS_BYTES`; staff may send files, and sources facts. A body that is not whole in
time is given up, so nothing is kept for those who send a byte now and then.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from typing import IO, Any, NamedTuple

from compliance.interfaces.serving.errors import BodyRefusedError

ANONYMOUS_BYTES = 64 * 1024
STAFF_BYTES = 65 * 1024 * 1024
"""A file of 64 MiB, and the form around it."""

SOURCE_BYTES = 8 * 1024 * 1024
"""What a source sends at once."""

PATIENCE_SECONDS = 10.0
STAFF_PATIENCE_SECONDS = 600.0
SOURCE_PATIENCE_SECONDS = 120.0
"""How long a body may take until it is whole. A file of 64 MiB takes nine minutes at a megabit a second."""

IN_MEMORY_BYTES = 1024 * 1024
"""A larger body waits in a temporary file."""

WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
UNREADABLE, TIMED_OUT, TOO_LARGE, TOO_MANY = 400, 408, 413, 503

Receive = Callable[[], Awaitable[dict[str, Any]]]


class Allowance(NamedTuple):
    """How much those may send whom an interface knows, and how long they may take for it."""

    size: int
    seconds: float


async def receive_body(
    receive: Receive, told: str | None, allowance: Allowance, known: Callable[[], Awaitable[bool]]
) -> tuple[IO[bytes], int]:
    """The body, from its start, and its size in bytes. `told` is what Content-Length says, null when it says nothing.

    `known` is asked once, and only for a body that is too large for others. Raises BodyRefusedError.
    """
    if told is not None and not (told.isascii() and told.isdigit()):
        raise BodyRefusedError(UNREADABLE)
    allowed, size = ANONYMOUS_BYTES, 0
    body: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115 - the application closes it
    try:
        async with asyncio.timeout(PATIENCE_SECONDS) as deadline:
            more = True
            while more:
                if max(size, int(told or 0)) > allowed:
                    if allowed == allowance.size or not await known():
                        raise BodyRefusedError(TOO_LARGE)
                    allowed = allowance.size
                    deadline.reschedule(asyncio.get_running_loop().time() + allowance.seconds)
                    continue
                message = await receive()
                chunk = message.get("body", b"")
                size += len(chunk)
                body.write(chunk)
                more = message.get("more_body", False)
        if size > allowed:
            raise BodyRefusedError(TOO_LARGE)
        if message["type"] == "http.disconnect" or (told is not None and size != int(told)):
            raise BodyRefusedError(UNREADABLE)
    except TimeoutError:
        body.close()
        raise BodyRefusedError(TIMED_OUT) from None
    except BaseException:
        body.close()
        raise
    body.seek(0)
    return body, size
