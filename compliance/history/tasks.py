"""Background tasks of the history: captures after actions, and a sweep every minute.

A task may run twice, at the same time as another, or not at all: a capture claims under the head's lock, and the next
sweep does what a lost task did not. Arguments are identifiers only; nothing personal is queued.
"""

import logging
import uuid
from datetime import UTC, datetime

from celery import shared_task
from django.conf import settings

from compliance.history import actions, queries
from compliance.history.errors import NoHistoryError
from compliance.tenancy import lost
from compliance.tenancy.errors import NoSuchCompanyError

log = logging.getLogger(__name__)

_RETRIES = {
    "acks_late": True,
    "autoretry_for": lost.ERRORS,
    "retry_backoff": 2,
    "retry_backoff_max": 60,
    "max_retries": 5,
    "ignore_result": True,
}


@shared_task(name="compliance.history.capture", **_RETRIES)
def capture(organization_id: str) -> None:
    """Captures the pending subjects of one company."""
    try:
        actions.capture_all(uuid.UUID(organization_id), datetime.now(UTC))
    except (NoSuchCompanyError, NoHistoryError):
        log.warning("capture of a company that is not there", extra={"organization_id": organization_id})


@shared_task(name="compliance.history.sweep", **_RETRIES)
def sweep() -> None:
    """Queues a task for each company that has work, including what earlier tasks did not finish."""
    for organization_id in queries.companies_with_work(datetime.now(UTC)):
        # When workers lag, the next tick queues it again: tasks that no worker took by then must not pile up.
        sweep_company.apply_async((str(organization_id),), expires=settings.TICK_EXPIRES_SECONDS)


@shared_task(name="compliance.history.sweep_company", **_RETRIES)
def sweep_company(organization_id: str) -> None:
    """Captures the pending and due subjects of one company."""
    try:
        actions.sweep_company(uuid.UUID(organization_id), datetime.now(UTC))
    except (NoSuchCompanyError, NoHistoryError):
        log.warning("sweep of a company that is not there", extra={"organization_id": organization_id})
