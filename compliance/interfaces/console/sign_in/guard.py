"""Stands before everything under /console/: sessions that ended are closed, and where a second factor is required
nobody passes without one (issue 8, part 4). Pages are never kept by a browser or a proxy."""

from collections.abc import Callable

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from compliance.interfaces.console.sign_in import sessions

CONSOLE = "/console/"
SIGN_IN = "/console/sign-in/"


class Guard:
    """Middleware; it looks at no other path."""

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
        if sessions.has_ended(request, now):
            logout(request)
            return redirect_to_login(request.get_full_path() if request.method == "GET" else CONSOLE)
        sessions.note(request, now)
        if not settings.CONSOLE_SECOND_FACTOR_REQUIRED or request.path.startswith(SIGN_IN):
            return None
        if any(record.get("method") == "mfa" for record in get_authentication_records(request, request.user)):
            return None
        if Authenticator.objects.filter(user_id=request.user.pk, type=Authenticator.Type.TOTP).exists():
            # The factor was set up in this very session, which proved its password and the first code.
            return None
        return redirect("mfa_activate_totp")
