"""The steps of every act: form, preview, reason and confirmation, action, access log.

A preview creates a draft, which holds an upload and is used up by the confirmation, so confirming twice, or going back
and sending again, does nothing twice.
"""

import uuid
from collections import Counter
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.utils.translation import gettext, gettext_noop

from compliance.errors import ComplianceError
from compliance.facts.ledger import queries as ledger
from compliance.facts.people import queries
from compliance.facts.people.queries import erasures
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.acting import doing, four_eyes, jobs, uploads
from compliance.interfaces.console.acting.act import CHANGED, REASON, Act, Acting, CannotActError, read_upload
from compliance.interfaces.console.acting.fields import ActForm, end_of
from compliance.interfaces.console.acting.picker import Picked
from compliance.interfaces.console.acting.registry import ACTS, may_tell
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.selection import reading
from compliance.interfaces.console.sign_in import sessions
from compliance.interfaces.console.visit import Visit

AGAIN, TABLE = "again", "table"
"""Steps of acts whose preview can be made again of the same upload, or offers a table to download."""

_TOO_OLD = gettext_noop("This was confirmed already, or its preview is too old. Look whether it was done.")


def act(visit: Visit, act: str) -> HttpResponseBase:
    """The page of an act: its form, its preview and, once confirmed, its result."""
    chosen = ACTS.get(act)
    if chosen is None:
        raise NothingThereError(gettext("There is no act %(act)s.") % {"act": act})
    request = visit.request
    visit.crumb(gettext("Act"), "acts")
    step = request.POST.get("step", "")
    if request.method != "POST":
        form = chosen.form(visit.organization, visit.now, initial=_given(request.GET))
        return _form(visit, chosen, form)
    if step == reading.STEP:
        return _of_selection(visit, chosen)
    if step == "back":
        return _form(visit, chosen, chosen.form(visit.organization, visit.now, request.POST, request.FILES))
    form = chosen.form(visit.organization, visit.now, request.POST, request.FILES)
    anew = chosen.again and step in (AGAIN, TABLE)
    draft = _draft(visit, chosen) if step == "confirm" or anew else None
    if (draft is not None or anew) and chosen.upload:
        form.fields[chosen.upload].required = False
    if not form.is_valid():
        return _form(visit, chosen, form)
    acting = _acting(visit, form)
    if step == "confirm":
        return _confirm(visit, chosen, form, acting, draft)
    if anew:
        return _again(visit, chosen, form, acting, draft, step)
    return _preview(visit, chosen, form, acting)


def _given(query: Any) -> dict[str, str]:
    """The initial values in an address; several values of one name become one line each."""
    return {name: "\n".join(values) for name, values in query.lists() if any(values)}


def _of_selection(visit: Visit, chosen: Act) -> HttpResponse:
    """The form of an act on rows chosen in a list, or its preview at once if the form needs nothing else.

    The selection is resolved here once, to identifiers, so that what is confirmed is what was previewed.
    """
    found = reading.chosen(visit.organization, visit.request.POST)
    fields = chosen.form.base_fields
    if "record_ids" in fields:
        given = {"record_ids": [str(each) for each in found.record_ids]}
    else:
        given = {"people" if "people" in fields else "learner_profile_id": [str(each) for each in found.people]}
    if fields.keys() <= {*given, chosen.upload}:
        sent = QueryDict(mutable=True)
        sent.update({name: "\n".join(values) for name, values in given.items()})
        visit.request.POST = sent  # type: ignore[assignment]
        form = chosen.form(visit.organization, visit.now, sent)
        if form.is_valid():
            return _preview(visit, chosen, form, _acting(visit, form))
        return _form(visit, chosen, form)
    initial = {name: "\n".join(values) for name, values in given.items()}
    return _form(visit, chosen, chosen.form(visit.organization, visit.now, initial=initial))


def _acting(visit: Visit, form: ActForm) -> Acting:
    return Acting(visit.staff, visit.organization, visit.now, form.cleaned_data, may_tell=may_tell(visit.staff))


def _say_who(visit: Visit, form: ActForm) -> None:
    """Adds the form's person to the breadcrumbs, and everybody in its pickers to the access log."""
    for name, field in form.fields.items():
        if isinstance(field, Picked):
            visit.saw(choice.learner for choice in field.offered())
            if name == "learner_profile_id" and len(field.widget.chosen) == 1:
                who = field.widget.chosen[0]
                visit.crumb(who.label, "person", learner_profile_id=who.identifier)


def _person(visit: Visit, identifier: object) -> tuple[queries.Person | None, str]:
    """The person of an identifier and their name; None for an identifier of nobody here."""
    learner = identifiers.read(identifier)
    found = queries.person(visit.organization.organization_id, learner) if learner else None
    if found is None:
        return None, ""
    return found, gettext("an erased person") if found.erased_at else found.person_name or gettext(
        "a person without a name"
    )


