"""A learner's visit: one request of a person who is signed in, within the context of their company.

`learner_page` wraps a view: it finds the session, opens the company's context and one transaction for the whole visit,
says that what is recorded in it was told by the learner, and gives the answer its headers. Whoever has no session that
holds is sent to `/learn/`.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse

from compliance.facts.recording import Channel, Teller, telling
from compliance.interfaces.learner import cookies
from compliance.learning import sessions, tokens
from compliance.learning.errors import UnknownTokenError
from compliance.rules.vocabulary import Door
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization

Parameters = ParamSpec("Parameters")


@dataclass
class Visit:
    """What a view is handed. `languages` are those the person reads, the wanted one first, as BCP 47 tags."""

    request: HttpRequest
    organization: Organization
    learner_profile_id: uuid.UUID
    session_id: int
    doors: frozenset[Door]
    now: datetime
    languages: tuple[str, ...]

    @property
    def organization_id(self) -> uuid.UUID:
        """The company that the person is signed in to."""
        return self.organization.organization_id

    @property
    def zone(self) -> ZoneInfo:
        """The time zone in which moments are shown: the company's."""
        return ZoneInfo(self.organization.time_zone)

    def render(self, template: str, values: dict[str, Any] | None = None, *, status: int = 200) -> HttpResponse:
        """A page of `templates/learner/`."""
        html = render_to_string(f"learner/{template}", {"visit": self} | (values or {}), self.request)
        return HttpResponse(html, status=status)

    def go(self, name: str, **values: Any) -> HttpResponse:
        """After a POST: the browser goes on by GET, so that loading again sends nothing twice."""
        response = HttpResponseRedirect(reverse(f"learner:{name}", kwargs=values or None))
        response.status_code = 303
        return response


def learner_page(
    view: Callable[Concatenate[Visit, Parameters], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Parameters], HttpResponseBase]:
    """Makes a view of a visit into one of a request."""

    @wraps(view)
    def answered(request: HttpRequest, /, *args: Parameters.args, **values: Parameters.kwargs) -> HttpResponseBase:
        now = datetime.now(UTC)
        token = cookies.token_of(request)
        try:
            organization_id = tokens.company_of(token)
        except UnknownTokenError:
            return _signed_out(request)
        with telling(Teller(Channel.LEARNER)), context.company(organization_id):
            session = sessions.session_of(organization_id, token, now)
            if session is None:
                return _signed_out(request)
            visit = Visit(
                request,
                organization(organization_id),
                session.learner_profile_id,
                session.session_id,
                session.doors,
                now,
                languages_of(request, session.language),
            )
            return private(view(visit, *args, **values))

    return answered


def languages_of(request: HttpRequest, chosen: str | None) -> tuple[str, ...]:
    """The languages that the person reads, the wanted one first: their choice, then what the browser says."""
    accepted = []
    for part in request.headers.get("Accept-Language", "")[:1000].split(","):
        tag, _, quality = part.strip().partition(";q=")
        if tag and tag != "*":
            accepted.append((-_number(quality), tag))
    said = [tag for _, tag in sorted(accepted, key=lambda each: each[0])]
    return tuple(dict.fromkeys([*([chosen] if chosen else []), *said]))


def _number(quality: str) -> float:
    try:
        return min(max(float(quality), 0.0), 1.0)
    except ValueError:
        return 1.0


def private(response: HttpResponseBase) -> HttpResponseBase:
    """Give an answer the headers of these pages: kept by nobody, indexed by nobody."""
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response.headers["Referrer-Policy"] = "same-origin"
    return response


def _signed_out(request: HttpRequest) -> HttpResponseBase:
    """To the page that asks for one's address. The cookie goes, so that the page does not ask for it in turn."""
    response = HttpResponseRedirect(reverse("learner:home"))
    response.status_code = 303
    if cookies.token_of(request):
        cookies.forget(response)
    return private(response)
