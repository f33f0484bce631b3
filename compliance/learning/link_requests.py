"""Requests for a link that wait for the worker. The address is encrypted, and deleted when the request is answered.

It is encrypted with Fernet under keys derived from SECRET_KEY, which the web processes and the worker have and the
database has not, so a backup or a replica reveals nothing. A request can be read for a quarter of an hour.
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
"""A request that is not answered by then is dropped: the person has asked again by now."""

_PURPOSE = b"compliance link request 1"


def take_in(address: str, now: datetime) -> uuid.UUID:
    """Stores a request for the worker. Looks nothing up, so that it takes equally long for an unknown address."""
    request_id = uuid.uuid4()
    sealed = _ring(settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS).encrypt_at_time(
        address.encode(), int(now.timestamp())
    )
    LinkRequest.objects.create(request_id=request_id, asked_at=now, sealed_address=sealed.decode())
    return request_id


@contextmanager
def answering(request_id: uuid.UUID, now: datetime) -> Iterator[str | None]:
    """The address of a request; None if the request was answered or is too old.

    The request is deleted when the block ends, and stays if the block fails: the answer is one transaction.
    """
    with transaction.atomic():
        # Deleted first: another worker with the same request waits here, and then finds none.
        rows = sql.fetch(
            "DELETE FROM learning_linkrequest WHERE request_id = %s RETURNING sealed_address", [request_id]
        )
        yield _opened(rows[0][0], now) if rows else None


def waiting(before: datetime) -> list[uuid.UUID]:
    """The unanswered requests from before that moment, oldest first."""
    found = LinkRequest.objects.filter(asked_at__lt=before).order_by("asked_at")
    return list(found.values_list("request_id", flat=True))


def _opened(sealed: str, now: datetime) -> str | None:
    ring = _ring(settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    try:
        # Only the age counts: a worker whose clock is behind the web process's sees requests from the future.
        at = max(int(now.timestamp()), ring.extract_timestamp(sealed.encode()))
        return ring.decrypt_at_time(sealed.encode(), int(ANSWERED_WITHIN.total_seconds()), at).decode()
    except InvalidToken:
        return None


@lru_cache(maxsize=4)
def _ring(*secrets: str) -> MultiFernet:
    """Encrypts with the first of `secrets` and decrypts with any, using keys that serve no other purpose."""
    keys = (HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(each.encode()) for each in secrets)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
