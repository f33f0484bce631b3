"""The cookie of a learner's session. It holds a token and nothing else; scripts cannot read it."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from compliance.learning.sessions import SESSION_LIFE


def _name() -> str:
    return "__Host-learner" if settings.PRODUCTION else "learner"


def token_of(request: HttpRequest) -> str:
    """The token that the browser sent, "" if it sent none."""
    return request.COOKIES.get(_name(), "")


def keep(response: HttpResponse, token: str) -> None:
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


def forget(response: HttpResponse) -> None:
    """Has the browser forget its session."""
    response.delete_cookie(_name(), path="/", samesite="Lax")
