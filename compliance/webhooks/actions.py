"""Writes of this room by people: webhooks are made, paused, resumed, replayed and removed, and given new secrets."""

import logging
import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from compliance.history.queries import head
from compliance.tenancy import context
from compliance.tenancy.turns import wait_for_turn
from compliance.webhooks import addresses, sending, signing
from compliance.webhooks.errors import (
    BadCaptureError,
    NoSuchWebhookError,
    TooManyWebhooksError,
    UnreadableSecretError,
    WebhookStateError,
)
from compliance.webhooks.models import Attempt, Webhook

log = logging.getLogger(__name__)

OVERLAP = timedelta(hours=24)
"""How long a former secret signs beside its successor."""

MOST_OF_A_COMPANY = 20
ATTEMPTS_KEPT = timedelta(days=14)


def create_webhook(
    *,
    organization_id: uuid.UUID,
    url: str,
    at: datetime,
    actor: str,
    name: str = "",
    from_capture: int | None = None,
) -> tuple[str, Webhook]:
    """Makes a webhook and returns its secret, which is displayed only now. It is notified of captures from now on.

    With `from_capture` it is notified of that capture and all later ones. Raises NoHistoryError, BadAddressError,
    BadCaptureError, TooManyWebhooksError.
    """
    checked(url)
    newest = head(organization_id).capture_sequence
    after = newest if from_capture is None else _before(from_capture, newest)
    secret = signing.new_secret()
    with transaction.atomic():
        wait_for_turn(organization_id, "webhooks")
        if Webhook.objects.filter(organization_id=organization_id).count() >= MOST_OF_A_COMPANY:
            raise TooManyWebhooksError(f"A company has at most {MOST_OF_A_COMPANY} webhooks. Remove one first.")
        webhook = Webhook.objects.create(
            organization_id=organization_id,
            name=name[:100],
            url=url,
            secret=signing.seal(secret),
            created_at=at,
            created_by=actor[:60],
            capture_sequence=after,
        )
    _log("webhook_created", webhook, actor)
    return secret, webhook


def checked(url: str) -> None:
    """Checks that a webhook may have this URL. Raises BadAddressError."""
    addresses.target(url, plain=not settings.PRODUCTION)


def rotate_secret(
    *, webhook_id: uuid.UUID, at: datetime, actor: str, organization_id: uuid.UUID | None = None
) -> tuple[str, Webhook]:
    """Gives a webhook another secret and returns it, displayed only now. The former one signs too, for OVERLAP.

    An even older secret stops signing: a receiver knows two at most. So does one that SECRET_KEY no longer opens, since
    nothing could be sent while it had to sign. Raises NoSuchWebhookError.
    """
    secret = signing.new_secret()
    with transaction.atomic():
        webhook = _locked(webhook_id, organization_id)
        webhook.former_secret, webhook.former_until = webhook.secret, at + OVERLAP
        try:
            signing.unseal(webhook.former_secret)
        except UnreadableSecretError:
            webhook.former_secret, webhook.former_until = "", None
        webhook.secret = signing.seal(secret)
        webhook.save(update_fields=["secret", "former_secret", "former_until"])
    _log("webhook_secret_rotated", webhook, actor)
    return secret, webhook


def pause(*, webhook_id: uuid.UUID, at: datetime, actor: str, organization_id: uuid.UUID | None = None) -> Webhook:
    """Stops sending until the webhook is resumed; no event is lost. Raises NoSuchWebhookError, WebhookStateError."""
    with transaction.atomic():
        webhook = _locked(webhook_id, organization_id)
        if webhook.paused_at is not None:
            raise WebhookStateError("The webhook is paused already.")
        webhook.paused_at, webhook.paused_because = at, Webhook.Pause.STAFF
        webhook.save(update_fields=["paused_at", "paused_because"])
    _log("webhook_paused", webhook, actor)
    return webhook


def resume(*, webhook_id: uuid.UUID, actor: str, organization_id: uuid.UUID | None = None) -> Webhook:
    """Sends the waiting event at once, and gives it another 72 hours.

    Raises NoSuchWebhookError, WebhookStateError for one that is not paused.
    """
    with transaction.atomic():
        webhook = _locked(webhook_id, organization_id)
        if webhook.paused_at is None:
            raise WebhookStateError("The webhook is not paused.")
        webhook.paused_at, webhook.paused_because = None, ""
        _begin_anew(webhook)
        webhook.save(update_fields=["paused_at", "paused_because", *_TRIES])
    transaction.on_commit(sending.send_soon)
    _log("webhook_resumed", webhook, actor)
    return webhook


