"""Keeps the input of an act's form whose session ended while it was open.

A form sent without a session is answered with a page that holds the input, from which the person signs in in another
window. A form with the token of a former session is returned filled in, as a form: nothing is performed or previewed,
and the person sends it again with a new token. The server stores none of the input.
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
"""Django's reason for refusing a form of a former session; a form from another site is refused for its origin."""


def signed_out(request: HttpRequest) -> HttpResponse | None:
    """The page that keeps the form of an act sent without a session; None for any other request."""
    if request.method != "POST" or "step" not in request.POST or _act(request) is None:
        return None
    kept = [(name, value) for name, values in request.POST.lists() if name not in _NOT_KEPT for value in values]
    return render(request, "sign_in/kept_form.html", {"kept": kept, "files": bool(request.FILES)}, status=403)


def old_token(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF_FAILURE_VIEW: returns the form of an act of a former session filled in."""
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
    answer.status_code = 403  # the request was refused, though the answer is its form
    return answer


def _act(request: HttpRequest) -> ResolverMatch | None:
    """The match of the request's URL if it is the page of an act, else None."""
    try:
        match = resolve(request.path_info)
    except Resolver404:
        return None
    return match if match.view_name.startswith("console:act-") else None
