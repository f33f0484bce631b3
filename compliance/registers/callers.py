"""Who calls: one statement answers for a key its company, scopes, networks and where the history stands.

The head is read here, before any row, so what a request pins was committed before everything it reads.
"""

import uuid
from datetime import datetime
from typing import NamedTuple

from compliance.registers.questions import Company, Pin
from compliance.tenancy import reading


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

    @property
    def token_id(self) -> uuid.UUID:
        """What its calls are counted under."""
        return self.key_id

    @property
    def organization_id(self) -> uuid.UUID:
        """Whose data it reads."""
        return self.company.organization_id


_BY_DIGEST = """
SELECT k.key_id, k.scopes, k.networks, k.expires_at, k.last_used_at,
       o.organization_id, d.deployment_id, o.learning_space_id, o.time_zone, o.history_complete_from,
       h.sequence, h.capture_sequence, h.chain_hash, h.captured_at, h.logic_version, h.available
FROM access_apikey k
JOIN tenancy_organization o ON o.organization_id = k.organization_id
JOIN history_historyhead h ON h.organization_id = k.organization_id
CROSS JOIN tenancy_deployment d
WHERE k.digest = %s AND k.revoked_at IS NULL
"""


def caller(digest: bytes) -> Caller | None:
    """The caller whose key has this SHA-256; null when there is none. Expiry is left to who knows the time."""
    for row in reading.fetch(_BY_DIGEST, [digest]):
        return Caller(
            row[0],
            frozenset(row[1]),
            tuple(row[2]),
            row[3],
            row[4],
            Company(row[5], row[6], row[7], row[8], row[9]),
            Pin(row[10], row[11], row[12], row[13], row[14]),
            row[15],
        )
    return None


_OLDEST = "SELECT min(greatest(recorded_at, waits_until)) FROM pending_pendingsubject WHERE organization_id = %s"


def oldest_pending(organization_id: uuid.UUID) -> datetime | None:
    """Since when the oldest fact waits for the writer, if any does: one ahead of time from its own moment on.

    Needs the company's context.
    """
    ((oldest,),) = reading.fetch(_OLDEST, [organization_id])
    return oldest
