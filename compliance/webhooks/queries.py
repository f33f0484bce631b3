"""Reads of webhooks: which a company has, what was tried, and which events wait."""

import uuid
from collections import Counter, defaultdict
from datetime import datetime
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext, ngettext

from compliance.history.changes import captures_with_changes
from compliance.history.queries import captured_beyond
from compliance.tenancy import context
from compliance.webhooks.addresses import without_query
from compliance.webhooks.errors import NoSuchWebhookError
from compliance.webhooks.models import Attempt, Webhook


class Figures(NamedTuple):
    """Numbers of all companies' webhooks together: events that wait, the age of the oldest, and failures."""

    waiting: int
    waiting_since: datetime | None
    failing: int
    paused: int


class State(NamedTuple):
    """The state of a webhook, in a word and a sentence, and whether it is a good one."""

    word: str
    words: str
    good: bool


def of_company(organization_id: uuid.UUID) -> list[Webhook]:
    """The company's webhooks, oldest first."""
    return list(Webhook.objects.filter(organization_id=organization_id))


def of_all() -> list[Webhook]:
    """Every webhook, grouped by company."""
    return list(Webhook.objects.all())


def webhook(organization_id: uuid.UUID, webhook_id: uuid.UUID) -> Webhook:
    """One of the company's webhooks. Raises NoSuchWebhookError."""
    found = Webhook.objects.filter(organization_id=organization_id, webhook_id=webhook_id).first()
    if found is None:
        raise NoSuchWebhookError(f"There is no webhook {webhook_id}.")
    return found


def attempts(organization_id: uuid.UUID, webhook_id: uuid.UUID) -> "QuerySet[Attempt]":
    """The tries of one webhook. Needs the company's context."""
    return Attempt.objects.filter(organization_id=organization_id, webhook_id=webhook_id)


def waiting(webhook: Webhook) -> int:
    """How many events the webhook has yet to send. Needs the company's context."""
    return captures_with_changes(webhook.organization_id, after=webhook.capture_sequence)[0]


def state(webhook: Webhook) -> State:
    """The state of the webhook."""
    if webhook.paused_at is not None:
        return State("paused", str(webhook.get_paused_because_display()), False)
    if webhook.failing_since is not None:
        words = ngettext(
            "the next event failed once and is tried again",
            "the next event failed %(failures)s times and is tried again",
            webhook.failures,
        )
        return State("failing", words % {"failures": webhook.failures}, False)
    return State("active", gettext("it hears of each capture that changes something"), True)


def described(webhook: Webhook) -> dict[str, object]:
    """A webhook as commands list it; nothing of it is secret."""
    return {
        "webhook_id": webhook.webhook_id,
        "organization_id": webhook.organization_id,
        "name": webhook.name,
        "url": without_query(webhook.url),
        "state": state(webhook).word,
        "because": webhook.paused_because,
        "capture_sequence": webhook.capture_sequence,
        "failures": webhook.failures,
        "failing_since": webhook.failing_since,
        "next_try_at": webhook.next_try_at,
        "paused_at": webhook.paused_at,
        "acknowledged_at": webhook.acknowledged_at,
        "created_at": webhook.created_at,
    }


def figures() -> Figures:
    """The figures of all webhooks: two statements, and in a company's context one more for each cursor that is behind.

    On a cluster, events of companies whose node is away are not counted.
    """
    found = of_all()
    active: dict[uuid.UUID, list[int]] = defaultdict(list)
    for each in found:
        if each.paused_at is None:
            active[each.organization_id].append(each.capture_sequence)
    number, since = 0, None
    for organization_id in captured_beyond({company: min(cursors) for company, cursors in active.items()}):
        with context.company(organization_id):
            for after, webhooks in Counter(active[organization_id]).items():
                waits, oldest = captures_with_changes(organization_id, after=after)
                number += waits * webhooks
                since = min(filter(None, (since, oldest)), default=None)
    failing = sum(each.failing_since is not None and each.paused_at is None for each in found)
    given_up = sum(each.paused_because in (Webhook.Pause.FAILING, Webhook.Pause.GONE) for each in found)
    return Figures(number, since, failing, given_up)
