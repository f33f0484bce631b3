"""Known devices: browsers in which an account signed in before, recognised by a cookie.

These are the device cookies of OWASP ("Slow Down Online Guessing Attacks with Device Cookies"): a stranger's wrong
guesses never lock out a known browser, because they are counted separately.
"""

import hashlib
import re
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseBase

from compliance.interfaces.console.sign_in.models import Device

COOKIE = "console_device"
KNOWN_FOR = timedelta(days=180)
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


def is_known(request: HttpRequest, username: str, now: datetime) -> bool:
    """Whether the account `username` signed in from this browser before."""
    token = _token(request)
    if token is None:
        return False
    return Device.objects.filter(
        user__username=username, token_sha256=_digest(token), seen_at__gt=now - KNOWN_FOR
    ).exists()


def remember(request: HttpRequest, response: HttpResponseBase, user: User, now: datetime) -> bool:
    """Remembers this browser. Returns whether it is new to an account that had others."""
    token = _token(request) or secrets.token_urlsafe(32)
    had_others = Device.objects.filter(user=user).exists()
    _, made = Device.objects.update_or_create(
        user=user,
        token_sha256=_digest(token),
        defaults={"seen_at": now},
        create_defaults={"first_at": now, "seen_at": now},
    )
    response.set_cookie(
        COOKIE,
        token,
        max_age=KNOWN_FOR,
        path="/console/sign-in/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return made and had_others


def forget(user: User) -> None:
    """Forgets all browsers of `user`."""
    Device.objects.filter(user=user).delete()


def mark(request: HttpRequest) -> str:
    """The key of this browser for counting its guesses; empty without a cookie."""
    token = _token(request)
    return _digest(token) if token else ""


def _token(request: HttpRequest) -> str | None:
    found = request.COOKIES.get(COOKIE, "")
    return found if _TOKEN.fullmatch(found) else None


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
