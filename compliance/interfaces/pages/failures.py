"""What people see when a request fails: our own page for every error for which no view has made one.

The pages are drawn without a session, a user or the database, because any of these may be what failed. Each names what
happened, what to do, where to go on, and the id of the request.
"""

import sys
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, override

from compliance.interfaces.console.languages import language_of
from compliance.interfaces.learner import failing
from compliance.interfaces.pages import request_id
from compliance.interfaces.pages.answers import sealed
from compliance.tenancy import lost


class Words(NamedTuple):
    """The name of a failure, and what to do about it."""

    title: str | Promise
    sentences: tuple[str | Promise, ...]


UNREADABLE = Words(
    gettext_lazy("This request could not be read"),
    (
        gettext_lazy("The address or the form was cut off, too large, or meant for another host."),
        gettext_lazy("Go back and try it again."),
    ),
)
CLOSED = Words(gettext_lazy("This page is not open to you"), (gettext_lazy("Your account does not reach this page."),))
STALE_FORM = Words(
    gettext_lazy("This form could not be sent"),
    (
        gettext_lazy("It was open for too long, or your browser sent no cookie with it. Nothing was changed."),
        gettext_lazy("Go back, load the page again, and send the form once more."),
    ),
)
NOWHERE = Words(
    gettext_lazy("There is no page at this address"),
    (gettext_lazy("It was mistyped or cut off, or what it showed is no longer there."),),
)
NOT_THIS_WAY = Words(
    gettext_lazy("This address cannot be used in this way"),
    (gettext_lazy("Open the page again and use what it offers."),),
)
TOO_OFTEN = Words(gettext_lazy("Too many requests"), (gettext_lazy("Wait a moment, then try again."),))
BROKEN = Words(
    gettext_lazy("Something went wrong on our side"),
    (
        gettext_lazy("The page could not be made. Try again in a moment."),
        gettext_lazy("If you have just sent a form, look first whether it was recorded."),
    ),
)
TOO_SLOW = Words(
    gettext_lazy("This form took too long to arrive"),
    (
        gettext_lazy("Your connection may be slow or was interrupted. Nothing was changed."),
        gettext_lazy("Send the form once more."),
    ),
)
TOO_LARGE = Words(
    gettext_lazy("This form is too large"),
    (gettext_lazy("Nothing was changed. Files can be sent by staff who are signed in, up to 64 MiB."),),
)
BUSY = Words(
    gettext_lazy("The service is busy"), (gettext_lazy("Nothing was changed. Wait a moment, then try again."),)
)
LOST = Words(
    gettext_lazy("The service cannot be reached for a moment"),
    (
        gettext_lazy("It is being moved to another machine, or is being started again. Try again in half a minute."),
        gettext_lazy("If you have just sent a form, look first whether it was recorded."),
    ),
)
_BY_STATUS = {
    400: UNREADABLE,
    403: CLOSED,
    404: NOWHERE,
    405: NOT_THIS_WAY,
    408: TOO_SLOW,
    413: TOO_LARGE,
    429: TOO_OFTEN,
    503: BUSY,
}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400: the page for a request that cannot be read."""
    return _page(request, UNREADABLE, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler403: the page for what the reader may not see."""
    return _page(request, CLOSED, 403)


def csrf(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF_FAILURE_VIEW. `reason` is for developers and is in the log."""
    return _page(request, STALE_FORM, 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler404: the page for an address that does not exist."""
    return _page(request, NOWHERE, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500, called while the error is being handled: the page for it, or for an unavailable database."""
    error = sys.exception()
    if not lost.is_lost(error):
        return _page(request, BROKEN, 500)
    lost.let_go(error)
    response = _page(request, LOST, 503)
    response.headers["Retry-After"] = str(lost.RETRY_AFTER_SECONDS)
    return response


def fill(request: HttpRequest, response: HttpResponse) -> None:
    """Fills in the page of an error that came without a body; status and headers stay."""
    words = _BY_STATUS.get(response.status_code, BROKEN if response.status_code >= 500 else UNREADABLE)
    response.content = _text(request, words, response.status_code)
    response.headers["Content-Type"] = "text/html; charset=utf-8"
    response.headers["Content-Length"] = str(len(response.content))  # Django has counted the empty body already
    sealed(response)


def _page(request: HttpRequest, words: Words, status: int) -> HttpResponse:
    return sealed(HttpResponse(_text(request, words, status), status=status))


def _text(request: HttpRequest, words: Words, status: int) -> str:
    path = request.path_info
    if path.startswith("/learn/"):
        failure = {STALE_FORM: failing.STALE_FORM, LOST: failing.LOST}.get(words, status)
        return failing.text(request, failure, request_id.of(request))
    values = {"title": words.title, "sentences": words.sentences, "request_id": request_id.of(request)}
    if path.startswith("/console/"):
        with override(language_of(request)):
            return render_to_string("console/outside.html", values)
    return render_to_string("pages/failure.html", values | {"of_api": path.startswith(("/docs", "/problems"))})
