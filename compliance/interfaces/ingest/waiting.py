"""Waits until the history has captured what was recorded, for callers that want to read it at once."""

import time
import uuid
from collections.abc import Collection
from datetime import datetime, timedelta

from compliance.facts.ledger import queries as ledger
from compliance.history import queries as history
from compliance.interfaces.api import clock
from compliance.tenancy import context

_FIRST_LOOK_SECONDS = 0.02
_LONGEST_PAUSE_SECONDS = 0.25


def wait_for_capture(
    organization_id: uuid.UUID, moments: Collection[datetime], seconds: float
) -> dict[str, int] | None:
    """The capture by which all facts recorded at these moments are decided, once there is one within `seconds`.

    None when the time is over, or as soon as there can be none: for a fact that takes effect later, or one that the
    writer gave up. Each look is a transaction of its own, so that it sees what was committed meanwhile.
    """
    until = time.monotonic() + seconds
    pause = _FIRST_LOOK_SECONDS
    while True:
        with context.company(organization_id):
            undecided = ledger.undecided(organization_id, moments)
            if not undecided.waiting:
                head = history.head(organization_id)
                return {"sequence": head.sequence, "capture_sequence": head.capture_sequence}
        left = until - time.monotonic()
        hopeless = undecided.until is not None and undecided.until > clock.now() + timedelta(seconds=left)
        if left <= 0 or hopeless or undecided.set_aside:
            return None
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)
