"""After an act its page shows the new state: it waits briefly for the history to take the act up, or says that it is
coming and looks again by itself.

The address that an act leads to states when its facts were recorded (`told`, microseconds since 1970). Until the
writer has decided them, they wait as pending subjects.
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
"""How long a page waits for the writer, who needs some tenths of a second when it is not behind."""
LOOKS_EVERY_SECONDS = 0.1
LOOKED_FOR = timedelta(minutes=10)
"""Afterwards the page is like any other: an address that is kept as a bookmark waits for nothing."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Taken(StrEnum):
    """How far the history is with an act."""

    UP = "taken up"
    COMING = "coming"
    FAILED = "failed"


def address(page: str, recorded_at: datetime) -> str:
    """The address of a page after an act."""
    return f"{page}?{RECORDED}={(recorded_at - _EPOCH) // timedelta(microseconds=1)}"


def look(organization_id: uuid.UUID, request: HttpRequest, now: datetime) -> Taken:
    """Waits until the history has taken up the act that the address speaks of, if it speaks of one; not for long.

    Outside of any transaction: each look is one of its own, so that it sees what the writer commits meanwhile.
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
