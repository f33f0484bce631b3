"""Background tasks of scheduled exports: finding those that are due, and running one."""

import uuid
from datetime import UTC, datetime

from celery import current_app, shared_task

from compliance.history.queries import companies
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.exports import keeping
from compliance.tenancy import context, turns

RUN_TASK = "compliance.exports.run"


@shared_task(name="compliance.exports.look", ignore_result=True)
def look() -> None:
    """Queues one task for each export that is due. Runs every five minutes."""
    for organization_id in companies():
        with context.company(organization_id):
            due = keeping.due(organization_id, datetime.now(UTC))
        for export_id in due:
            current_app.send_task(RUN_TASK, [str(organization_id), str(export_id)], expires=300)


@shared_task(name=RUN_TASK, acks_late=False, ignore_result=True, time_limit=3 * 3600, soft_time_limit=3 * 3600 - 60)
def run(organization_id: str, export_id: str) -> None:
    """Runs one export. While other long work of the company runs, it stays due and is queued again."""
    with turns.turn(uuid.UUID(organization_id), jobs.LONG_WORK) as mine:
        if mine:
            keeping.run(uuid.UUID(organization_id), uuid.UUID(export_id), datetime.now(UTC))
