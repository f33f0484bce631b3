"""Each minute: what dashboards read is brought up to the histories, and each hour up to the clock."""

import uuid
from datetime import UTC, datetime, timedelta

from celery import shared_task

from compliance.interfaces.console.understand import refreshing
from compliance.tenancy import sql

BY_THE_CLOCK = timedelta(hours=1)
"""Deadlines and expiries pass without any capture: tallies are no older than this."""

LARGE, BETWEEN = 500_000, timedelta(minutes=5)
"""A history of so many versions is added up no more often than this, for it takes seconds."""


@shared_task(name="compliance.understand.refresh_all", ignore_result=True)
def refresh_all() -> None:
    """Hands out one task for each company whose history has grown, or whose tallies are an hour old."""
    now = datetime.now(UTC)
    for (organization_id,) in sql.fetch(
        "SELECT h.organization_id FROM history_historyhead h"
        " LEFT JOIN console_standingmark m ON m.organization_id = h.organization_id"
        " WHERE m.as_at IS NULL OR m.as_at < %(hour)s OR (m.sequence <> h.sequence"
        " AND (h.sequence < %(large)s OR m.as_at < %(while)s))",
        {"hour": now - BY_THE_CLOCK, "large": LARGE, "while": now - BETWEEN},
    ):
        # Where workers lag, the next minute hands it out again: what nobody took by then must not pile up.
        refresh.apply_async((str(organization_id),), expires=60)


@shared_task(name="compliance.understand.refresh", ignore_result=True, time_limit=3600, soft_time_limit=3540)
def refresh(organization_id: str) -> None:
    """Brings one company's standing up to its history; each step is committed, so a repetition goes on from there."""
    refreshing.refresh(uuid.UUID(organization_id), datetime.now(UTC))
