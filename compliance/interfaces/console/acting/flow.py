"""The one way in which anything is changed: form, preview, reason and confirmation, action, access log.

A preview leaves a draft behind, which carries an upload and is used up by the confirmation: confirming twice, or
going back and sending again, does nothing twice.
"""

import uuid
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect

from compliance.errors import ComplianceError
from compliance.interfaces.console import access_log
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.acting.act import Act, ActForm, Acting, CannotActError, read_upload
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.see.queries import persons
from compliance.interfaces.console.visit import Visit

WORK_LASTS = timedelta(minutes=20)
REASON = forms.CharField(
    min_length=5,
    max_length=500,
    label="Reason",
    error_messages={"required": "Say why, in a few words.", "min_length": "Say why, in a few words."},
)


def act(visit: Visit, act: str) -> HttpResponse:
    """The form of an act; what it would change; and, once confirmed, what it did."""
    chosen = ACTS.get(act)
    if chosen is None:
        raise NothingThereError(f"There is no act {act}.")
    request = visit.request
    visit.crumb("Act", "acts")
    step = request.POST.get("step", "")
    if request.method != "POST":
        form = chosen.form(visit.organization, visit.now, initial=_given(request.GET))
        return _form(visit, chosen, form)
    if step == "back":
        return _form(visit, chosen, chosen.form(visit.organization, visit.now, request.POST, request.FILES))
    form = chosen.form(visit.organization, visit.now, request.POST, request.FILES)
    draft = _draft(visit, chosen) if step == "confirm" else None
    if draft is not None and chosen.upload:
        form.fields[chosen.upload].required = False
    if not form.is_valid():
        return _form(visit, chosen, form)
    acting = Acting(visit.staff, visit.organization, visit.now, form.cleaned_data)
    if step == "confirm":
        return _confirm(visit, chosen, form, acting, draft)
    return _preview(visit, chosen, form, acting)


def _given(query: Any) -> dict[str, str]:
    """What an address fills in beforehand; a selection of several becomes one line each."""
    return {name: "\n".join(values) for name, values in query.lists() if any(values)}


def _say_who(visit: Visit, form: ActForm) -> None:
    """Says beside an identifier that was filled in beforehand whose it is."""
    field = form.fields.get("learner_profile_id")
    try:
        person = uuid.UUID(form.data.get("learner_profile_id") or form.initial.get("learner_profile_id", ""))
    except ValueError:
        return
    found = persons.profile(visit.organization.organization_id, person) if field else None
    if field and found:
        name = "an erased person" if found.erased_at else found.person_name or "a person without a name"
        field.help_text = f"This is {name}."
        visit.crumb(name, "person", learner_profile_id=person)


def _flat(sent: Any) -> dict[str, Any]:
    return {name: values if len(values) > 1 else values[0] for name, values in sent.lists()}


def _form(visit: Visit, chosen: Act, form: ActForm) -> HttpResponse:
    _say_who(visit, form)
    values = {"title": chosen.title, "act": chosen, "form": form, "offered": True}
    return visit.render("console/acting/form.html", values)


def _preview(visit: Visit, chosen: Act, form: ActForm, acting: Acting) -> HttpResponse:
    upload = read_upload(visit.request, chosen.upload)
    acting.upload_name, acting.upload = upload or ("", None)
    try:
        found = chosen.preview(acting)
    except ComplianceError as error:
        form.refuse(error)
        return _form(visit, chosen, form)
    mine = Job.objects.filter(
        organization_id=acting.organization_id, state=Job.State.DRAFT, user_id=visit.staff.user_id
    )
    mine.filter(asked_at__lt=visit.now - jobs.DRAFTS_LAST).delete()
    draft = Job.objects.create(
        organization_id=acting.organization_id,
        act=chosen.name,
        user_id=visit.staff.user_id,
        username=visit.staff.username,
        asked_at=visit.now,
        upload_name=acting.upload_name,
        upload=acting.upload,
    )
    return _show_preview(visit, chosen, found, draft.job_id, "")


def _show_preview(visit: Visit, chosen: Act, found: Any, job_id: uuid.UUID, error: str) -> HttpResponse:
    kept = [
        (name, value)
        for name, values in visit.request.POST.lists()
        if name not in ("csrfmiddlewaretoken", "step", "reason", "job")
        for value in values
    ]
    values = {"title": chosen.title, "act": chosen, "preview": found, "kept": kept, "job": job_id, "error": error}
    return visit.render("console/acting/preview.html", values)


