"""A run of sending: to many receivers at once, none of which delays another.

Only the task's own thread uses the database: it claims webhooks, hands them over, and records the result of each try.
The sockets belong to an event loop in a second thread. So a receiver that takes its 15 seconds occupies only its own
place among MOST_AT_ONCE, while the run continues to look for due events.
"""

import asyncio
import logging
import ssl
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError

from compliance.tenancy import sql
from compliance.webhooks import claims, posting, signing
from compliance.webhooks.addresses import target
from compliance.webhooks.claims import Claimed
from compliance.webhooks.errors import BadAddressError, UnreadableSecretError
from compliance.webhooks.models import Failure
from compliance.webhooks.posting import Answer, Resolve

log = logging.getLogger(__name__)

SEND_TASK = "compliance.webhooks.send"
MOST_AT_ONCE = 64
RUN_SECONDS = 20.0
"""A run begins no try after this time, so that it ends soon; the next run sends the rest."""

_CLAIMED_AT_ONCE = 16
_LOOK_SECONDS = 0.5
_LOCK = "webhooks are sent"


class Run(NamedTuple):
    """What a run did: events acknowledged, tries that failed, and whether it ended with work left."""

    sent: int = 0
    failed: int = 0
    more: bool = False


def send_due(
    clock: Callable[[], datetime],
    *,
    resolve: Resolve = posting.resolve,
    context: ssl.SSLContext | None = None,
    seconds: float = posting.SECONDS,
) -> Run:
    """Sends the due events of all companies until none is left or the run has lasted long enough.

    Only one run goes on at a time: a second call does nothing, because the first looks for new work itself.
    """
    with _alone() as alone:
        if not alone:
            return Run()
        with _loop() as loop:
            return _run(clock, lambda claimed, began_at: _begin(loop, claimed, began_at, resolve, context, seconds))


def send_soon() -> None:
    """Asks a worker to send what is due. If the broker is down, the next periodic look finds the same events."""
    try:
        current_app.send_task(SEND_TASK, retry=False, expires=60)
    except (OperationalError, OSError):
        log.warning("webhooks_wait", extra={"reason": "the broker is away; the next look sends them"})


def _run(clock: Callable[[], datetime], begin: Callable[[Claimed, datetime], Future[Answer]]) -> Run:
    ends_at = time.monotonic() + RUN_SECONDS
    under_way: dict[Future[Answer], tuple[Claimed, datetime]] = {}
    sent = failed = 0
    renewed_at = clock()
    while True:
        begins = time.monotonic() < ends_at
        if begins and len(under_way) < MOST_AT_ONCE:
            without = [claimed.webhook.webhook_id for claimed, _ in under_way.values()]
            for claimed in claims.claim(clock(), min(MOST_AT_ONCE - len(under_way), _CLAIMED_AT_ONCE), without):
                began_at = clock()
                under_way[begin(claimed, began_at)] = (claimed, began_at)
        if not under_way:
            return Run(sent, failed, more=not begins)
        if clock() - renewed_at >= claims.RENEWED_EVERY:
            renewed_at = clock()
            claims.renew([claimed for claimed, _ in under_way.values()], renewed_at)
        done, _ = wait(under_way, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
        for each in done:
            claimed, began_at = under_way.pop(each)
            answer = _came_of(each)
            claims.settle(claimed, answer, began_at, clock())
            sent, failed = sent + (not answer.failure), failed + bool(answer.failure)
            if answer.failure:
                log.warning(
                    "webhook_failed",
                    extra={
                        "webhook_id": str(claimed.webhook.webhook_id),
                        "failure": answer.failure,
                        "status": answer.status,
                    },
                )


def _came_of(done: Future[Answer]) -> Answer:
    """The answer. An exception of our own code fails only this try; other receivers are still sent to."""
    error = done.exception()
    if error is None:
        return done.result()
    place = traceback.extract_tb(error.__traceback__)[-1]  # without the text of the error, which might hold the URL
    log.error("webhook_fault", extra={"error": type(error).__name__, "place": f"{place.filename}:{place.lineno}"})
    return Answer(None, Failure.FAULT, 0)


def _begin(
    loop: asyncio.AbstractEventLoop,
    claimed: Claimed,
    began_at: datetime,
    resolve: Resolve,
    context: ssl.SSLContext | None,
    seconds: float,
) -> Future[Answer]:
    """Begins a try; one that cannot begin has failed at once."""
    failure = Failure.ADDRESS
    try:
        address = target(claimed.webhook.url, plain=not settings.PRODUCTION)
        failure = Failure.SECRET
        headers = signing.headers(claimed.webhook, claimed.event, began_at)
    except (BadAddressError, UnreadableSecretError):
        failed: Future[Answer] = Future()
        failed.set_result(Answer(None, failure, 0))
        return failed
    sends = posting.post(
        address,
        headers,
        claimed.event.body,
        allow_private=settings.WEBHOOK_ALLOW_PRIVATE,
        resolve=resolve,
        context=context,
        seconds=seconds,
    )
    return asyncio.run_coroutine_threadsafe(sends, loop)


@contextmanager
def _alone() -> Iterator[bool]:
    """Whether this is the only run. The database releases the lock when the run ends or its process dies."""
    (alone,) = sql.fetch("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [_LOCK])[0]
    try:
        yield bool(alone)
    finally:
        if alone:
            sql.fetch("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [_LOCK])


@contextmanager
def _loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop in a thread of its own. Names are resolved in as many threads as there may be receivers."""
    loop = asyncio.new_event_loop()
    resolving = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="webhook names")
    loop.set_default_executor(resolving)
    thread = threading.Thread(target=loop.run_forever, name="webhooks", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        resolving.shutdown(wait=False, cancel_futures=True)


async def _cancel_all() -> None:
    """Cancels the tasks that are still in progress when a run is interrupted."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for each in rest:
        each.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
