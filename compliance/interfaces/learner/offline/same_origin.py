"""Accepts POST only from a worker or page of our own.

A service worker has no form and so no CSRF token, because scripts cannot read the token's cookie. Instead three things
are checked that no page of another site can send: `Origin`, which browsers send with every POST and scripts cannot set,
is this very origin; `Sec-Fetch-Site`, where a browser sends it, is `same-origin`; and the body is JSON, which a form
cannot send and a script of another origin only after a preflight that is never answered. The session's cookie is
SameSite as well.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

Parameters = ParamSpec("Parameters")
View = Callable[Concatenate[HttpRequest, Parameters], HttpResponseBase]


def json_of_our_own(view: View[Parameters]) -> View[Parameters]:
    """Makes a view that takes JSON by POST from our own pages and workers, without a CSRF token."""

    @csrf_exempt
    @require_POST
    @wraps(view)
    def answered(request: HttpRequest, /, *args: Parameters.args, **values: Parameters.kwargs) -> HttpResponseBase:
        if not is_our_own(request):
            return _refused(403, "another_origin", "This is for the pages of this service alone.")
        if request.content_type != "application/json":
            return _refused(415, "not_json", "The body is JSON.")
        return view(request, *args, **values)

    return answered


def is_our_own(request: HttpRequest) -> bool:
    """Whether a POST comes from a page or worker of this origin."""
    own = f"{request.scheme}://{request.get_host()}"
    return (
        request.headers.get("Origin") == own and request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    )


def _refused(status: int, code: str, title: str) -> HttpResponseBase:
    response = JsonResponse({"code": code, "title": title}, status=status)
    response.headers["Cache-Control"] = "no-store"
    return response
