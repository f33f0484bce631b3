"""Claims due webhooks for one worker at a time, and records the result of each try.

A claim is a lease: the row holds the time until which no other worker sends. The worker that sends renews it, so two
workers never send for the same webhook at once, and a worker that dies leaves its webhooks to the next within seconds.
No transaction is open during a send. A result is recorded only if the claim and the cursor are unchanged, because staff
may pause, replay or remove the webhook in between. On a cluster, webhooks of companies whose node is away wait, those
with a requested test too, because a try could not be recorded.
"""

import logging
import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings

from compliance.history.changes import next_changes
from compliance.history.queries import captured_beyond
from compliance.tenancy import context, lost, sql
from compliance.webhooks import events
from compliance.webhooks.events import Event
from compliance.webhooks.models import Attempt, Failure, Webhook
from compliance.webhooks.posting import Answer
from compliance.webhooks.retrying import next_try

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=5)
RENEWED_EVERY = timedelta(seconds=1)

_READY = """(w.claimed_until IS NULL OR w.claimed_until <= %(now)s::timestamptz) AND (w.test_id IS NOT NULL OR (
  w.paused_at IS NULL AND (w.next_try_at IS NULL OR w.next_try_at <= %(now)s::timestamptz)))
  AND w.webhook_id <> ALL(%(without)s::uuid[])"""

# Webhooks and histories may be on different servers, so each has a statement of its own.
_CURSORS = f"""
SELECT w.organization_id, min(w.capture_sequence), bool_or(w.test_id IS NOT NULL) FROM webhooks_webhook w
WHERE {_READY} GROUP BY w.organization_id
"""  # noqa: S608 - an expression of our own

_CLAIM = f"""
UPDATE webhooks_webhook claimed SET claim = %(claim)s::uuid, claimed_until = %(until)s::timestamptz
FROM (SELECT w.webhook_id, h.upto FROM webhooks_webhook w
      LEFT JOIN unnest(%(companies)s::uuid[], %(captures)s::bigint[]) AS h (organization_id, upto)
        ON h.organization_id = w.organization_id
      WHERE {_READY} AND (w.test_id IS NOT NULL OR w.capture_sequence < h.upto)
        AND w.organization_id <> ALL(%(away)s::uuid[])
      ORDER BY w.claimed_until NULLS FIRST, w.webhook_id LIMIT %(most)s FOR UPDATE OF w SKIP LOCKED) due
WHERE claimed.webhook_id = due.webhook_id RETURNING claimed.webhook_id, due.upto
"""  # noqa: S608 - an expression of our own


class Claimed(NamedTuple):
    """A webhook that this worker holds until its lease ends, and the event to send."""

    webhook: Webhook
    event: Event
    claim: uuid.UUID


def any_due(now: datetime) -> bool:
    """Whether a webhook of any company has something to send now."""
    due = _due(now, ())
    return due.tests or bool(due.beyond)


def claim(now: datetime, most: int, without: Collection[uuid.UUID] = ()) -> Iterator[Claimed]:
    """Claims up to `most` webhooks that have something to send, of any company, longest unserved first.

    Yields each as soon as its event is known. `without`: those that the caller is sending for already.
    """
    tests, beyond, away = _due(now, without)
    if not tests and not beyond:
        return
    token = uuid.uuid4()
    asked = {
        "now": now, "claim": token, "until": now + LEASE, "most": most, "without": list(without),
        "companies": list(beyond), "captures": list(beyond.values()), "away": list(away),
    }  # fmt: skip
    upto: dict[uuid.UUID, int | None] = dict(sql.fetch(_CLAIM, asked))
    for webhook in Webhook.objects.filter(webhook_id__in=upto, claim=token) if upto else []:
        event = None
        with _going_on_without_node(webhook):
            event = _event(webhook, upto[webhook.webhook_id] or 0, now)
        if event is not None:
            yield Claimed(webhook, event, token)


class _Due(NamedTuple):
    """Whether a test can be sent; the newest capture of each company with a webhook whose cursor is behind; and the
    companies with webhooks whose node is away."""

    tests: bool
    beyond: dict[uuid.UUID, int]
    away: set[uuid.UUID]


