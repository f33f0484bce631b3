"""Performs confirmed acts, each in one transaction with its line of the access log: there is no act without a line."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.html import format_html
from django.utils.translation import gettext

from compliance.errors import ComplianceError
from compliance.history import queries
from compliance.interfaces.console import access_log, awaiting, identifiers
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.acting.act import Act, Acting
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.visit import Visit


def saw(visit: Visit, preview: Preview) -> None:
    """Adds everybody whom a preview names to the access log, but whoever was there only while it was made."""
    visit.saw(queries.learners_named(visit.organization.organization_id, preview.seen) if preview.seen else ())


def log(visit: Visit, act: str, acting: Acting | None, job: Job | None = None) -> None:
    """Logs what was acted on, whose records, and, if a second person confirmed it, who prepared it."""
    shared: dict[str, Any] = {"prepared_by": job.username, "work": job.job_id} if job else {}
    data = acting.data if acting else {}  # only the form's own values, not whatever else was sent
    named = {name: value for name, value in data.items() if identifiers.read(value)}
    visit.act = act
    access_log.record(
        visit.request,
        staff=visit.staff,
        page="act",
        at=visit.now,
        status=200,
        organization_id=visit.organization.organization_id,
        subject=shared | named,
        learner_profile_ids=visit.learners,
        everybody=visit.everybody,
        act=act,
        reason=visit.reason,
    )
    visit.logged = True


def _with_undo(message: str, undo: str) -> str:
    """The message, with a link to the act that undoes it if there is one."""
    return format_html('{} <a class="undo" href="{}">{}</a>', message, undo, gettext("Undo")) if undo else message


def do(visit: Visit, chosen: Act, acting: Acting, job: Job, *, prepared: bool = False) -> HttpResponse:
    """Performs the act of a job, or queues it if it is long, and redirects to its result. Raises ComplianceError.

    `prepared`: somebody else prepared it, whom the access log names too.
    """
    visit.act, visit.everybody = chosen.name, chosen.everybody
    shared = job if prepared else None
    if chosen.long:
        jobs.begin(job, visit.now)
        log(visit, chosen.name, acting, shared)
        return HttpResponseRedirect(visit.address("job", job_id=job.job_id))
    try:
        with transaction.atomic():
            done = chosen.do(acting)
            leads_to = awaiting.address(visit.address(done.page, **done.values), visit.now)
            job.leads_to = "" if done.secret else leads_to
            job.end(Job.State.DONE, done.message, visit.now)
            log(visit, chosen.name, acting, shared)
    except ComplianceError:
        visit.act, visit.logged = f"{chosen.name} (refused)", False
        raise
    undo = visit.link(f"act-{done.undo[0]}", done.undo[1]) if done.undo else ""
    if done.secret:
        onward = visit.address(done.page, **done.values)
        values = {"title": chosen.title, "act": chosen, "done": done, "onward": onward, "undo": undo}
        return visit.render("console/acting/secret.html", values)
    messages.success(visit.request, _with_undo(done.message, undo))
    for warning in done.warnings:
        messages.warning(visit.request, warning)
    return HttpResponseRedirect(leads_to)