def _form(visit: Visit, chosen: Act, form: ActForm) -> HttpResponse:
    wrong = form.errors  # validate first: a picker is rendered as validation left it
    _say_who(visit, form)
    values = {"title": chosen.title, "act": chosen, "form": form, "wrong": wrong, "offered": True}
    values["reason"] = visit.request.POST.get("reason", "")[:500]
    return visit.render("console/acting/form.html", values)


def _preview(visit: Visit, chosen: Act, form: ActForm, acting: Acting) -> HttpResponse:
    acting.upload = read_upload(visit.request, chosen.upload)
    try:
        visit.saw(chosen.learners(acting))
        found = chosen.preview(acting)
    except ComplianceError as error:
        form.refuse(error)
        return _form(visit, chosen, form)
    mine = Job.objects.filter(
        organization_id=acting.organization_id, state=Job.State.DRAFT, user_id=visit.staff.user_id
    )
    jobs.remove(mine.filter(asked_at__lt=visit.now - jobs.DRAFTS_LAST), acting.organization_id)
    draft = Job.objects.create(
        organization_id=acting.organization_id,
        act=chosen.name,
        user_id=visit.staff.user_id,
        username=visit.staff.username,
        asked_at=visit.now,
        upload_name=acting.upload.name if acting.upload else "",
        upload_file_id=uploads.keep(acting.organization_id, acting.upload, visit.now),
        erasures=erasures(acting.organization_id),
        seen=_newest(chosen, acting),
    )
    return _show_preview(visit, chosen, form, found, draft.job_id, "", four_eyes.needed(chosen, acting))


def _sent(visit: Visit, form: ActForm) -> dict[str, list[Any]]:
    """The values of the form, with identifiers in place of the words typed into pickers."""
    return jobs.sent(visit.request) | form.picked()


def _show_preview(
    visit: Visit, chosen: Act, form: ActForm, found: Any, job_id: uuid.UUID, error: str, second: bool
) -> HttpResponse:
    kept = [(name, value) for name, values in _sent(visit, form).items() for value in values]
    doing.saw(visit, found)
    person, name = _person(visit, form.cleaned_data.get("learner_profile_id"))
    values = {"title": chosen.title, "act": chosen, "preview": found, "kept": kept, "job": job_id, "error": error}
    values["reason"] = visit.request.POST.get("reason", "")
    values |= {"second": second, "typed": form.typed()}
    found.warnings += late_at_once(visit, form)
    values |= {"person": person, "person_name": name}
    return visit.render(chosen.preview_template, values)


def _draft(visit: Visit, chosen: Act) -> Job | None:
    """This person's draft of this act, locked until the transaction ends."""
    job_id = identifiers.read(visit.request.POST.get("job"))
    if job_id is None:
        return None
    found = Job.objects.select_for_update().filter(
        organization_id=visit.organization.organization_id,
        job_id=job_id,
        act=chosen.name,
        user_id=visit.staff.user_id,
        state=Job.State.DRAFT,
        erasures=erasures(visit.organization.organization_id),
    )
    return found.first()


def _again(visit: Visit, chosen: Act, form: ActForm, acting: Acting, draft: Job | None, step: str) -> HttpResponseBase:
    """The preview of the same upload with other choices, or the table that belongs to it."""
    if draft is None:
        raise CannotActError(gettext(_TOO_OLD))
    acting.upload = uploads.of_job(draft)
    visit.saw(chosen.learners(acting))
    if step == TABLE:
        return chosen.table(acting)
    return _show_preview(
        visit, chosen, form, chosen.preview(acting), draft.job_id, "", four_eyes.needed(chosen, acting)
    )


def late_at_once(visit: Visit, form: ActForm) -> list[str]:
    """A warning if the chosen deadline has already passed."""
    due_at = end_of(visit.organization, form.cleaned_data.get("due_on"))
    if due_at is None or due_at > visit.now:
        return []
    return [gettext("The deadline has passed already: whoever has not done it is late at once.")]


def _newest(chosen: Act, acting: Acting) -> int:
    """The newest fact about what the act is about, 0 if nothing; acts on a selection look at each record again anyway.

    Identifiers count also as text, as lists of the company's courses and versions give them.
    """
    named = [found for value in acting.data.values() if (found := identifiers.read(value))]
    named += chosen.also_about(acting)
    if not named:
        return 0
    employments = queries.employments_of(acting.organization_id, named)
    return ledger.newest_about(acting.organization_id, [*named, *employments])


