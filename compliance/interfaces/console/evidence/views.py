"""The pages of evidence packs: request one, see its progress, download it.

Requesting the same period at the same capture twice leads to the same pack.
"""

import uuid
from datetime import date, timedelta

from django.http import HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.utils.translation import gettext

from compliance.interfaces.console.acting import flow
from compliance.interfaces.console.errors import NothingThereError, UnreadableInputError
from compliance.interfaces.console.evidence import keeping
from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.models import Pack
from compliance.interfaces.console.evidence.subject import subject
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.tables import answers
from compliance.interfaces.console.visit import Visit
from compliance.log import keys


def ask(visit: Visit) -> HttpResponse:
    """The form for a period, and the packs that are kept."""
    organization = visit.organization
    keeping.forget(organization.organization_id, visit.now)
    today = visit.now.astimezone(visit.zone).date()
    complete = organization.history_complete_from.astimezone(visit.zone).date()
    packs = list(Pack.objects.filter(organization_id=organization.organization_id).order_by("-begun_at")[:50])
    states = dict(
        Job.objects.filter(
            organization_id=organization.organization_id, job_id__in=[each.job_id for each in packs]
        ).values_list("job_id", "state")
    )
    lines = [{"pack": each, "state": states.get(each.job_id, "")} for each in packs]
    values = {
        "packs": lines,
        "first": max(complete, today - timedelta(days=364)),
        "last": today,
        "complete": complete,
        "kept": keeping.KEPT.days,
    }
    return visit.render("console/evidence/ask.html", values)


def build(visit: Visit) -> HttpResponse:
    """Starts building the pack of a period, or redirects to the existing one."""
    first, last = (_day(visit, name) for name in ("from", "to"))
    about = subject(visit.organization.organization_id, first, last, now=visit.now)
    visit.act, visit.reason = keeping.ACT, f"{first} to {last}"
    try:
        job_id = keeping.begin(about, visit.staff, visit.now)
    except CannotBuildError as error:
        return visit.render(
            "console/refused.html", {"title": gettext("That did not work"), "words": str(error)}, status=422
        )
    return HttpResponseRedirect(visit.address("evidence-pack", job_id=job_id))


def pack(visit: Visit, job_id: uuid.UUID) -> HttpResponse:
    """The progress of a pack or, once built, its contents. The page reloads itself meanwhile."""
    visit.crumb(gettext("Evidence packs"), "evidence")
    organization_id = visit.organization.organization_id
    found = keeping.pack_of(organization_id, job_id, visit.now)
    job = Job.objects.filter(organization_id=organization_id, job_id=job_id).first()
    if job is None:
        raise NothingThereError(gettext("There is no pack %(job_id)s.") % {"job_id": job_id})
    log_key = next(iter(keys.verifier_keys()), "")
    return flow.watch(visit, job, "console/evidence/pack.html", {"pack": found, "log_key": log_key})


def file(visit: Visit, job_id: uuid.UUID) -> StreamingHttpResponse:
    """The pack itself."""
    found = keeping.pack_of(visit.organization.organization_id, job_id, visit.now)
    if not found.built:
        raise NothingThereError(gettext("This pack is not built yet."))
    visit.everybody = True
    response = answers.file(found.file_name, "application/zip", keeping.parts(found))
    response.headers["Content-Length"] = str(found.size)
    return response


def _day(visit: Visit, name: str) -> date:
    text = visit.request.POST.get(name, "").strip()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UnreadableInputError(gettext("Give both days of the period, each written like 2026-03-31.")) from None
