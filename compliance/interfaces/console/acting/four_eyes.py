"""Acts that need a second person: prepared by one, confirmed or declined by another with the same permissions.

The second person sees a new preview, and the next one in place of the act if it says something else by the time they
confirm. A prepared act waits in the company's inbox for at most seven days. Both people must still have the permission
when it is performed, and both are in the access log and in the facts' origin.
"""

import uuid
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.translation import gettext, gettext_lazy

from compliance.errors import ComplianceError
from compliance.facts.people.queries import erasures
from compliance.interfaces.console.acting import doing, jobs, uploads
from compliance.interfaces.console.acting.act import CHANGED, REASON, Act, Acting, CannotActError
from compliance.interfaces.console.acting.fields import ActForm
from compliance.interfaces.console.acting.registry import ACTS, may_tell
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import Staff, staff_of
from compliance.interfaces.console.visit import Visit
from compliance.tenancy.models import Organization

GONE = gettext_lazy("What was asked for does not fit any more. Decline it, and start again.")
NOT_ANY_MORE = gettext_lazy("Whoever asked for this, or confirmed it, may not do it any more.")


def needed(chosen: Act, acting: Acting) -> bool:
    """Whether the act with these values must wait for a second person."""
    return settings.FOUR_EYES and chosen.needs_second(acting)


def prepare(visit: Visit, chosen: Act, acting: Acting, draft: Job) -> HttpResponse:
    """Makes a draft wait for a second person instead of performing it."""
    draft.state, draft.asked_at = Job.State.PREPARED, visit.now
    draft.message = gettext("Waits for a second person.")
    draft.save()
    doing.log(visit, f"{chosen.name} (prepared)", acting, draft)
    messages.success(visit.request, gettext("It waits in the inbox for a second person. Nothing has been done yet."))
    return HttpResponseRedirect(visit.address("inbox"))


def inbox(visit: Visit) -> HttpResponse:
    """The acts that wait for a second person, with links for those that this person may confirm."""
    found = []
    for job in jobs.prepared(visit.organization.organization_id, visit.now)[:200]:
        chosen = ACTS[job.act]
        may = visit.staff.may(chosen.permission) and job.user_id != visit.staff.user_id
        address = visit.address(f"confirm-{chosen.name}", job_id=job.job_id) if may else ""
        found.append(
            {"job": job, "title": chosen.title, "address": address, "until": job.asked_at + jobs.PREPARED_LASTS}
        )
    return visit.render("console/acting/inbox.html", {"found": found, "on": settings.FOUR_EYES})


def confirm(visit: Visit, act: str, job_id: uuid.UUID) -> HttpResponse:
    """The second person's page: a new preview, and the confirmation or refusal of the act, with a reason."""
    chosen = ACTS[act]
    visit.crumb(gettext("Waits for a second person"), "inbox")
    job = _prepared(visit, chosen, job_id)
    step = visit.request.POST.get("step", "")
    try:
        reason = REASON.clean(visit.request.POST.get("reason", "")) if visit.request.method == "POST" else ""
    except forms.ValidationError as error:
        return _show(visit, chosen, job, error.messages[0])
    visit.reason, visit.everybody = reason, chosen.everybody
    if step == "decline":
        job.end(
            Job.State.DECLINED,
            gettext("Declined by %(username)s: %(reason)s") % {"username": visit.staff.username, "reason": reason},
            visit.now,
        )
        doing.log(visit, f"{chosen.name} (declined)", None, job)
        messages.success(visit.request, gettext("It is declined, and nothing was done."))
        return HttpResponseRedirect(visit.address("inbox"))
    if step != "confirm":
        return _show(visit, chosen, job, "")
    acting = rebuilt(job, chosen, visit.organization, visit.now, visit.staff)
    if chosen.objection(acting):
        return _show(visit, chosen, job, "")
    visit.saw(chosen.learners(acting))  # before the act, which may remove some of them
    job.confirmed_by = visit.staff.user_id
    try:
        if chosen.preview(acting).digest() != visit.request.POST.get("seen"):
            return _show(visit, chosen, job, "")
        return doing.do(visit, chosen, acting, job, prepared=True)
    except ComplianceError as error:
        return _show(visit, chosen, job, str(error))


def rebuilt(job: Job, chosen: Act, organization: Organization, now: datetime, second: Staff | None) -> Acting:
    """The act of a job with its original values. Raises CannotActError for a lost permission or outdated values.

    Within the company's context. `second`: who confirmed it, None if nobody had to.
    """
    user = User.objects.filter(pk=job.user_id).first()
    first = staff_of(user, now) if user is not None else None
    for staff in (first,) if second is None else (first, second):
        if staff is None or not staff.may(chosen.permission) or not staff.may_enter(job.organization_id):
            raise CannotActError(NOT_ANY_MORE)
    assert first is not None
    form = form_of(job, chosen, organization, now)
    if not form.is_valid():
        raise CannotActError(GONE)
    may = may_tell(first) if second is None else may_tell(first) & may_tell(second)
    upload = uploads.of_job(job)
    return Acting(first, organization, now, form.cleaned_data, upload, may_tell=may, second=second)


def form_of(job: Job, chosen: Act, organization: Organization, now: datetime) -> ActForm:
    """The form as it was sent."""
    sent = QueryDict(mutable=True)
    for name, value in job.told.items():
        sent.setlist(name, value if isinstance(value, list) else [value])
    form = chosen.form(organization, now, sent)
    if chosen.upload:
        form.fields[chosen.upload].required = False
    return form


def _prepared(visit: Visit, chosen: Act, job_id: uuid.UUID) -> Job:
    """A prepared job, locked until the transaction ends. Raises for the person who prepared it themselves."""
    found = (
        Job.objects.select_for_update()
        .filter(
            organization_id=visit.organization.organization_id,
            job_id=job_id,
            act=chosen.name,
            state=Job.State.PREPARED,
            asked_at__gt=visit.now - jobs.PREPARED_LASTS,
        )
        .first()
    )
    if found is None:
        raise NothingThereError(gettext("Nothing of that kind waits here: it was confirmed, declined, or is too old."))
    uploaded = found.upload_file_id is not None or found.upload is not None
    if uploaded and found.erasures != erasures(visit.organization.organization_id):
        raise CannotActError(
            gettext("Somebody was erased since this was prepared. What was uploaded goes: start again.")
        )
    if found.user_id == visit.staff.user_id:
        raise CannotActError(gettext("You prepared this yourself: another person confirms or declines it."))
    return found


def _show(visit: Visit, chosen: Act, job: Job, error: str) -> HttpResponse:
    values: dict[str, Any] = {"title": chosen.title, "act": chosen, "job": job, "error": error, "preview": None}
    try:
        acting = rebuilt(job, chosen, visit.organization, visit.now, visit.staff)
        values["preview"] = found = chosen.preview(acting)
        values["seen"] = now = found.digest()
        if visit.request.POST.get("seen", now) != now:
            found.warnings.insert(0, str(CHANGED))
        doing.saw(visit, found)
        form = form_of(job, chosen, visit.organization, visit.now)
        values["typed"] = form.typed() if form.is_valid() else []
        visit.saw(chosen.learners(acting))
        visit.everybody = chosen.everybody
        if chosen.objection(acting):
            values["refused"] = GONE
    except ComplianceError as refused:
        values["refused"] = str(refused)
    return visit.render("console/acting/confirm.html", values)
