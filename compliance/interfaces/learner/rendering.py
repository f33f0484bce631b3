"""How the learners' pages are drawn and answered: in the reader's language, never cached, never indexed."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.loader import render_to_string
from django.utils import translation

from compliance.interfaces.learner.languages import interface_language, languages_of

Answer = TypeVar("Answer", bound=HttpResponseBase)


def drawn(
    request: HttpRequest, template: str, values: Mapping[str, Any], *, status: int = 200, company_name: str = ""
) -> HttpResponse:
    """A page of `templates/learner/` in the active language."""
    context = {"languages": settings.LANGUAGES, "company_name": company_name, **values}
    response = HttpResponse(render_to_string(f"learner/{template}", context, request), status=status)
    response.headers["Content-Language"] = translation.get_language() or "en"
    return response


def outside(
    request: HttpRequest,
    template: str,
    values: Mapping[str, Any] | None = None,
    *,
    status: int = 200,
    company_name: str = "",
) -> HttpResponse:
    """A page for somebody who is not signed in, in the language of the browser, with the headers of these pages."""
    with translation.override(interface_language(languages_of(request))):
        return private(drawn(request, template, values or {}, status=status, company_name=company_name))


def see_other(address: str) -> HttpResponse:
    """Redirects by GET after a POST, so that reloading sends nothing twice."""
    response = HttpResponseRedirect(address)
    response.status_code = 303
    return response


def private(response: Answer) -> Answer:
    """Adds the headers of these pages to an answer: never cached, never indexed."""
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response.headers["Referrer-Policy"] = "same-origin"
    return response
