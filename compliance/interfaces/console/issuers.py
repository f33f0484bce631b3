"""API keys and sources that are still valid, each with the member of staff who issued it and whether they have left.

An issuer has left if `staff_of` knows them no longer: the account is closed, removed or past its end, or has no group.
Nothing is revoked automatically, because programs of the company use these keys and tokens: staff decide.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar

from django.db.models import Q
from django.utils.translation import gettext

from compliance.access.models import ApiKey, Source
from compliance.interfaces.console.permissions import Account, accounts

Row = TypeVar("Row", ApiKey, Source)


class Issued(NamedTuple, Generic[Row]):
    """A key or a source, its issuer's name, and whether it is still valid although its issuer has left."""

    row: Row
    issuer: str
    issuer_left: bool


def issued(rows: Iterable[Row], now: datetime) -> list[Issued[Row]]:
    """`rows` with their issuers, in a constant number of statements."""
    known = accounts(now)
    return [_issued(row, known, now) for row in rows]


def of_account(model: type[Row], actor_id: uuid.UUID, now: datetime) -> list[Row]:
    """The keys, or the sources, of all companies that an account issued and that are still valid."""
    found = model._default_manager.filter(_opens(now), issued_by=str(actor_id))
    return list(found.order_by("organization_id", "created_at"))


def still_open(model: type[Row], now: datetime, organization_id: uuid.UUID | None = None) -> list[Issued[Row]]:
    """The keys, or the sources, of one company, or of all, that are still valid."""
    found = model._default_manager.filter(_opens(now)).order_by("organization_id", "created_at")
    if organization_id is not None:
        found = found.filter(organization_id=organization_id)
    return issued(list(found), now)


def _opens(now: datetime) -> Q:
    return Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now))


def _issued(row: Row, known: dict[uuid.UUID, Account], now: datetime) -> Issued[Row]:
    opens = row.revoked_at is None and (row.expires_at is None or row.expires_at > now)
    try:
        issuer = known.get(uuid.UUID(row.issued_by))
    except ValueError:
        return Issued(row, row.issued_by, False)  # issued by a command on the server
    if issuer is None:
        return Issued(row, gettext("a removed account"), opens)
    return Issued(row, issuer.username, opens and issuer.staff is None)
