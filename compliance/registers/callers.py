"""Finds the caller of a key: one statement (on a cluster two) reads its company, scopes, networks and the head.

The head is read here, before any row, so everything that a request pins was committed before it reads rows.
"""

import uuid
from datetime import datetime
from typing import NamedTuple

from django.conf import settings

from compliance.access import queries as keys
from compliance.facts.ledger import queries as ledger
from compliance.history import queries as history
from compliance.history.records import is_captured
from compliance.registers.questions import Company, Pin
from compliance.tenancy import queries as companies
from compliance.tenancy import reading, standbys
from compliance.tenancy.sql import Row
from compliance.tenancy.standbys import Written


class Caller(NamedTuple):
    """A key that exists and is not revoked, its company, and the head of the company's history."""

    key_id: uuid.UUID
    scopes: frozenset[str]
    networks: tuple[str, ...]
    expires_at: datetime | None
    last_used_at: datetime | None
    company: Company
    pin: Pin
    available: bool
    written: Written | None = None
    """How far the primary had written then; None where no standby may answer."""

    @property
    def token_id(self) -> uuid.UUID:
        """The identifier under which its calls are counted."""
        return self.key_id

    @property
    def organization_id(self) -> uuid.UUID:
        """The company whose data it reads."""
        return self.company.organization_id


_KEY = f"{keys.CALLED}, {companies.CALLED}"
_COMPANY, _DEPLOYMENT = companies.joined_company("k")
_FROM, _WHERE = keys.BY_DIGEST
_FROM_BOTH = f"{_FROM} {_COMPANY} {history.joined_head('k')} {_DEPLOYMENT} {_WHERE}"
_CALLER = f"SELECT {_KEY}, {history.PINNED} {_FROM_BOTH}"
_CALLER_AND_POSITION = f"SELECT {_KEY}, {history.PINNED}, {standbys.POSITION} {_FROM_BOTH}"
_KEY_ALONE = f"SELECT {_KEY} {_FROM} {_COMPANY} {_DEPLOYMENT} {_WHERE}"


def caller(digest: bytes) -> Caller | None:
    """The caller whose key has this SHA-256, or None. The function does not check whether the key has expired."""
    for row in _found(digest):
        company, pin = Company(row[5], row[6], row[7], row[8], row[9]), Pin(row[10], row[11], row[12], row[13], row[14])
        written = None
        if len(row) > 16 and pin.capture_sequence:
            holds = is_captured(company.organization_id, pin.capture_sequence, pin.chain_hash)
            written = standbys.written(row[16], row[17], row[18], holds)
        return Caller(row[0], frozenset(row[1]), tuple(row[2]), row[3], row[4], company, pin, row[15], written)
    return None


def _found(digest: bytes) -> list[Row]:
    """The key with its company and the company's head: one row, or none.

    On a cluster the head is on the company's node, so a second statement reads it, with the time limit of a page.
    """
    if not settings.CLUSTER:
        return reading.fetch(_CALLER_AND_POSITION if settings.READ_DATABASE_URLS else _CALLER, [digest])
    rows = []
    for key in reading.fetch(_KEY_ALONE, [digest]):
        organization_id = key[5]
        with reading.company(organization_id, timeout_milliseconds=settings.READ_TIMEOUT_MILLISECONDS):
            rows = [key + head for head in reading.fetch(history.HEAD_ALONE, [organization_id])]
    return rows


def oldest_pending(organization_id: uuid.UUID) -> datetime | None:
    """When the oldest pending fact was recorded, or None; a fact recorded ahead of time counts from its own moment.

    Needs the company's context. Pending facts are not part of the history, so the primary is asked.
    """
    ((oldest,),) = reading.fetch(ledger.OLDEST, [organization_id], at_primary=True)
    return oldest
