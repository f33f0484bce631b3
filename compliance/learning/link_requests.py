"""Requests for a link that wait for the worker. An address is kept sealed, and only until the request is answered.

It is sealed by Fernet under keys derived from SECRET_KEY, which web and worker hold and the database does not: what is
in a backup or a replica opens nothing. Each request is readable for a quarter of an hour.
"""

import base64
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import transaction

from compliance.learning.models import LinkRequest
from compliance.tenancy import sql

ANSWERED_WITHIN = timedelta(minutes=15)
"""A request that nobody answered by then is dropped: who asked has long since asked again."""

_PURPOSE = b"compliance link request 1"


def take_in(address: str, now: datetime) -> uuid.UUID:
    """Keeps a request for the worker. Looks nothing up: it takes as long for an address that nobody has."""
    request_id = uuid.uuid4()
    sealed = _ring(settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS).encrypt_at_time(
        address.encode(), int(now.timestamp())
    )
    LinkRequest.objects.create(request_id=request_id, asked_at=now, sealed_address=sealed.decode())
    return request_id


@contextmanager
def answering(request_id: uuid.UUID, now: datetime) -> Iterator[str | None]:
    """The address of a request; None where there is nothing to answer: it was answered, or it is too old.

    The request is gone when the block ends, and waits on if the block fails: all of an answer is one transaction.
    """
    with transaction.atomic():
        # Deleted first: whoever else is handed the same request waits here, and finds none.
        rows = sql.fetch(
            "DELETE FROM learning_linkrequest WHERE request_id = %s RETURNING sealed_address", [request_id]
        )
        yield _opened(rows[0][0], now) if rows else None


def waiting(before: datetime) -> list[uuid.UUID]:
    """Requests from before that moment which nobody answered, the oldest first."""
    found = LinkRequest.objects.filter(asked_at__lt=before).order_by("asked_at")
    return list(found.values_list("request_id", flat=True))


def _opened(sealed: str, now: datetime) -> str | None:
    ring = _ring(settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    try:
        return ring.decrypt_at_time(
            sealed.encode(), int(ANSWERED_WITHIN.total_seconds()), int(now.timestamp())
        ).decode()
    except InvalidToken:
        return None


@lru_cache(maxsize=4)
def _ring(*secrets: str) -> MultiFernet:
    """What seals under the first of `secrets` and opens under each, with keys that serve no other purpose."""
    keys = (HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(each.encode()) for each in secrets)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
