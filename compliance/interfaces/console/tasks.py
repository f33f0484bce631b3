"""The console's work in the background: one task runs any long act, one counts what pages have no time to count."""

import logging
import uuid
from datetime import UTC, datetime

from celery import shared_task
from django.contrib.auth.models import User
from django.http import QueryDict

from compliance.errors import ComplianceError
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.acting.act import Acting
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.see import counting
from compliance.interfaces.console.who_may import staff_of
from compliance.tenancy import context, queries

log = logging.getLogger(__name__)


@shared_task(name=counting.TASK, ignore_result=True, time_limit=660, soft_time_limit=600)
def count(*asked: str) -> None:
    """Counts the rows that a page had no time to count."""
    counting.count(*asked)


@shared_task(name=jobs.TASK, acks_late=True, ignore_result=True)
def run_job(organization_id: str, job_id: str) -> None:
    """Does the long act of a job. Whoever asked must still be allowed to when it begins."""
    job = jobs.claim(uuid.UUID(organization_id), uuid.UUID(job_id))
    if job is None:
        return
    now = datetime.now(UTC)
    chosen = ACTS[job.act]
    staff = staff_of(User.objects.get(pk=job.user_id), now)
    if staff is None or not staff.may(chosen.permission) or not staff.may_enter(job.organization_id):
        jobs.finish(job, Job.State.FAILED, "Whoever asked for this may not do it any more.", [])
        return
    sent = QueryDict(mutable=True)
    for name, value in job.told.items():
        sent.setlist(name, value if isinstance(value, list) else [value])
    organization = queries.organization(job.organization_id)
    with context.company(job.organization_id):
        form = chosen.form(organization, now, sent)
        if chosen.upload:
            form.fields[chosen.upload].required = False
        valid = form.is_valid()
    if not valid:
        jobs.finish(job, Job.State.FAILED, "What was asked for does not fit any more. Start again.", [])
        return
    upload = bytes(job.upload) if job.upload is not None else None
    acting = Acting(staff, organization, now, form.cleaned_data, upload, job.upload_name)
    try:
        message = chosen.work(acting, job)
    except ComplianceError as error:
        jobs.finish(job, Job.State.FAILED, str(error), acting.findings)
    except Exception:
        # The worker must not leave the page waiting for ever; the log has the rest.
        log.exception("console_job_failed", extra={"job_id": job_id, "act": job.act})
        jobs.finish(job, Job.State.FAILED, "It stopped with a fault of the service. The log knows more.", [])
        raise
    else:
        jobs.finish(job, Job.State.DONE, message, acting.findings)
