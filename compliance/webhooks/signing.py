"""Secrets of webhooks and the signatures made with them, by the Standard Webhooks specification.

A secret is displayed once and stored sealed, under keys derived from SECRET_KEY: web processes make secrets and the
worker signs with them, and both have that key already.
"""

import base64
import secrets
from datetime import datetime

from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings
from standardwebhooks import Webhook as Signer

from compliance import sealing
from compliance.webhooks.errors import UnreadableSecretError
from compliance.webhooks.events import Event
from compliance.webhooks.models import Webhook

PREFIX = "whsec_"
_BYTES = 32

AGENT = "compliance-records-webhooks/1"


def new_secret() -> str:
    """A secret of 256 random bits, in the format of the receivers' libraries."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def seal(secret: str) -> str:
    """`secret` in the form in which it is stored."""
    return _ring().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    """The secret that was given to `seal`. Raises UnreadableSecretError."""
    try:
        return _ring().decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise UnreadableSecretError(
            "A webhook's secret is sealed under neither SECRET_KEY nor any of SECRET_KEY_FALLBACKS."
        ) from error


def headers(webhook: Webhook, event: Event, now: datetime) -> list[tuple[str, str]]:
    """The headers of one try. For a day after a rotation the former secret signs too. Raises UnreadableSecretError."""
    sealed = [webhook.secret]
    if webhook.former_secret and webhook.former_until is not None and now < webhook.former_until:
        sealed.append(webhook.former_secret)
    text = event.body.decode()
    signatures = [Signer(unseal(each)).sign(event.message_id, now, text) for each in sealed]
    return [
        ("user-agent", AGENT),
        ("content-type", "application/json"),
        ("webhook-id", event.message_id),
        ("webhook-timestamp", str(int(now.timestamp()))),
        ("webhook-signature", " ".join(signatures)),
    ]


def _ring() -> MultiFernet:
    return sealing.ring((settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS), b"compliance webhook secret 1")
