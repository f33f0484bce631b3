"""Middleware that checks sessions before everything under /console/.

Ended sessions are closed. A session that has not passed the account's second factor has no access. If a second factor
is required, a session of an account without one can only enrol one, and that only after an invitation. Browsers and
proxies may not store pages.
"""

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from compliance.interfaces.console.sign_in import kept_forms, sessions
from compliance.interfaces.console.sign_in.invitations import ADDRESS as INVITATION
from compliance.interfaces.console.sign_in.models import StaffSession

CONSOLE = "/console/"
SIGN_OUT = "/console/sign-in/out/"
FIRST_FACTOR = "/console/sign-in/second-factor/first/"
ENROLMENT = ("/console/sign-in/second-factor/on/", "/console/sign-in/passkeys/add/", "/console/sign-in/again/")
"""The pages for enrolling the first second factor; `again` asks for the password if that takes long."""


class Guard:
    """The middleware. It ignores all other paths."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(CONSOLE):
            return self.get_response(request)
        response = self._stop(request) or self.get_response(request)
        response.headers["Cache-Control"] = "no-store"
        return response

    def _stop(self, request: HttpRequest) -> HttpResponse | None:
        if not request.user.is_authenticated:
            return None
        now = timezone.now()
        row = sessions.of(request)
        if row is None or sessions.has_ended(row, now) or _half_open(row):
            sessions.end_own(request)
            logout(request)
            kept = kept_forms.signed_out(request)
            return kept or redirect_to_login(request.get_full_path() if request.method == "GET" else CONSOLE)
        if not sessions.refreshed_itself(request):
            sessions.note(row, now)
        return None if row.second_factor_at else _without_second_factor(request, row, now)


def _half_open(row: StaffSession) -> bool:
    """Whether the account has a second factor that this session has not passed, for example as it began before."""
    return row.second_factor_at is None and row.enrolled  # type: ignore[attr-defined]


def _without_second_factor(request: HttpRequest, row: StaffSession, now: datetime) -> HttpResponse | None:
    """A redirect for a session of an account without a second factor; None if it may open the page."""
    required = settings.CONSOLE_SECOND_FACTOR_REQUIRED
    if request.path in (ENROLMENT if required else ENROLMENT[:2]):
        invited = row.may_enrol_until is not None and now < row.may_enrol_until
        return None if invited else redirect(FIRST_FACTOR)
    if not required or request.path in (SIGN_OUT, FIRST_FACTOR):
        return None
    return None if request.path.startswith(INVITATION) else redirect(FIRST_FACTOR)
