"""The access log of a company: all of it, of one person's records, and as a file."""

import uuid
from datetime import date
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.utils.translation import gettext

from compliance.facts.people import queries as people
from compliance.interfaces.console import access_chain, keyset, moments
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.models import AccessChain, AccessLog
from compliance.interfaces.console.tables import answers
from compliance.interfaces.console.visit import Visit
from compliance.rules import company_days

_FILES = {
    "jsonl": (access_chain.as_json_lines, "application/jsonl"),
    "csv": (access_chain.as_csv, "text/csv; charset=utf-8"),
}


def log(visit: Visit) -> HttpResponse:
    """What each member of staff saw and did in this company."""
    organization_id = visit.organization.organization_id
    wanted = AccessLog.objects.filter(organization_id=organization_id).defer("learner_profile_ids")
    if visit.request.GET.get("acts"):
        wanted = wanted.exclude(act="")
    values = _page(visit, wanted) | {"chain": AccessChain.objects.filter(chain=organization_id).first()}
    return visit.render("console/see/log.html", values)


def person(visit: Visit, learner_profile_id: uuid.UUID) -> HttpResponse:
    """Who saw or acted on one person's records in a period, including visits with access to everybody's records."""
    organization_id = visit.organization.organization_id
    found = people.person(organization_id, learner_profile_id)
    if found is None:
        raise NothingThereError(
            gettext("This company knows no person %(learner_profile_id)s.") % {"learner_profile_id": learner_profile_id}
        )
    visit.crumb(gettext("Access log"), "log")
    first, last = _day(visit, "from"), _day(visit, "to")
    wanted = AccessLog.objects.filter(
        Q(learner_profile_ids__contains=[learner_profile_id]) | Q(everybody=True), organization_id=organization_id
    ).defer("learner_profile_ids")
    if first is not None:
        wanted = wanted.filter(at__gte=company_days.start_of_day(visit.organization.time_zone, first))
    if last is not None:
        wanted = wanted.filter(at__lte=company_days.end_of_day(visit.organization.time_zone, last))
    values = _page(visit, wanted) | {
        "person": found,
        "person_name": gettext("an erased person")
        if found.erased_at
        else found.person_name or gettext("a person without a name"),
        "first": first.isoformat() if first else "",
        "last": last.isoformat() if last else "",
    }
    return visit.render("console/see/log_person.html", values)


def file(visit: Visit, written_as: str) -> StreamingHttpResponse:
    """The whole log of the company with its digests, as a file to keep and verify elsewhere."""
    if written_as not in _FILES:
        raise NothingThereError(gettext("There is no access log as %(written_as)s.") % {"written_as": written_as})
    write, kind = _FILES[written_as]
    lines = access_chain.lines_of(visit.organization.organization_id)
    name = f"access-log-{str(visit.organization.organization_id)[:8]}-{visit.now:%Y-%m-%d}.{written_as}"
    return answers.file(name, kind, write(lines))


def _page(visit: Visit, wanted: QuerySet[AccessLog]) -> dict[str, Any]:
    lines, following = keyset.page(visit.request, wanted, "id", newest_first=True)
    return {"lines": lines, "following": following}


def _day(visit: Visit, name: str) -> date | None:
    text = visit.request.GET.get(name, "").strip()
    return moments.day(text) if text else None
