"""Evidence packs in the background: building one, and forgetting those that are too old."""

import uuid
from datetime import UTC, datetime

from celery import current_app, shared_task
from django.contrib.auth.models import AnonymousUser, User
from django.utils.translation import gettext

from compliance.facts.people.erasing import FORGET_TASK
from compliance.history.queries import companies
from compliance.interfaces.console import folders
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.evidence import keeping
from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.models import Pack
from compliance.interfaces.console.evidence.subject import subject
from compliance.interfaces.console.exports import keeping as exports
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import Permission, staff_of
from compliance.tenancy import context


# Acknowledged at once: a large pack takes longer than the broker waits before it delivers a task again.
@shared_task(name=keeping.TASK, acks_late=False, ignore_result=True, time_limit=4 * 3600, soft_time_limit=4 * 3600 - 60)
def build(organization_id: str, job_id: str) -> None:
    """Builds the pack of a job. The person who requested it must still have the permission when it begins."""
    jobs.run(organization_id, job_id, _build)


def _build(job: Job, _: list[str]) -> str:
    now = datetime.now(UTC)
    staff = staff_of(User.objects.filter(pk=job.user_id).first() or AnonymousUser(), now)
    if staff is None or not staff.may(Permission.EXPORT) or not staff.may_enter(job.organization_id):
        raise CannotBuildError(gettext("Whoever asked for this may not do it any more."))
    with context.company(job.organization_id):
        pack = Pack.objects.filter(organization_id=job.organization_id, job_id=job.job_id).first()
    if pack is None:  # somebody was erased since it was requested
        raise CannotBuildError(gettext("The pack was forgotten before it was built. Ask for it again."))
    about = subject(job.organization_id, pack.first_day, pack.last_day, now=now, capture_sequence=pack.capture_sequence)
    built = keeping.build_and_keep(about, job)
    values = {"rows": sum(built.registers.values()), "size": built.size}
    return gettext("%(rows)s rows, %(size)s bytes.") % values


@shared_task(name="compliance.evidence.forget", ignore_result=True)
def forget() -> None:
    """Each hour: removes what killed builders left on this machine, and sends one task for each company."""
    folders.remove_left(datetime.now(UTC))
    for organization_id in companies():
        current_app.send_task(FORGET_TASK, [str(organization_id)], expires=3600)


@shared_task(name=FORGET_TASK, ignore_result=True)
def forget_of(organization_id: str) -> None:
    """Removes one company's packs, exports and uploads that are too old or from before an erasure."""
    company, now = uuid.UUID(organization_id), datetime.now(UTC)
    with context.company(company):
        keeping.forget(company, now)
        exports.forget(company, now)
        jobs.forget_uploads(company, now)