def _confirmed_before(visit: Visit, chosen: Act) -> HttpResponse:
    """The result of an act whose preview this person has already confirmed, so that a second click does nothing."""
    job_id = identifiers.read(visit.request.POST.get("job"))
    if job_id is None:
        raise CannotActError(gettext(_TOO_OLD))
    found = (
        Job.objects.filter(
            organization_id=visit.organization.organization_id,
            job_id=job_id,
            act=chosen.name,
            user_id=visit.staff.user_id,
        )
        .exclude(state=Job.State.DRAFT)
        .defer("upload")
        .first()
    )
    if found is None:
        raise CannotActError(gettext(_TOO_OLD))
    if found.state == Job.State.PREPARED:
        return HttpResponseRedirect(visit.address("inbox"))
    if chosen.long:
        return HttpResponseRedirect(visit.address("job", job_id=found.job_id))
    if not found.leads_to:
        raise CannotActError(gettext("This was done already, once."))
    messages.info(visit.request, gettext("This was done already, once: %(what)s") % {"what": found.message})
    return HttpResponseRedirect(found.leads_to)


def _confirm(visit: Visit, chosen: Act, form: ActForm, acting: Acting, draft: Job | None) -> HttpResponse:
    if draft is None:
        return _confirmed_before(visit, chosen)
    acting.upload = uploads.of_job(draft)
    try:
        newest = _newest(chosen, acting)
        if newest > draft.seen:
            draft.seen = newest
            draft.save(update_fields=["seen"])
            second, preview = four_eyes.needed(chosen, acting), chosen.preview(acting)
            preview.warnings.insert(0, str(CHANGED))
            return _show_preview(visit, chosen, form, preview, draft.job_id, "", second)
    except ComplianceError as error:  # somebody else's change made the act impossible
        form.refuse(error)
        return _form(visit, chosen, form)
    try:
        reason = REASON.clean(visit.request.POST.get("reason", ""))
    except forms.ValidationError as error:
        second = four_eyes.needed(chosen, acting)
        return _show_preview(visit, chosen, form, chosen.preview(acting), draft.job_id, error.messages[0], second)
    if objection := chosen.objection(acting):
        second = four_eyes.needed(chosen, acting)
        return _show_preview(visit, chosen, form, chosen.preview(acting), draft.job_id, objection, second)
    visit.act, visit.reason, visit.everybody = chosen.name, reason, chosen.everybody
    visit.saw(chosen.learners(acting))  # before the act, which may remove some of them
    # Only the values of the form's fields, which are validated, not whatever else was sent.
    draft.told = {name: values for name, values in _sent(visit, form).items() if name in acting.data}
    if four_eyes.needed(chosen, acting):
        chosen.preview(acting)  # refuses an impossible act before a second person sees it
        return four_eyes.prepare(visit, chosen, acting, draft)
    try:
        return doing.do(visit, chosen, acting, draft)
    except ComplianceError as error:
        form.refuse(error)
        return _form(visit, chosen, form)


def acts(visit: Visit) -> HttpResponse:
    """All acts that this person may do in a company, in groups."""
    groups: dict[str, list[Act]] = {}
    for each in ACTS.values():
        if visit.staff.may(each.permission):
            groups.setdefault(str(each.group), []).append(each)
    recent = list(
        Job.objects.filter(organization_id=visit.organization.organization_id, act__in=ACTS)
        .exclude(state=Job.State.DRAFT)
        .order_by("-asked_at")
        .defer("upload", "told", "findings")[:15]
    )
    return visit.render("console/acting/acts.html", {"groups": groups, "recent": recent, "acts": ACTS})


def job(visit: Visit, job_id: uuid.UUID) -> HttpResponse:
    """The progress of long work. The page reloads itself while it runs."""
    visit.crumb(gettext("Act"), "acts")
    found = (
        Job.objects.filter(organization_id=visit.organization.organization_id, job_id=job_id).defer("upload").first()
    )
    if found is None or found.state == Job.State.DRAFT or found.act not in ACTS:
        raise NothingThereError(gettext("There is no work %(job_id)s.") % {"job_id": job_id})
    if found.state == Job.State.RUNNING and found.started_at and visit.now - found.started_at > jobs.GIVEN_UP:
        # A killed worker cannot update the job, and no task runs this long.
        found.state = Job.State.FAILED
        found.message = gettext("The worker stopped on the way. Look how far it came, and go on.")
    leads_to = next(page for page in visit.pages if page.name == ACTS[found.act].leads_to)
    return watch(
        visit,
        found,
        "console/acting/job.html",
        {"title": ACTS[found.act].title, "leads_to": leads_to, "reasons": Counter(found.findings).most_common()},
    )


def watch(visit: Visit, job: Job, template: str, values: dict[str, Any]) -> HttpResponse:
    """A page with the progress of a job, which reloads itself while the job runs."""
    running = job.state in (Job.State.WAITING, Job.State.RUNNING)
    done, total = jobs.progress(job) if running else (job.done, job.total)
    response = visit.render(template, values | {"job": job, "running": running, "done": done, "total": total})
    if running:
        sessions.refresh(visit.request, response)
    return response
