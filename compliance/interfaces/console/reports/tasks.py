"""Tasks that make reports: those that a person asked for, and those that are sent by letter."""

import uuid
from datetime import UTC, datetime

from celery import current_app, shared_task
from django.contrib.auth.models import AnonymousUser, User
from django.utils.translation import gettext, ngettext

from compliance.history.queries import companies
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import Permission, staff_of
from compliance.interfaces.console.reports import keeping, schedule
from compliance.interfaces.console.reports.errors import CannotReportError
from compliance.interfaces.console.reports.making import make
from compliance.interfaces.console.reports.models import Report
from compliance.tenancy import context, turns

RUN_TASK = "compliance.reports.run"


@shared_task(name="compliance.reports.look", ignore_result=True)
def look() -> None:
    """Every five minutes: deletes reports that are too old, and sends one task for each letter that is due."""
    for organization_id in companies():
        now = datetime.now(UTC)
        with context.company(organization_id):
            keeping.forget(organization_id, now)
            due = schedule.due(organization_id, now)
        for standing_id in due:
            current_app.send_task(RUN_TASK, [str(organization_id), str(standing_id)], expires=300)


@shared_task(name=RUN_TASK, acks_late=False, ignore_result=True, time_limit=3600, soft_time_limit=3540)
def run(organization_id: str, standing_id: str) -> None:
    """Makes one report and sends its letter. While other long work of the company runs, it stays due."""
    with turns.turn(uuid.UUID(organization_id), jobs.LONG_WORK) as mine:
        if mine:
            schedule.run(uuid.UUID(organization_id), uuid.UUID(standing_id), datetime.now(UTC))


@shared_task(name=keeping.TASK, acks_late=False, ignore_result=True, time_limit=3600, soft_time_limit=3540)
def make_report(organization_id: str, job_id: str) -> None:
    """Makes the report of a job. The person who asked must still have permission when it begins."""
    jobs.run(organization_id, job_id, _make)


def _make(job: Job, _: list[str]) -> str:
    staff = staff_of(User.objects.filter(pk=job.user_id).first() or AnonymousUser(), datetime.now(UTC))
    if staff is None or not staff.may(Permission.SEE) or not staff.may_enter(job.organization_id):
        raise CannotReportError(gettext("Whoever asked for this may not do it any more."))
    with context.company(job.organization_id):
        report = Report.objects.filter(organization_id=job.organization_id, job_id=job.job_id).first()
    if report is None:
        raise CannotReportError(gettext("The report was forgotten before it was made."))
    make(report, lambda done, total: jobs.say(job, done, total))
    compared = jobs.progress(job)[1]
    return ngettext("%(records)s record.", "%(records)s records.", compared) % {"records": compared}
