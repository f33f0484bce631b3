"""The console's background tasks: one runs any long act, two queue waiting jobs, one counts what pages have no time to
count.
"""

import uuid
from datetime import UTC, datetime

from celery import shared_task
from django.contrib.auth.models import User
from django.utils.translation import gettext

from compliance.history.queries import companies
from compliance.interfaces.console.acting import four_eyes, jobs
from compliance.interfaces.console.acting.act import CannotActError
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.evidence import keeping
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import staff_of
from compliance.interfaces.console.reports import keeping as reports
from compliance.interfaces.console.see import counting
from compliance.tenancy import context, queries

_TASKS = {keeping.ACT: keeping.TASK, reports.ACT: reports.TASK}
"""The tasks of those acts that have one of their own."""


@shared_task(name=counting.TASK, ignore_result=True, time_limit=660, soft_time_limit=600)
def count(*asked: str) -> None:
    """Counts the rows that a page had no time to count."""
    counting.count(*asked)


# Acknowledged at once: 20,000 letters take longer than the broker waits before it delivers a task again.
@shared_task(name=jobs.TASK, acks_late=False, ignore_result=True, time_limit=4 * 3600, soft_time_limit=4 * 3600 - 60)
def run_job(organization_id: str, job_id: str) -> None:
    """Does the long act of a job. The person who asked for it must still be allowed to when it begins."""
    jobs.run(organization_id, job_id, _work)


@shared_task(name="compliance.console.send_waiting", ignore_result=True)
def send_waiting() -> None:
    """Queues the tasks of waiting jobs again, in case the broker lost them. Runs every ten minutes."""
    now = datetime.now(UTC)
    for organization_id in companies():
        with context.company(organization_id):
            jobs.send_waiting(organization_id, now, _TASKS)


@shared_task(name=jobs.NEXT_TASK, ignore_result=True)
def send_next(organization_id: str) -> None:
    """Queues the next job of a company after other long work of it has ended."""
    with context.company(uuid.UUID(organization_id)):
        jobs.send_next(uuid.UUID(organization_id), _TASKS)


def _work(job: Job, findings: list[str]) -> str:
    now = datetime.now(UTC)
    chosen = ACTS[job.act]
    organization = queries.organization(job.organization_id)
    with context.company(job.organization_id):
        second = None
        if job.confirmed_by is not None:
            user = User.objects.filter(pk=job.confirmed_by).first()
            second = staff_of(user, now) if user is not None else None
            if second is None:
                raise CannotActError(four_eyes.NOT_ANY_MORE)
        acting = four_eyes.rebuilt(job, chosen, organization, now, second)
        if second is None and four_eyes.needed(chosen, acting):
            raise CannotActError(gettext("This needs a second person now. Start again."))
    acting.findings = findings
    return chosen.work(acting, job)
