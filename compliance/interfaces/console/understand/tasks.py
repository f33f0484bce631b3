"""Tasks that update the summaries: each minute where a history has grown, and each hour for the clock."""

import uuid
from datetime import UTC, datetime, timedelta

from celery import shared_task

from compliance.history import queries as history
from compliance.interfaces.console.understand import refreshing
from compliance.interfaces.console.understand.models import Mark

BY_THE_CLOCK = timedelta(hours=1)
"""Tallies are no older than this, because deadlines and expiries pass without a capture."""

LARGE, BETWEEN = 500_000, timedelta(minutes=5)
"""A history of at least LARGE versions is counted at most once per BETWEEN, because that takes seconds."""


@shared_task(name="compliance.understand.refresh_all", ignore_result=True)
def refresh_all() -> None:
    """Sends one task for each company whose history has grown, or whose tallies are an hour old."""
    now = datetime.now(UTC)
    marks = {mark.organization_id: mark for mark in Mark.objects.all()}
    for organization_id, sequence in history.sequences().items():
        mark = marks.get(organization_id)
        if mark is not None and mark.as_at is not None and now - mark.as_at <= BY_THE_CLOCK:
            large_for_now = sequence >= LARGE and now - mark.as_at <= BETWEEN
            if mark.sequence == sequence or large_for_now:
                continue
        # It expires when the next run sends it again, so that tasks do not pile up where workers lag.
        refresh.apply_async((str(organization_id),), expires=60)


@shared_task(
    name="compliance.understand.refresh", acks_late=False, ignore_result=True, time_limit=3600, soft_time_limit=3540
)
def refresh(organization_id: str) -> None:
    """Updates one company's summary. Each step is committed, so a repetition continues from the last one."""
    refreshing.refresh(uuid.UUID(organization_id), datetime.now(UTC))
