"""The outermost middleware: every answer has a request id, and every error has a page."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from compliance.interfaces.pages import failures, request_id


class Answered:
    """Django middleware; must be first. Answers of /v1 get their id and their problems from the gate."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request_id.begin(request)
        response = self._get_response(request)
        if request_id.HEADER in response.headers:
            return response
        response.headers[request_id.HEADER] = request_id.of(request)
        if isinstance(response, HttpResponse) and response.status_code >= 400 and not response.content:
            failures.fill(request, response)
        return response
