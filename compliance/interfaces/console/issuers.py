"""Whose keys still open: each with the member of staff who issued it, and whether that person has left.

Who left is whoever the console knows as nobody now: the account is closed, removed or past its end, or has no group.
Nothing is revoked by itself, because programs of the company go on reading with these keys: staff decide.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q, QuerySet

from compliance.access.models import ApiKey
from compliance.interfaces.console.who_may import Account, accounts


class Issued(NamedTuple):
    """A key, what its issuer is called, and whether it still opens although its issuer has left."""

    key: ApiKey
    issuer: str
    issuer_left: bool


def issued(keys: Sequence[ApiKey], now: datetime) -> list[Issued]:
    """`keys` with their issuers, in a constant number of statements."""
    known = accounts(now)
    return [_issued(key, known, now) for key in keys]


def of_account(actor_id: uuid.UUID, now: datetime) -> list[ApiKey]:
    """The keys of all companies that an account issued and that still open."""
    return list(_open(now).filter(issued_by=str(actor_id)).order_by("organization_id", "created_at"))


def still_open(now: datetime, organization_id: uuid.UUID | None = None) -> list[Issued]:
    """The keys of one company, or of all, that still open."""
    found = _open(now).order_by("organization_id", "created_at")
    if organization_id is not None:
        found = found.filter(organization_id=organization_id)
    return issued(list(found), now)


def _open(now: datetime) -> "QuerySet[ApiKey]":
    return ApiKey.objects.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)


def _issued(key: ApiKey, known: dict[uuid.UUID, Account], now: datetime) -> Issued:
    opens = key.revoked_at is None and (key.expires_at is None or key.expires_at > now)
    try:
        issuer = known.get(uuid.UUID(key.issued_by))
    except ValueError:
        return Issued(key, key.issued_by, False)  # a command of the server
    if issuer is None:
        return Issued(key, "a removed account", opens)
    return Issued(key, issuer.username, opens and issuer.staff is None)
