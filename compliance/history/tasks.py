"""Background tasks of the history: captures after actions, and a sweep every minute.

A task may run twice, at the same time as another, or not at all: a capture claims under the head's lock, and the next
sweep does what a lost task did not. Arguments are identifiers only; nothing personal is queued.

One company never occupies all workers: only one task at a time captures it, after a few captures it goes behind what
other companies sent meanwhile, and a task that comes in between ends at once. What that one was sent for is not lost:
the task that has the turn looks for pending subjects, and for lines to seal, once more after its turn.
"""

import logging
import uuid
from datetime import UTC, datetime

from celery import shared_task
from django.conf import settings

from compliance.facts.ledger import sealing
from compliance.facts.recording import enqueue_capture
from compliance.history import actions, queries
from compliance.history.errors import NoHistoryError
from compliance.tenancy import context, lost, turns
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


CAPTURES_AT_ONCE = 2
"""A usual task makes one capture and finds nothing after it; the second is of a large company's backlog."""


@shared_task(name="compliance.history.capture", **_RETRIES)
def capture(organization_id: str) -> None:
    """Captures the pending and due subjects of one company."""
    _capture(organization_id)


@shared_task(name="compliance.history.sweep", **_RETRIES)
def sweep() -> None:
    """Queues a task for each company that has work, including what earlier tasks did not finish."""
    for organization_id in queries.companies_with_work(datetime.now(UTC)):
        # When workers lag, the next tick queues it again: tasks that no worker took by then must not pile up.
        sweep_company.apply_async((str(organization_id),), expires=settings.TICK_EXPIRES_SECONDS)


@shared_task(name="compliance.history.sweep_company", **_RETRIES)
def sweep_company(organization_id: str) -> None:
    """Does the same from the queue of the sweep, which no backlog of captures delays."""
    _capture(organization_id)


def _capture(organization_id: str) -> None:
    """Captures the company in its turn, what is due included: the sweep's task may come while another has the turn."""
    company = uuid.UUID(organization_id)
    try:
        with turns.short_turn(company, "capture") as mine:
            done = actions.sweep_company(company, datetime.now(UTC), most=CAPTURES_AT_ONCE) if mine else []
    except (NoSuchCompanyError, NoHistoryError):
        log.warning("capture of a company that is not there", extra={"organization_id": organization_id})
        return
    if mine and (len(done) == CAPTURES_AT_ONCE or _is_left(company)):
        enqueue_capture(company)


def _is_left(organization_id: uuid.UUID) -> bool:
    """Whether subjects are pending, by the present time, since a fact's moment may have come while its company was
    captured; or whether lines of the ledger are not sealed yet."""
    with context.company(organization_id):
        return queries.is_pending(organization_id, datetime.now(UTC)) or sealing.any_wait(organization_id)