def _draft(visit: Visit, chosen: Act) -> Job | None:
    """This person's draft of this act, locked until the transaction ends."""
    try:
        job_id = uuid.UUID(visit.request.POST.get("job", ""))
    except ValueError:
        return None
    found = Job.objects.select_for_update().filter(
        organization_id=visit.organization.organization_id,
        job_id=job_id,
        act=chosen.name,
        user_id=visit.staff.user_id,
        state=Job.State.DRAFT,
    )
    return found.first()


def _confirm(visit: Visit, chosen: Act, form: ActForm, acting: Acting, draft: Job | None) -> HttpResponse:
    if draft is None:
        raise CannotActError("This was confirmed already, or its preview is too old. Look whether it was done.")
    acting.upload_name = draft.upload_name
    acting.upload = bytes(draft.upload) if draft.upload is not None else None
    try:
        reason = REASON.clean(visit.request.POST.get("reason", ""))
    except forms.ValidationError as error:
        return _show_preview(visit, chosen, chosen.preview(acting), draft.job_id, error.messages[0])
    visit.act, visit.reason = chosen.name, reason
    if chosen.long:
        jobs.begin(draft, {name: _plain(value) for name, value in _flat(visit.request.POST).items()}, visit.now)
        _log(visit, chosen)
        return HttpResponseRedirect(visit.address("job", job_id=draft.job_id))
    try:
        with transaction.atomic():
            done = chosen.perform(acting)
            draft.state, draft.finished_at, draft.upload = Job.State.DONE, visit.now, None
            draft.message = done.message[:500]
            draft.save()
            _log(visit, chosen)
    except ComplianceError as error:
        visit.act, visit.logged = f"{chosen.name} (refused)", False
        form.refuse(error)
        return _form(visit, chosen, form)
    if done.secret:
        values = {"title": chosen.title, "act": chosen, "done": done}
        return visit.render("console/acting/secret.html", values)
    messages.success(visit.request, done.message)
    return HttpResponseRedirect(visit.address(done.page, **done.values))


def _log(visit: Visit, chosen: Act) -> None:
    """The line of the access log, in the transaction of what was done: there is no act without its line."""
    names = [name for name in visit.request.POST if name.endswith("_id")]
    access_log.record(
        visit.request,
        staff=visit.staff,
        page="act",
        at=visit.now,
        status=200,
        organization_id=visit.organization.organization_id,
        subject=" ".join(f"{name}={visit.request.POST[name]}" for name in sorted(names)),
        act=chosen.name,
        reason=visit.reason,
    )
    visit.logged = True


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | list) else str(value)


def acts(visit: Visit) -> HttpResponse:
    """Everything that this person may do in a company, in groups."""
    groups: dict[str, list[Act]] = {}
    for each in ACTS.values():
        if visit.staff.may(each.permission):
            groups.setdefault(each.group, []).append(each)
    recent = list(
        Job.objects.filter(organization_id=visit.organization.organization_id, act__in=ACTS)
        .exclude(state=Job.State.DRAFT)
        .order_by("-asked_at")
        .defer("upload", "told", "findings")[:15]
    )
    return visit.render("console/acting/acts.html", {"groups": groups, "recent": recent, "acts": ACTS})


def job(visit: Visit, job_id: uuid.UUID) -> HttpResponse:
    """How far long work is. The page reloads itself while it runs."""
    visit.crumb("Act", "acts")
    found = (
        Job.objects.filter(organization_id=visit.organization.organization_id, job_id=job_id).defer("upload").first()
    )
    if found is None or found.state == Job.State.DRAFT or found.act not in ACTS:
        raise NothingThereError(f"There is no work {job_id}.")
    if found.state == Job.State.RUNNING and found.started_at and visit.now - found.started_at > WORK_LASTS:
        # A worker that is killed cannot say so; tasks are ended long before this.
        found.state, found.message = Job.State.FAILED, "The worker stopped on the way. Look how far it came, and go on."
    running = found.state in (Job.State.WAITING, Job.State.RUNNING)
    done, total = jobs.progress(found) if running else (found.done, found.total)
    values = {"title": ACTS[found.act].title, "job": found, "running": running, "done": done, "total": total}
    response = visit.render("console/acting/job.html", values)
    if running:
        response.headers["Refresh"] = "2"
    return response
