"""Selects the language of public pages: the first that the reader asks for and the pages have, else English."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from compliance.interfaces.learner.languages import interface_language, languages_of


class Spoken:
    """Middleware. The learners' pages and the console select theirs again, because people choose it there."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        language = interface_language(languages_of(request))
        with translation.override(language):
            response = self.get_response(request)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ["Accept-Language"])
        return response
