"""Receives bodies of requests, within limits of size and time by sender. No body is parsed before all of it is here.

Unknown senders may send at most `ANONYMOUS_BYTES`, or a signature; staff may send files, and sources facts. A body
that is not complete in time is given up, so clients that send a byte now and then occupy nothing for long.
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
"""The most that a source may send at once."""

PATIENCE_SECONDS = 10.0
SIGNATURE_PATIENCE_SECONDS = 30.0
STAFF_PATIENCE_SECONDS = 600.0
SOURCE_PATIENCE_SECONDS = 120.0
"""How long a body may take until it is complete. A file of 64 MiB takes nine minutes at a megabit a second."""

IN_MEMORY_BYTES = 1024 * 1024
"""A larger body is kept in a temporary file."""

WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
UNREADABLE, TIMED_OUT, TOO_LARGE, TOO_MANY = 400, 408, 413, 503

Receive = Callable[[], Awaitable[dict[str, Any]]]


class Allowance(NamedTuple):
    """How much a sender that an interface knows may send, and for how long."""

    size: int
    seconds: float


async def receive_body(
    receive: Receive,
    content_length: str | None,
    allowance: Allowance,
    known: Callable[[], Awaitable[bool]],
    deadline: asyncio.Timeout,
) -> tuple[IO[bytes], int]:
    """The body, from its start, and its size in bytes. `content_length` is the header field, None where it is missing.

    `known` is asked once, and only for a body that is too large for unknown senders; then `deadline` becomes the
    allowance's. Raises BodyRefusedError, and TimeoutError at the deadline.
    """
    if content_length is not None and not (content_length.isascii() and content_length.isdigit()):
        raise BodyRefusedError(UNREADABLE)
    allowed, size = ANONYMOUS_BYTES, 0
    body: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115 - the application closes it
    try:
        async with deadline:
            more = True
            while more:
                if max(size, int(content_length or 0)) > allowed:
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
        if message["type"] == "http.disconnect" or (content_length is not None and size != int(content_length)):
            raise BodyRefusedError(UNREADABLE)
    except BaseException:
        body.close()
        raise
    body.seek(0)
    return body, size
