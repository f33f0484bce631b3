"""Reads of the history that other rooms ask for: where it stands, and how far the writer lags (design 5)."""

import uuid
from datetime import datetime, timedelta
from typing import NamedTuple

from compliance.history.errors import NoHistoryError
from compliance.history.models import Capture, HistoryHead
from compliance.rules.vocabulary import LOGIC
from compliance.tenancy import sql


class Head(NamedTuple):
    """Where a company's history stands: what a read pins, before it reads rows."""

    sequence: int
    capture_sequence: int
    chain_hash: str
    captured_at: datetime
    logic_version: int
    available: bool
    unavailable_reason: str


def head(organization_id: uuid.UUID) -> Head:
    """The company's head. Raises NoHistoryError."""
    found = HistoryHead.objects.filter(organization_id=organization_id).values_list(*Head._fields).first()
    if found is None:
        raise NoHistoryError(f"Organization {organization_id} has no history.")
    return Head._make(found)


def capture_row(organization_id: uuid.UUID, capture_sequence: int) -> Capture | None:
    """One capture, within the company's context."""
    return Capture.objects.filter(organization_id=organization_id, capture_sequence=capture_sequence).first()


def writer_lag(organization_id: uuid.UUID, now: datetime) -> timedelta:
    """How long the oldest pending subject has waited, those set aside included; zero when nothing waits.

    Needs the company's context. Readers are told `writer_unavailable` when it exceeds WRITER_LAG_SECONDS.
    """
    ((oldest,),) = sql.fetch(
        "SELECT min(recorded_at) FROM pending_pendingsubject WHERE organization_id = %s", [organization_id]
    )
    return max(now - oldest, timedelta(0)) if oldest is not None else timedelta(0)


def untried_lag(organization_id: uuid.UUID, now: datetime) -> timedelta:
    """How long the oldest subject that no capture has tried yet has waited: the writer itself is behind.

    What was tried and failed is its company's trouble alone. Needs the company's context.
    """
    ((oldest,),) = sql.fetch(
        "SELECT min(recorded_at) FROM pending_pendingsubject WHERE organization_id = %s AND attempts = 0",
        [organization_id],
    )
    return max(now - oldest, timedelta(0)) if oldest is not None else timedelta(0)


def pending_count(organization_id: uuid.UUID) -> int:
    """How many pending rows wait, those set aside included. Needs the company's context."""
    ((count,),) = sql.fetch("SELECT count(*) FROM pending_pendingsubject WHERE organization_id = %s", [organization_id])
    return int(count)


def companies() -> list[uuid.UUID]:
    """All companies that have a history."""
    return list(HistoryHead.objects.order_by("organization_id").values_list("organization_id", flat=True))


def companies_with_work(now: datetime) -> list[uuid.UUID]:
    """Companies in which the clock has brought something, or pending subjects wait, or the decider is new.

    Costs what is due, not what there is: the due ones come from the heads' partial index, and `pending_work` tells,
    without a company context, whose pending rows are there (and nothing else of them).
    """
    found = sql.fetch(
        "SELECT organization_id FROM history_historyhead WHERE next_change_at <= %s"
        " UNION SELECT organization_id FROM history_historyhead WHERE logic_version < %s"
        " UNION SELECT * FROM pending_work(%s)",
        [now, LOGIC.version, now],
    )
    return [organization_id for (organization_id,) in found]
