"""`/learn/devices` and `/learn/out`: where one is signed in, and signing out, here or elsewhere."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_http_methods, require_POST

from compliance.interfaces.learner import cookies
from compliance.interfaces.learner.entry import device_words
from compliance.interfaces.learner.rendering import outside
from compliance.interfaces.learner.visit import Visit, learner_page, session_here
from compliance.learning import sessions, words
from compliance.tenancy import context


@require_http_methods(["GET", "HEAD", "POST"])
@learner_page
def devices(visit: Visit) -> HttpResponseBase:
    """The person's sessions, this one first; a POST ends one of them, or all but this one."""
    if visit.request.method != "POST":
        return visit.render("entry/devices.html", {"devices": _listed(visit)})
    chosen = visit.request.POST.get("session", "")
    if chosen == "others":
        sessions.end_others(visit.organization_id, visit.learner_profile_id, visit.session_id, visit.now)
    elif chosen.isascii() and chosen.isdigit() and len(chosen) < 19 and int(chosen) != visit.session_id:
        sessions.end(visit.organization_id, visit.learner_profile_id, int(chosen), visit.now)
    return visit.go("devices")


def _listed(visit: Visit) -> list[dict[str, Any]]:
    found = [
        {
            "session_id": each.session_id,
            "name": device_words.in_language(each.name),
            "since": words.day_of(each.begun_at, visit.zone),
            "seen": words.on_day(each.seen_at, visit.now, visit.zone),
            "here": each.session_id == visit.session_id,
        }
        for each in sessions.open_sessions(visit.organization_id, visit.learner_profile_id, visit.now)
    ]
    return sorted(found, key=lambda each: not each["here"])


@require_POST
def sign_out(request: HttpRequest) -> HttpResponseBase:
    """Ends the session of this browser, if it is valid, and clears what the browser keeps of these pages."""
    now = datetime.now(UTC)
    session = session_here(request, now)
    if session is not None:
        with context.company(session.organization_id):
            sessions.end(session.organization_id, session.learner_profile_id, session.session_id, now)
    response = outside(request, "entry/signed_out.html", {"back_to": "/learn/"})
    cookies.forget(response)
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response
