"""Background work of the history: captures after actions, the sweep each minute.

All of it may run twice, at once, or not at all: a capture claims under the head's lock, and what a lost task left
behind, the next sweep finds. Arguments are identifiers only; nothing personal is ever queued.
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
    """Captures what waits for one company."""
    try:
        actions.capture_all(uuid.UUID(organization_id), datetime.now(UTC))
    except (NoSuchCompanyError, NoHistoryError):
        log.warning("capture of a company that is not there", extra={"organization_id": organization_id})


@shared_task(name="compliance.history.sweep", **_RETRIES)
def sweep() -> None:
    """Finds the companies that have work, by the index of the heads and what tasks left behind, and hands them out."""
    for organization_id in queries.companies_with_work(datetime.now(UTC)):
        # Where workers lag, the next tick hands it out again: what nobody took by then must not pile up.
        sweep_company.apply_async((str(organization_id),), expires=settings.TICK_EXPIRES_SECONDS)


@shared_task(name="compliance.history.sweep_company", **_RETRIES)
def sweep_company(organization_id: str) -> None:
    """Captures what waits or has become due in one company."""
    try:
        actions.sweep_company(uuid.UUID(organization_id), datetime.now(UTC))
    except (NoSuchCompanyError, NoHistoryError):
        log.warning("sweep of a company that is not there", extra={"organization_id": organization_id})
