"""Answers requests whose bodies were not taken, before anything looks for them."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from compliance.interfaces.serving.front import REFUSED


class RefusedBodies:
    """Django middleware; must stand inside the one that gives errors their pages. APIs say it in their own words."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        status = request.META.get(REFUSED)
        if status is None:
            return self._get_response(request)
        # The rest of the body is still to come: the connection cannot be used again.
        return HttpResponse(status=status, headers={"Connection": "close", "Cache-Control": "no-store"})
