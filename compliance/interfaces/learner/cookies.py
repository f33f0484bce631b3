"""The cookies of the learners' pages. Scripts cannot read them, and none identifies a person by itself."""

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from compliance.learning.sessions import SESSION_LIFE

_LEAD = "learner-lead"
_LEAD_KEPT_SECONDS = 30 * 60


def _name() -> str:
    # Browsers accept this name only over TLS and from this very host, so no other host of the domain can set it.
    return "__Host-learner" if settings.PRODUCTION else "learner"


def token_of(request: HttpRequest) -> str:
    """The token that the browser sent, "" if it sent none."""
    return request.COOKIES.get(_name(), "")


def keep(response: HttpResponseBase, token: str) -> None:
    """Sets the cookie with the token of a session that has just begun.

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
    """Deletes the session's cookie."""
    response.set_cookie(_name(), "", max_age=0, secure=settings.PRODUCTION, httponly=True, samesite="Lax", path="/")


def lead_of(request: HttpRequest) -> str:
    """The page that somebody wanted who had to ask for a link first. It comes from outside and must be checked."""
    return request.COOKIES.get(_LEAD, "")


def remember_lead(response: HttpResponseBase, lead: str) -> None:
    """Remembers the page that somebody wanted until the letter has arrived; "" deletes it."""
    response.set_cookie(
        _LEAD,
        lead,
        max_age=_LEAD_KEPT_SECONDS if lead else 0,
        secure=settings.PRODUCTION,
        httponly=True,
        samesite="Lax",
        path="/learn/",
    )