def replay(
    *, webhook_id: uuid.UUID, from_capture: int, actor: str, organization_id: uuid.UUID | None = None
) -> Webhook:
    """Sends `from_capture` and all later captures once more, in order. A paused webhook does so once it is resumed.

    Raises NoSuchWebhookError, BadCaptureError.
    """
    with transaction.atomic():
        webhook = _locked(webhook_id, organization_id)
        newest = head(webhook.organization_id).capture_sequence
        webhook.capture_sequence = _before(from_capture, newest)
        _begin_anew(webhook)
        webhook.save(update_fields=["capture_sequence", *_TRIES])
    transaction.on_commit(sending.send_soon)
    _log("webhook_replayed", webhook, actor)
    return webhook


def ask_test(*, webhook_id: uuid.UUID, at: datetime, actor: str, organization_id: uuid.UUID | None = None) -> Webhook:
    """Requests one event `test`, which is tried once, also of a paused webhook. Raises NoSuchWebhookError."""
    with transaction.atomic():
        webhook = _locked(webhook_id, organization_id)
        webhook.test_id, webhook.test_asked_at = uuid.uuid4(), at
        webhook.save(update_fields=["test_id", "test_asked_at"])
    transaction.on_commit(sending.send_soon)
    _log("webhook_test_asked", webhook, actor)
    return webhook


def remove(*, webhook_id: uuid.UUID, actor: str, organization_id: uuid.UUID | None = None) -> Webhook:
    """Removes a webhook for good, with its secrets and the list of its tries. Raises NoSuchWebhookError."""
    with transaction.atomic():
        webhook = _locked(webhook_id, organization_id)
        with context.company(webhook.organization_id):
            Attempt.objects.filter(organization_id=webhook.organization_id, webhook_id=webhook_id).delete()
        Webhook.objects.filter(organization_id=webhook.organization_id, webhook_id=webhook_id).delete()
    _log("webhook_removed", webhook, actor)
    return webhook


def reseal_all() -> int:
    """Seals every secret under the current SECRET_KEY; returns how many. Raises UnreadableSecretError."""
    with transaction.atomic():
        webhooks = list(Webhook.objects.select_for_update())
        for webhook in webhooks:
            webhook.secret = signing.seal(signing.unseal(webhook.secret))
            if webhook.former_secret:
                webhook.former_secret = signing.seal(signing.unseal(webhook.former_secret))
        Webhook.objects.bulk_update(webhooks, ["secret", "former_secret"], batch_size=500)
    return len(webhooks)


def forget_attempts(organization_id: uuid.UUID, now: datetime) -> int:
    """Deletes tries made long ago; returns how many. Needs the company's context."""
    return Attempt.objects.filter(organization_id=organization_id, at__lt=now - ATTEMPTS_KEPT).delete()[0]


_TRIES = ("failures", "failing_since", "next_try_at")


def _begin_anew(webhook: Webhook) -> None:
    webhook.failures, webhook.failing_since, webhook.next_try_at = 0, None, None


def before(organization_id: uuid.UUID, from_capture: int) -> int:
    """The cursor of a webhook that sends `from_capture` next. Raises BadCaptureError, NoHistoryError."""
    return _before(from_capture, head(organization_id).capture_sequence)


def _before(from_capture: int, newest: int) -> int:
    if not 1 <= from_capture <= newest:
        raise BadCaptureError(f"There is no capture {from_capture}: the company's captures are 1 to {newest}.")
    return from_capture - 1


def _locked(webhook_id: uuid.UUID, organization_id: uuid.UUID | None) -> Webhook:
    """The locked row of the webhook. The console passes the company, an operator's command may leave it out."""
    found = Webhook.objects.select_for_update().filter(webhook_id=webhook_id)
    if organization_id is not None:
        found = found.filter(organization_id=organization_id)
    webhook = found.first()
    if webhook is None:
        raise NoSuchWebhookError(f"There is no webhook {webhook_id}.")
    return webhook


def _log(event: str, webhook: Webhook, actor: str) -> None:
    ids = {"webhook_id": str(webhook.webhook_id), "organization_id": str(webhook.organization_id)}
    log.info(event, extra=ids | {"actor": actor})
