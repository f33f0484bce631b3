"""A learner's visit: one request of a person who is signed in, within the context of their company.

`learner_page` wraps a view: it finds the session, opens the company's context and one transaction for the whole visit,
sets the learner as the origin of what is recorded in it, and adds the answer's headers. A request without a valid
session is redirected to `/learn/`; a person who has no access at present gets a page that says so, and stays signed in.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import translation

from compliance.facts.recording import Channel, Teller, telling
from compliance.interfaces.learner import cookies
from compliance.interfaces.learner.entry import asking, refusing
from compliance.interfaces.learner.languages import interface_language, languages_of
from compliance.interfaces.learner.leading import leads_to, way_in
from compliance.interfaces.learner.rendering import drawn, outside, private, see_other
from compliance.learning import sessions, tokens
from compliance.learning.errors import NotHereError, UnknownTokenError
from compliance.learning.sessions import Session
from compliance.rules.vocabulary import Door
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization

Parameters = ParamSpec("Parameters")


@dataclass
class Visit:
    """The argument of a view. `languages` are those the person reads, in order of preference, as BCP 47 tags."""

    request: HttpRequest
    organization: Organization
    learner_profile_id: uuid.UUID
    session_id: int
    doors: frozenset[Door]
    now: datetime
    languages: tuple[str, ...]

    @property
    def organization_id(self) -> uuid.UUID:
        """The company where the person is signed in."""
        return self.organization.organization_id

    @property
    def zone(self) -> ZoneInfo:
        """The time zone in which moments are displayed: the company's."""
        return ZoneInfo(self.organization.time_zone)

    def render(self, template: str, values: dict[str, Any] | None = None, *, status: int = 200) -> HttpResponse:
        """A page of `templates/learner/`."""
        all_values = {"visit": self} | (values or {})
        return drawn(self.request, template, all_values, status=status, company_name=self.organization.name)

    def go(self, name: str, **values: Any) -> HttpResponse:
        """Redirects by GET after a POST, so that reloading sends nothing twice."""
        return see_other(reverse(f"learner:{name}", kwargs=values or None))


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
        try:
            with telling(Teller(Channel.LEARNER)), context.company(organization_id):
                session = sessions.session_of(organization_id, token, now)
                if session is None:
                    return _signed_out(request)
                if not session.doors:
                    raise NotHereError("The person has no access at present.")
                visit = Visit(
                    request,
                    organization(organization_id),
                    session.learner_profile_id,
                    session.session_id,
                    session.doors,
                    now,
                    languages_of(request, session.language),
                )
                with translation.override(interface_language(visit.languages)):
                    return private(view(visit, *args, **values))
        except NotHereError as error:  # or was erased during the request: nothing of it was recorded
            return refusing.page(request, error, signed_in=True)

    return answered


def session_here(request: HttpRequest, now: datetime) -> Session | None:
    """The session of the browser that sent the request, even if its person has no access at present."""
    token = cookies.token_of(request)
    try:
        organization_id = tokens.company_of(token)
    except UnknownTokenError:
        return None
    with context.company(organization_id):
        return sessions.session_of(organization_id, token, now)


def _signed_out(request: HttpRequest) -> HttpResponseBase:
    """Answers a request without a valid session: the page to sign in, which then leads to the page that was asked for.

    A POST was not carried out, and the page states that. The cookie is not deleted: the browser may have got another by
    the time at which this answer arrives, from a sign-in in another tab.
    """
    if request.method not in ("GET", "HEAD"):
        response = outside(request, "entry/ended.html", {"back_to": reverse("learner:home")}, status=401)
        response.headers["WWW-Authenticate"] = 'PersonalLink realm="/learn/"'
        return response
    if request.path == reverse("learner:home"):
        return asking.ask(request)
    return private(see_other(way_in(leads_to(request.path))))
