"""The cookies of the learners' pages. Scripts cannot read them, and none says who somebody is."""

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from compliance.learning.sessions import SESSION_LIFE

_LEAD = "learner-lead"
_LEAD_KEPT_SECONDS = 30 * 60


def _name() -> str:
    # A browser takes such a name over TLS and from this very host alone: no other host of the domain can set it.
    return "__Host-learner" if settings.PRODUCTION else "learner"


def token_of(request: HttpRequest) -> str:
    """The token that the browser sent, "" if it sent none."""
    return request.COOKIES.get(_name(), "")


def keep(response: HttpResponseBase, token: str) -> None:
    """Has the browser keep the token of a session that has just begun.

    Lax, not strict: a link in a letter opens the person's pages in a browser that is signed in already.
    """
    response.set_cookie(
        _name(),
        token,
        max_age=int(SESSION_LIFE.total_seconds()),
        secure=settings.PRODUCTION,
        httponly=True,
        samesite="Lax",
        path="/",
    )


def forget(response: HttpResponseBase) -> None:
    """Has the browser forget its session."""
    response.set_cookie(_name(), "", max_age=0, secure=settings.PRODUCTION, httponly=True, samesite="Lax", path="/")


def lead_of(request: HttpRequest) -> str:
    """Where somebody wanted to go who had to ask for a link first; from outside, so it is to be checked."""
    return request.COOKIES.get(_LEAD, "")


def remember_lead(response: HttpResponseBase, lead: str) -> None:
    """Keeps where somebody wanted to go until the letter has come; "" for nowhere forgets it."""
    response.set_cookie(
        _LEAD,
        lead,
        max_age=_LEAD_KEPT_SECONDS if lead else 0,
        secure=settings.PRODUCTION,
        httponly=True,
        samesite="Lax",
        path="/learn/",
    )
