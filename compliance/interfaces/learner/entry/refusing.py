"""The page for a link that is not valid: the reason, and what to do instead."""

from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from compliance.interfaces.learner.leading import leads_to, way_in
from compliance.interfaces.learner.rendering import outside
from compliance.learning.errors import (
    InvitationAcceptedError,
    InvitationExpiredError,
    InvitationRevokedError,
    JoinedAlreadyError,
    LearningError,
    LinkExpiredError,
    LinkRevokedError,
    LinkUsedError,
    NotHereError,
)
from compliance.learning.words import day_and_time


class Words(NamedTuple):
    """A page that gives the reason: its title, what happened, what to do, whether asking for a new link would help."""

    status: int
    title: str
    happened: str
    do: str
    asks_anew: bool = True


def page(
    request: HttpRequest,
    error: LearningError,
    *,
    company_name: str = "",
    zone: ZoneInfo | None = None,
    lead: str = "",
    signed_in: bool = False,
) -> HttpResponse:
    """The page for a refusal. Where a new link helps, its form asks for one that leads to the same page.

    `signed_in`: the browser has a session, which the reader may end to make room for somebody else.
    """
    words = _words(error, zone)
    way = way_in(leads_to(f"/learn/{lead}"))
    values = {"words": words, "way_in": way, "back_to": request.path, "signed_in": signed_in}
    return outside(request, "entry/refused.html", values, status=words.status, company_name=company_name)


def _words(error: LearningError, zone: ZoneInfo | None) -> Words:
    ask_anew = gettext("Ask for a new link. It takes a minute, and everything that you did is kept.")
    if isinstance(error, LinkExpiredError):
        return Words(410, gettext("This link has run out"), _ran_out(error.expired_at, zone), ask_anew)
    if isinstance(error, LinkUsedError):
        happened = gettext("Such a link opens one time only. It was used, perhaps by you on another device.")
        return Words(410, gettext("This link was used before"), happened, ask_anew)
    if isinstance(error, LinkRevokedError):
        happened = gettext(
            "It was withdrawn, or sent to an address that has been corrected since. It opens nothing any more."
        )
        return Words(410, gettext("This link was withdrawn"), happened, ask_anew)
    if isinstance(error, NotHereError):
        happened = gettext("Your access to these pages has ended, or is suspended for the time being.")
        do = gettext("If you think that this is a mistake, ask whoever looks after training in your company.")
        return Words(403, gettext("You cannot come in at present"), happened, do, asks_anew=False)
    if isinstance(error, InvitationExpiredError):
        do = gettext("Ask whoever invited you for a new invitation.")
        return Words(410, gettext("This invitation has run out"), _ran_out(error.expired_at, zone), do, False)
    if isinstance(error, InvitationRevokedError):
        do = gettext("If you think that this is a mistake, ask whoever invited you.")
        happened = gettext("The company has withdrawn it.")
        return Words(410, gettext("This invitation was withdrawn"), happened, do, asks_anew=False)
    if isinstance(error, InvitationAcceptedError):
        happened = gettext("Somebody has joined by this invitation already, perhaps you on another device.")
        do = gettext("Ask for a link with the address to which the invitation was sent.")
        return Words(410, gettext("This invitation was accepted before"), happened, do)
    if isinstance(error, JoinedAlreadyError):
        happened = gettext("The company knows somebody by the address to which this invitation was sent.")
        do = gettext("If that is you, you need no invitation: ask for a link with that address.")
        return Words(409, gettext("You have joined already"), happened, do)
    happened = gettext("It may have been cut off on its way. It has to be opened whole.")
    do = gettext("Open it again from the letter with which it came, or ask for a new link.")
    return Words(404, gettext("This link does not work"), happened, do)


def _ran_out(moment: datetime | None, zone: ZoneInfo | None) -> str:
    if moment is None or zone is None:
        return gettext("It could be used for a limited time.")
    return gettext("It could be used until %(moment)s.") % {"moment": day_and_time(moment, zone)}
