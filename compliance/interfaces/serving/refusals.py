"""Answers requests whose bodies were not taken, before anything reads these."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from compliance.interfaces.serving.front import REFUSED


class RefusedBodies:
    """Django middleware, inside of the one that gives errors their pages. APIs answer such requests themselves."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        status = request.META.get(REFUSED)
        if status is None:
            return self._get_response(request)
        # The rest of the body is still to come: the connection cannot be used again.
        return HttpResponse(status=status, headers={"Connection": "close", "Cache-Control": "no-store"})
