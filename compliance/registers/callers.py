"""Who calls: one statement (on a cluster two) gives for a key its company, scopes, networks and the history's head.

The head is read here, before any row, so what a request pins was committed before everything it reads.
"""

import uuid
from datetime import datetime
from typing import NamedTuple

from django.conf import settings

from compliance.history.records import is_captured
from compliance.registers.questions import Company, Pin
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
    """How far the primary had written by then; None where no standby may answer."""

    @property
    def token_id(self) -> uuid.UUID:
        """What its calls are counted under."""
        return self.key_id

    @property
    def organization_id(self) -> uuid.UUID:
        """Whose data it reads."""
        return self.company.organization_id


_KEY = """k.key_id, k.scopes, k.networks, k.expires_at, k.last_used_at,
       o.organization_id, d.deployment_id, o.learning_space_id, o.time_zone, o.history_complete_from"""
_HEAD = "h.sequence, h.capture_sequence, h.chain_hash, h.captured_at, h.logic_version, h.available"
_JOINED_HEAD = "JOIN history_historyhead h ON h.organization_id = k.organization_id"
_BY_DIGEST = """
FROM access_apikey k
JOIN tenancy_organization o ON o.organization_id = k.organization_id {joined_head}
CROSS JOIN tenancy_deployment d
WHERE k.digest = %s AND k.revoked_at IS NULL
"""
_FROM_BOTH = _BY_DIGEST.format(joined_head=_JOINED_HEAD)
_CALLER = f"SELECT {_KEY}, {_HEAD}{_FROM_BOTH}"
_CALLER_AND_POSITION = f"SELECT {_KEY}, {_HEAD}, {standbys.POSITION}{_FROM_BOTH}"
_KEY_ALONE = f"SELECT {_KEY}{_BY_DIGEST.format(joined_head='')}"
_HEAD_ALONE = f"SELECT {_HEAD} FROM history_historyhead h WHERE h.organization_id = %s::uuid"  # noqa: S608 - ours


def caller(digest: bytes) -> Caller | None:
    """The caller whose key has this SHA-256; null when there is none. Expiry is left to who knows the time."""
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

    On a cluster the head is on the company's node, so it is asked for apart, and for no longer than a page may take.
    """
    if not settings.CLUSTER:
        return reading.fetch(_CALLER_AND_POSITION if settings.READ_DATABASE_URLS else _CALLER, [digest])
    rows = []
    for key in reading.fetch(_KEY_ALONE, [digest]):
        organization_id = key[5]
        with reading.company(organization_id, timeout_milliseconds=settings.READ_TIMEOUT_MILLISECONDS):
            rows = [key + head for head in reading.fetch(_HEAD_ALONE, [organization_id])]
    return rows


_OLDEST = "SELECT min(greatest(recorded_at, waits_until)) FROM pending_pendingsubject WHERE organization_id = %s"


def oldest_pending(organization_id: uuid.UUID) -> datetime | None:
    """Since when the oldest fact waits for the writer, if any does: one ahead of time from its own moment on.

    Needs the company's context. What waits is no part of the history, so the primary is asked.
    """
    ((oldest,),) = reading.fetch(_OLDEST, [organization_id], at_primary=True)
    return oldest
