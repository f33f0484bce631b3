"""Each minute: what dashboards read is brought up to the histories, and each hour up to the clock."""

import uuid
from datetime import UTC, datetime, timedelta

from celery import shared_task

from compliance.history import queries as history
from compliance.interfaces.console.understand import refreshing
from compliance.interfaces.console.understand.models import Mark

BY_THE_CLOCK = timedelta(hours=1)
"""Deadlines and expiries pass without any capture: tallies are no older than this."""

LARGE, BETWEEN = 500_000, timedelta(minutes=5)
"""A history of so many versions is added up no more often than this, for it takes seconds."""


@shared_task(name="compliance.understand.refresh_all", ignore_result=True)
def refresh_all() -> None:
    """Hands out one task for each company whose history has grown, or whose tallies are an hour old."""
    now = datetime.now(UTC)
    marks = {mark.organization_id: mark for mark in Mark.objects.all()}
    for organization_id, sequence in history.sequences().items():
        mark = marks.get(organization_id)
        if mark is not None and mark.as_at is not None and now - mark.as_at <= BY_THE_CLOCK:
            large_for_now = sequence >= LARGE and now - mark.as_at <= BETWEEN
            if mark.sequence == sequence or large_for_now:
                continue
        # Where workers lag, the next minute hands it out again: what nobody took by then must not pile up.
        refresh.apply_async((str(organization_id),), expires=60)


@shared_task(name="compliance.understand.refresh", ignore_result=True, time_limit=3600, soft_time_limit=3540)
def refresh(organization_id: str) -> None:
    """Brings one company's standing up to its history; each step is committed, so a repetition goes on from there."""
    refreshing.refresh(uuid.UUID(organization_id), datetime.now(UTC))
