"""Sessions that end (issue 8, part 4): after thirty minutes without a page, and twelve hours after sign-in."""

from datetime import datetime

from django.conf import settings
from django.http import HttpRequest

BEGAN = "console_began"
SEEN = "console_seen"
# The last page is written down at most once a minute, so that reading costs no write a page.
NOTED_EVERY_SECONDS = 60


def begin(request: HttpRequest, now: datetime) -> None:
    """Starts both clocks."""
    request.session[BEGAN] = request.session[SEEN] = now.timestamp()


def has_ended(request: HttpRequest, now: datetime) -> bool:
    """Whether one of the clocks has run out. A session without clocks (made elsewhere) has."""
    moment = now.timestamp()
    began, seen = request.session.get(BEGAN), request.session.get(SEEN)
    if began is None or seen is None:
        return True
    return bool(
        moment - began >= settings.CONSOLE_SESSION_SECONDS or moment - seen >= settings.CONSOLE_SESSION_IDLE_SECONDS
    )


def note(request: HttpRequest, now: datetime) -> None:
    """Sets the idle clock back."""
    if now.timestamp() - request.session[SEEN] >= NOTED_EVERY_SECONDS:
        request.session[SEEN] = now.timestamp()
