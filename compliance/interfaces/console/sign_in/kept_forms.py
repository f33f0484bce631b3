"""A form of an act that was open over a sign-out loses nothing.

Whoever sends one without a session gets a page that holds what they typed, and signs in beside it, in another window. A
form whose token is of a former session comes back filled in, as a form: nothing is done, nothing is previewed, and
whoever sees it sends it again with a token of today. What was typed is kept nowhere on the server.
"""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import render
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.translation import gettext

from compliance.interfaces.pages import failures

_NOT_KEPT = ("csrfmiddlewaretoken", "job")
_OLD_TOKEN = ("CSRF token from POST", REASON_NO_CSRF_COOKIE)
"""What Django says of a form of a former session; a form from another site is refused for its origin."""


def signed_out(request: HttpRequest) -> HttpResponse | None:
    """The page that keeps a form of an act, sent without a session; None for anything else."""
    if request.method != "POST" or "step" not in request.POST or _act(request) is None:
        return None
    kept = [(name, value) for name, values in request.POST.lists() if name not in _NOT_KEPT for value in values]
    return render(request, "sign_in/kept_form.html", {"kept": kept, "files": bool(request.FILES)}, status=403)


def old_token(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF_FAILURE_VIEW: a form of an act of a former session comes back filled in."""
    match = _act(request)
    if match is None or request.method != "POST" or not reason.startswith(_OLD_TOKEN):
        return failures.csrf(request, reason)
    if not request.user.is_authenticated:
        return signed_out(request) or failures.csrf(request, reason)
    form = request.POST.copy()
    form["step"] = "back"  # the only step that does nothing
    request.POST = form  # type: ignore[assignment]
    messages.info(
        request, gettext("You signed in again since this form was opened. What you typed is still here: look it over.")
    )
    answer: HttpResponse = match.func(request, *match.args, **match.kwargs)
    answer.status_code = 403  # what was sent was refused; what is shown is its form
    return answer


def _act(request: HttpRequest) -> ResolverMatch | None:
    """The page of an act that the request is for."""
    try:
        match = resolve(request.path_info)
    except Resolver404:
        return None
    return match if match.view_name.startswith("console:act-") else None
