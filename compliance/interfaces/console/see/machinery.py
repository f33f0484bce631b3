"""Captures, what waits for the writer, API keys, the access log (issue 8, parts 1 and 4)."""

from django.http import HttpResponse

from compliance.access.models import ApiKey
from compliance.history.numbers import REGISTERS
from compliance.interfaces.console import keyset
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.see.queries import history
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.console.who_may import Permission


def captures(visit: Visit) -> HttpResponse:
    """The commits of the writer, newest first, each chained to the one before."""
    position = keyset.after(visit.request, 1)
    lines, last = history.captures(visit.organization.organization_id, int(position[0]) if position else None)
    values = {"captures": lines, "following": keyset.following(visit.request, last)}
    return visit.render("console/see/captures.html", values)


def capture(visit: Visit, capture_sequence: int) -> HttpResponse:
    """One capture and the row versions it wrote."""
    visit.crumb("Captures", "captures")
    organization_id = visit.organization.organization_id
    found = history.capture(organization_id, capture_sequence)
    if found is None:
        raise NothingThereError(f"There is no capture {capture_sequence}.")
    position = keyset.after(visit.request, 1)
    lines, last = history.rows_of_capture(
        organization_id, found["first_sequence"], found["last_sequence"], int(position[0]) if position else None
    )
    for line in lines:
        line["register"] = REGISTERS[line["register"]].value
    values = {"title": f"Capture {capture_sequence}", "capture": found, "rows": lines}
    return visit.render("console/see/capture.html", values | {"following": keyset.following(visit.request, last)})


def waiting(visit: Visit) -> HttpResponse:
    """What the writer has yet to decide, and what it set aside after failing with it."""
    position = keyset.after(visit.request, 1)
    lines, last = history.waiting(visit.organization.organization_id, int(position[0]) if position else None)
    values = {"waiting": lines, "following": keyset.following(visit.request, last)}
    return visit.render("console/see/waiting.html", values)


def keys(visit: Visit) -> HttpResponse:
    """The company's API keys: what each may, and when it was last used. Keys themselves are never kept."""
    found = ApiKey.objects.filter(organization_id=visit.organization.organization_id).order_by("-created_at", "key_id")
    values = {"keys": list(found[:200]), "may_act": visit.staff.may(Permission.OPERATE)}
    return visit.render("console/see/keys.html", values)


def log(visit: Visit) -> HttpResponse:
    """Who of the staff saw and did what in this company."""
    position = keyset.after(visit.request, 1)
    wanted = AccessLog.objects.filter(organization_id=visit.organization.organization_id).order_by("-id")
    if visit.request.GET.get("acts"):
        wanted = wanted.exclude(act="")
    if position:
        wanted = wanted.filter(id__lt=int(position[0]))
    lines = list(wanted[: keyset.PAGE + 1])
    last = (lines[keyset.PAGE - 1].pk,) if len(lines) > keyset.PAGE else None
    values = {"lines": lines[: keyset.PAGE], "following": keyset.following(visit.request, last)}
    return visit.render("console/see/log.html", values)
