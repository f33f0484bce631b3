"""Tasks that clean up the storages. Each can safely be repeated or run twice at once; only tasks read the clock."""

import uuid
from datetime import UTC, datetime

from celery import current_app, shared_task

from compliance.files import actions, orphans
from compliance.tenancy.models import Organization

CLEAR_TASK = "compliance.files.clear"
ORPHANS_TASK = "compliance.files.clear_orphans"


@shared_task(name="compliance.files.clear_all", ignore_result=True)
def clear_all() -> None:
    """Each hour: one task for each company, for removed and unfinished files."""
    _hand_out(CLEAR_TASK, expires=3600)


@shared_task(name=CLEAR_TASK, ignore_result=True)
def clear(organization_id: str) -> None:
    """Finishes what a crash, or a storage that was unavailable, left undone in one company."""
    actions.clear(uuid.UUID(organization_id), datetime.now(UTC))


@shared_task(name="compliance.files.clear_orphans_all", ignore_result=True)
def clear_orphans_all() -> None:
    """Each night: starts one task for each company for objects without a row, and aborts broken uploads."""
    _hand_out(ORPHANS_TASK, expires=24 * 3600)
    orphans.clear_unfinished(datetime.now(UTC))


@shared_task(name=ORPHANS_TASK, ignore_result=True, acks_late=False, time_limit=4 * 3600, soft_time_limit=4 * 3600 - 60)
def clear_orphans(organization_id: str) -> None:
    """Deletes the objects of one company without a row."""
    orphans.clear_orphans(uuid.UUID(organization_id), datetime.now(UTC))


def _hand_out(task: str, expires: int) -> None:
    for organization_id in Organization.objects.values_list("organization_id", flat=True):
        current_app.send_task(task, [str(organization_id)], expires=expires)
