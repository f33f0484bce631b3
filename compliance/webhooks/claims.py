"""Claims due webhooks for one worker at a time, and records the result of each try.

A claim is a lease: the row holds the time until which no other worker sends. The worker that sends renews it, so two
workers never send for the same webhook at once, and a worker that dies leaves its webhooks to the next within seconds.
No transaction is open during a send. A result is recorded only if the claim and the cursor are unchanged, because staff
may pause, replay or remove the webhook in between.
"""

import uuid
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from compliance.history.changes import next_changes
from compliance.history.queries import captured_beyond
from compliance.tenancy import context, sql
from compliance.webhooks import events
from compliance.webhooks.events import Event
from compliance.webhooks.models import Attempt, Failure, Webhook
from compliance.webhooks.posting import Answer
from compliance.webhooks.retrying import next_try

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
    tests, beyond = _due(now, ())
    return tests or bool(beyond)


def claim(now: datetime, most: int, without: Collection[uuid.UUID] = ()) -> Iterator[Claimed]:
    """Claims up to `most` webhooks that have something to send, of any company, longest unserved first.

    Yields each as soon as its event is known. `without`: those that the caller is sending for already.
    """
    tests, beyond = _due(now, without)
    if not tests and not beyond:
        return
    token = uuid.uuid4()
    asked = {
        "now": now, "claim": token, "until": now + LEASE, "most": most, "without": list(without),
        "companies": list(beyond), "captures": list(beyond.values()),
    }  # fmt: skip
    upto: dict[uuid.UUID, int | None] = dict(sql.fetch(_CLAIM, asked))
    for webhook in Webhook.objects.filter(webhook_id__in=upto, claim=token) if upto else []:
        event = _event(webhook, upto[webhook.webhook_id] or 0, now)
        if event is not None:
            yield Claimed(webhook, event, token)


def _due(now: datetime, without: Collection[uuid.UUID]) -> tuple[bool, dict[uuid.UUID, int]]:
    """Whether a test was requested, and the newest capture of each company with a webhook whose cursor is behind."""
    found = sql.fetch(_CURSORS, {"now": now, "without": list(without)})
    cursors = {organization_id: cursor for organization_id, cursor, _ in found}
    return any(tested for _, _, tested in found), captured_beyond(cursors) if cursors else {}


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
    """Records a try and its consequences, and releases the webhook. Does nothing if it was removed meanwhile."""
    webhook, event, claim = claimed
    with context.company(webhook.organization_id):
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
