"""After an act, its page displays the new state: it waits briefly until the history has captured the act. If that takes
too long, the page announces the new state and reloads itself.

The address that an act leads to holds the time at which its facts were recorded (parameter `RECORDED`, microseconds
since 1970). Their subjects are pending until the writer has decided them.
"""

import time
import uuid
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from django.http import HttpRequest

from compliance.facts.ledger import queries
from compliance.tenancy import context

RECORDED = "told"
WAITS_SECONDS = 2.5
"""How long a page waits for the writer, which needs some tenths of a second when it is not behind."""
LOOKS_EVERY_SECONDS = 0.1
LOOKED_FOR = timedelta(minutes=10)
"""After that the page no longer waits: the address may have been kept as a bookmark."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Taken(StrEnum):
    """Whether the history has captured an act."""

    UP = "taken up"
    COMING = "coming"
    FAILED = "failed"


def address(page: str, recorded_at: datetime) -> str:
    """The address of a page after an act."""
    return f"{page}?{RECORDED}={(recorded_at - _EPOCH) // timedelta(microseconds=1)}"


def look(organization_id: uuid.UUID, request: HttpRequest, now: datetime) -> Taken:
    """Waits at most WAITS_SECONDS until the history has captured the act that the address names, if it names one.

    Call it outside of any transaction: each look is a transaction of its own, to see what the writer commits.
    """
    recorded_at = _recorded_at(request, now)
    if recorded_at is None:
        return Taken.UP
    until = time.monotonic() + WAITS_SECONDS
    while True:
        taken = _taken(organization_id, recorded_at)
        if taken is not Taken.COMING or time.monotonic() >= until:
            return taken
        time.sleep(LOOKS_EVERY_SECONDS)


def _recorded_at(request: HttpRequest, now: datetime) -> datetime | None:
    text = request.GET.get(RECORDED, "")
    if request.method != "GET" or not (text.isascii() and text.isdigit() and len(text) <= 17):
        return None
    recorded_at = _EPOCH + timedelta(microseconds=int(text))
    return recorded_at if now - LOOKED_FOR <= recorded_at <= now else None


def _taken(organization_id: uuid.UUID, recorded_at: datetime) -> Taken:
    with context.company(organization_id):
        tries = queries.attempts(organization_id, recorded_at)
    return Taken.UP if not tries else Taken.COMING if 0 in tries else Taken.FAILED
