"""`/learn/in/<token>`: the address of a personal link.

A GET, which mail scanners send too, shows one button and nothing personal; its POST uses the link up and begins a
session. The address holds the token, so these pages send no path in `Referer`, and logs leave it out.
"""

import uuid
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import rotate_token
from django.utils import translation
from django.views.decorators.http import require_http_methods

from compliance.facts.people.queries import doors_of
from compliance.facts.recording import Channel, Teller, telling
from compliance.interfaces.learner import cookies
from compliance.interfaces.learner.entry import refusing
from compliance.interfaces.learner.entry.device_words import described
from compliance.interfaces.learner.entry.joining import join
from compliance.interfaces.learner.languages import interface_language, languages_of
from compliance.interfaces.learner.leading import address_of
from compliance.interfaces.learner.rendering import outside, see_other
from compliance.interfaces.learner.visit import session_here
from compliance.learning import links, sessions, tokens
from compliance.learning.errors import LearningError, NotHereError, UnknownTokenError
from compliance.learning.models import PersonalLink
from compliance.learning.sessions import Session
from compliance.tenancy import context
from compliance.tenancy.queries import organization


@require_http_methods(["GET", "HEAD", "POST"])
def come_in(request: HttpRequest, token: str) -> HttpResponseBase:
    """One page with one button; its POST begins a session and redirects to the link's page."""
    now = datetime.now(UTC)
    here = session_here(request, now)
    with translation.override(interface_language(languages_of(request))):
        try:
            organization_id = tokens.company_of(token)
            with telling(Teller(Channel.LEARNER)), context.company(organization_id):
                response, begun = _followed(request, organization_id, token, here, now)
        except UnknownTokenError as error:
            response, begun = refusing.page(request, error), False
    if begun and here is not None:  # the session before ends: it is not only forgotten
        with context.company(here.organization_id):
            sessions.end(here.organization_id, here.learner_profile_id, here.session_id, now)
    # The address of this page holds the token, so `Referer` names only the host.
    response.headers["Referrer-Policy"] = "strict-origin"
    return response


def _followed(
    request: HttpRequest, organization_id: uuid.UUID, token: str, session: Session | None, now: datetime
) -> tuple[HttpResponse, bool]:
    """The answer, and whether it begins a session in place of the browser's."""
    here = session if session and session.doors else None  # who cannot open anything here has nothing to make room with
    posted = request.method == "POST"
    link = links.find(organization_id, token)
    if link is None:
        raise UnknownTokenError("The link is not one of ours.")
    if here and (here.organization_id, here.learner_profile_id) == (organization_id, link.learner_profile_id):
        return see_other(_destination(request, link)), False  # no link is needed, and none is used up
    company = organization(organization_id)
    values = {"replaces": here is not None, "life": sessions.SESSION_LIFE.days}
    try:
        links.look(organization_id, token, now)
        # An invitation's row is locked before any of its links, because accepting it withdraws all of them.
        if link.invitation_id is not None:
            joined = join(request, organization_id, link.invitation_id, values, company.name, now)
            if isinstance(joined, HttpResponse):
                return joined, False
            learner_profile_id = joined
        elif link.learner_profile_id is None or not doors_of(organization_id, link.learner_profile_id, now):
            raise NotHereError("The person may not come in at present.")
        elif not posted or (here is not None and "replace" not in request.POST):
            return outside(request, "entry/come_in.html", values, company_name=company.name), False
        else:
            learner_profile_id = link.learner_profile_id
        links.use(organization_id, token, now)
    except LearningError as error:
        zone = ZoneInfo(company.time_zone)
        return refusing.page(request, error, company_name=company.name, zone=zone, lead=link.leads_to), False
    if link.invitation_id is not None:
        links.revoke(organization_id, now, invitation_id=link.invitation_id)
    device = described(request.headers.get("User-Agent", ""))
    begun = sessions.begin(organization_id, learner_profile_id, device, now)
    rotate_token(request)
    response = see_other(_destination(request, link))
    cookies.keep(response, begun)
    cookies.remember_lead(response, "")
    return response, True


def _destination(request: HttpRequest, link: PersonalLink) -> str:
    return address_of(link.leads_to or cookies.lead_of(request))
