"""The ASGI application that the server runs: a thread for each request that is ready to be answered.

The body is received first, on the event loop, where a slow sender occupies a place (`places`) but no
thread. Then one of the threads of its interface runs the WSGI application. A streamed answer is produced chunk by
chunk, as its reader takes it, so a slow reader occupies no thread either.

As PEP 3333 requires, an answer is closed when the request is complete. Work at its closing (a line in the log, the end
of Django's request) delays no answer.
"""

import asyncio
import contextvars
import io
import logging
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from compliance.interfaces.serving import bodies
from compliance.interfaces.serving.environ import Environ, environ_of
from compliance.interfaces.serving.errors import BodyRefusedError
from compliance.interfaces.serving.places import Places

log = logging.getLogger(__name__)

Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]

API_THREADS = 16
PAGE_THREADS = 8
SOURCE_THREADS = 16

SENDING_SECONDS = 1.0
"""How long a thread waits for its answer to be sent before it closes the answer anyway."""

READING_SECONDS = 60.0
"""How long a reader may take for one chunk of a streamed answer."""

REFUSED = "compliance.body_refused"
"""In a WSGI environment: the status with which a request is answered whose body was not taken."""


class Lane(NamedTuple):
    """The threads of an interface, and the allowance of senders that `known` recognizes; without it no body is read."""

    name: str
    threads: int
    allowance: bodies.Allowance | None = None
    known: Callable[[Environ], bool] = lambda environ: False


class _Answer(NamedTuple):
    """`content` is the whole body; None for a stream, whose `chunks` are read later. These are closed at the end."""

    status: int
    headers: list[tuple[bytes, bytes]]
    content: bytes | None
    chunks: Iterable[bytes] = ()


_FAILED = _Answer(
    500, [(b"content-type", b"text/plain"), (b"cache-control", b"no-store")], b"Something went wrong on our side.\n"
)


class Front:
    """Serves a WSGI application. `lane_of` gives the lane that answers at a path, `network_of` the sender's network."""

    def __init__(
        self, application: Application, *, lane_of: Callable[[str], Lane], network_of: Callable[[Environ], str]
    ) -> None:
        self._application = application
        self._lane_of = lane_of
        self._network_of = network_of
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._places = defaultdict[str, Places](Places)

    async def __call__(self, scope: Scope, receive: bodies.Receive, send: Send) -> None:
        """Answers one request."""
        loop = asyncio.get_running_loop()
        environ = environ_of(scope)
        lane = self._lane_of(scope["path"])
        pool = self._pool(lane)
        environ["wsgi.input"] = io.BytesIO()
        length = environ.pop("CONTENT_LENGTH", None)
        if lane.allowance is not None and scope["method"] not in bodies.WITHOUT_BODY:
            await self._take_body(environ, receive, length, lane, lane.allowance)
        answered: asyncio.Future[_Answer] = loop.create_future()
        sent = threading.Event()
        pool.submit(self._answer, environ, loop, answered, sent)
        try:
            answer = await answered
            await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
            if answer.content is not None:
                await send({"type": "http.response.body", "body": answer.content})
                return
        finally:
            sent.set()
        await _stream(answer.chunks, receive, send, pool)

    def _pool(self, lane: Lane) -> ThreadPoolExecutor:
        if lane.name not in self._pools:  # on the event loop: nothing else runs between these lines
            self._pools[lane.name] = ThreadPoolExecutor(lane.threads, lane.name)
        return self._pools[lane.name]

    async def _take_body(
        self,
        environ: Environ,
        receive: bodies.Receive,
        content_length: str | None,
        lane: Lane,
        allowance: bodies.Allowance,
    ) -> None:
        """Puts the body into the environment, or the status with which it was refused."""
        deadline = asyncio.timeout(bodies.PATIENCE_SECONDS)
        known = partial(self._ask_who, lane, environ)
        try:
            with self._places[lane.name].one(self._network_of(environ), deadline):
                body, size = await bodies.receive_body(receive, content_length, allowance, known, deadline)
            environ |= {"wsgi.input": body, "CONTENT_LENGTH": str(size)}
        except BodyRefusedError as refusal:
            environ[REFUSED] = refusal.status

    async def _ask_who(self, lane: Lane, environ: Environ) -> bool:
        return await asyncio.get_running_loop().run_in_executor(self._pool(lane), lane.known, dict(environ))

    def _answer(
        self,
        environ: Environ,
        loop: asyncio.AbstractEventLoop,
        answered: "asyncio.Future[_Answer]",
        sent: threading.Event,
    ) -> None:
        """Runs in a thread: takes the application's answer, and closes it when it is `sent`; a stream is read later.

        Waiting for `sent` releases the GIL to the event loop, which would otherwise wait for this thread.
        """
        answer = _FAILED
        try:
            answer = _run(self._application, environ)
        except Exception:
            log.exception("answer_failed")
        finally:
            environ["wsgi.input"].close()
            loop.call_soon_threadsafe(_settle, answered, answer)
        if answer.content is not None:
            sent.wait(SENDING_SECONDS)
            try:
                _close(answer.chunks)
            except Exception:  # whatever the application raised: nothing after this thread could report it
                log.exception("closing_failed")


def _settle(answered: "asyncio.Future[_Answer]", answer: _Answer) -> None:
    if not answered.done():  # the server is stopping, and no longer waits
        answered.set_result(answer)


def _run(application: Application, environ: Environ) -> _Answer:
    status, headers = 500, list[tuple[bytes, bytes]]()

    def start_response(line: str, fields: list[tuple[str, str]], *more: Any) -> None:
        nonlocal status
        status = int(line[:3])
        headers[:] = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in fields]

    chunks = application(environ, start_response)
    if getattr(chunks, "streaming", False):
        return _Answer(status, headers, None, chunks)
    return _Answer(status, headers, b"".join(chunks), chunks)


async def _stream(chunks: Iterable[bytes], receive: bodies.Receive, send: Send, pool: ThreadPoolExecutor) -> None:
    """Sends chunk by chunk: a thread makes the next one when the reader has taken the one before.

    Ends when the reader is gone, or takes longer than `READING_SECONDS` for one chunk.
    """
    loop = asyncio.get_running_loop()
    remaining, within = iter(chunks), contextvars.copy_context()
    gone = asyncio.ensure_future(_gone(receive))
    try:
        while (chunk := await loop.run_in_executor(pool, within.run, _next, remaining)) is not None:
            sending = asyncio.ensure_future(send({"type": "http.response.body", "body": chunk, "more_body": True}))
            await asyncio.wait({sending, gone}, timeout=READING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if gone.done() or not sending.done():
                sending.cancel()
                return
            await sending
        await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()
        await loop.run_in_executor(pool, _close, chunks)


async def _gone(receive: bodies.Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _next(chunks: Iterator[bytes]) -> bytes | None:
    return next(chunks, None)


def _close(chunks: Iterable[bytes]) -> None:
    close = getattr(chunks, "close", None)
    if close is not None:
        close()