def _due(now: datetime, without: Collection[uuid.UUID]) -> _Due:
    found = sql.fetch(_CURSORS, {"now": now, "without": list(without)})
    away: set[uuid.UUID] = set()
    beyond = captured_beyond({company: cursor for company, cursor, _ in found}, away) if found else {}
    return _Due(any(tested and company not in away for company, _, tested in found), beyond, away)


@contextmanager
def _going_on_without_node(webhook: Webhook) -> Iterator[None]:
    """Ends the block, with no error, when the node of the company is lost within it; the claim then ends by itself."""
    try:
        yield
    except lost.ERRORS as error:
        if not settings.CLUSTER or not lost.is_lost(error):
            raise
        lost.let_go(error)
        log.warning("webhook_waits", extra={"webhook_id": str(webhook.webhook_id), "reason": "its node is away"})


def renew(claimed: Collection[Claimed], now: datetime) -> None:
    """Extends the claims of sends that are still in progress."""
    mine = Webhook.objects.filter(
        webhook_id__in=[each.webhook.webhook_id for each in claimed], claim__in={each.claim for each in claimed}
    )
    mine.update(claimed_until=now + LEASE)


def _event(webhook: Webhook, upto: int, now: datetime) -> Event | None:
    """The next event to send: a requested test first. Captures without versions are skipped."""
    if webhook.test_id is not None and webhook.test_asked_at is not None:
        return events.of_test(webhook.organization_id, webhook.webhook_id, webhook.test_id, webhook.test_asked_at)
    with context.company(webhook.organization_id):
        changes = next_changes(webhook.organization_id, after=webhook.capture_sequence, upto=upto)
    if changes is not None:
        return events.of_capture(webhook.organization_id, changes)
    mine = Webhook.objects.filter(webhook_id=webhook.webhook_id, claim=webhook.claim)
    mine.update(claimed_until=now)
    mine.filter(capture_sequence=webhook.capture_sequence).update(capture_sequence=upto)
    return None


def settle(claimed: Claimed, answer: Answer, began_at: datetime, now: datetime) -> None:
    """Records a try and its consequences, and releases the webhook. Does nothing if it was removed meanwhile.

    A try that cannot be recorded because the company's node was lost meanwhile is made again when it is back.
    """
    webhook, event, claim = claimed
    with _going_on_without_node(webhook), context.company(webhook.organization_id):
        current = Webhook.objects.select_for_update().filter(webhook_id=webhook.webhook_id, claim=claim).first()
        if current is None:
            return
        current.claimed_until = now
        number = 1
        if event.capture_sequence is None:
            if current.test_id == webhook.test_id:
                current.test_id = current.test_asked_at = None
        elif current.capture_sequence == webhook.capture_sequence:
            number = current.failures + 1
            _move(current, event.capture_sequence, answer, began_at, now)
        current.save(update_fields=_MOVED)
        Attempt.objects.create(
            organization_id=webhook.organization_id,
            webhook_id=webhook.webhook_id,
            capture_sequence=event.capture_sequence,
            number=number,
            at=began_at,
            milliseconds=answer.milliseconds,
            status=answer.status,
            failure=answer.failure,
        )


_MOVED = (
    "capture_sequence", "failures", "failing_since", "next_try_at", "acknowledged_at", "paused_at", "paused_because",
    "test_id", "test_asked_at", "claimed_until",
)  # fmt: skip
"""The columns of a webhook that the worker may change, beside its claim (tenancy/roles.py)."""


def _move(webhook: Webhook, capture_sequence: int, answer: Answer, began_at: datetime, now: datetime) -> None:
    """Advances the cursor after a success; after a failure schedules the next try, or pauses the webhook."""
    if not answer.failure:
        webhook.capture_sequence = capture_sequence
        webhook.failures, webhook.failing_since, webhook.next_try_at = 0, None, None
        webhook.acknowledged_at = now
        return
    webhook.failures += 1
    webhook.failing_since = webhook.failing_since or began_at
    webhook.next_try_at = next_try(
        now=now,
        failing_since=webhook.failing_since,
        failures=webhook.failures,
        retry_after=answer.retry_after,
    )
    if webhook.paused_at is None:
        if answer.failure == Failure.GONE:
            webhook.paused_at, webhook.paused_because = now, Webhook.Pause.GONE
        elif webhook.next_try_at is None:
            webhook.paused_at, webhook.paused_because = now, Webhook.Pause.FAILING
