"""Evidence packs in the background: building one, and forgetting those that are too old."""

import logging
import uuid
from datetime import UTC, datetime

from celery import shared_task
from django.contrib.auth.models import User

from compliance.errors import ComplianceError
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.evidence import keeping
from compliance.interfaces.console.evidence.models import Pack
from compliance.interfaces.console.evidence.subject import subject
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.who_may import Permission, staff_of
from compliance.tenancy import context
from compliance.tenancy.models import Organization

log = logging.getLogger(__name__)


# Acknowledged at once: a large pack outlasts the broker's patience, which would hand it out again.
@shared_task(name=keeping.TASK, acks_late=False, ignore_result=True, time_limit=4 * 3600, soft_time_limit=4 * 3600 - 60)
def build(organization_id: str, job_id: str) -> None:
    """Builds the pack of a job. Whoever asked must still be allowed to when it begins."""
    job = jobs.claim(uuid.UUID(organization_id), uuid.UUID(job_id))
    if job is None:
        return
    now = datetime.now(UTC)
    staff = staff_of(User.objects.get(pk=job.user_id), now)
    if staff is None or not staff.may(Permission.EXPORT) or not staff.may_enter(job.organization_id):
        jobs.finish(job, Job.State.FAILED, "Whoever asked for this may not do it any more.", [])
        return
    try:
        with context.company(job.organization_id):
            pack = Pack.objects.get(organization_id=job.organization_id, job_id=job.job_id)
        about = subject(
            job.organization_id, pack.first_day, pack.last_day, now=now, capture_sequence=pack.capture_sequence
        )
        built = keeping.build_and_keep(about, job)
    except ComplianceError as error:
        jobs.finish(job, Job.State.FAILED, str(error), [])
    except Exception:
        # The page must not wait for ever; the log has the rest.
        log.exception("evidence_pack_failed", extra={"job_id": job_id})
        jobs.finish(job, Job.State.FAILED, "It stopped with a fault of the service. The log knows more.", [])
        raise
    else:
        jobs.finish(job, Job.State.DONE, f"{sum(built.registers.values())} rows, {built.size} bytes.", [])


@shared_task(name="compliance.evidence.forget", ignore_result=True)
def forget() -> None:
    """Each hour and after each erasure: packs and unconfirmed uploads too old, or older than an erasure, go."""
    for organization_id in Organization.objects.values_list("organization_id", flat=True):
        with context.company(organization_id):
            keeping.forget(organization_id, datetime.now(UTC))
            jobs.forget_uploads(organization_id, datetime.now(UTC))
