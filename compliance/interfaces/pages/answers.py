"""How every public page is answered: never stored, never indexed, never framed, under a strict CSP."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from compliance.interfaces.pages import request_id

_HEADERS = {
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; frame-src 'self'; form-action 'self';"
        " base-uri 'none'; frame-ancestors 'none'"
    ),
}


def page(
    request: HttpRequest, template: str, context: dict[str, Any] | None = None, *, status: int = 200
) -> HttpResponse:
    """Render a template of this room."""
    return sealed(render(request, f"pages/{template}", context or {}, status=status))


def sealed(response: HttpResponse) -> HttpResponse:
    """Adds the headers of this room to an answer."""
    for name, value in _HEADERS.items():
        response.headers[name] = value
    return response


def message(
    request: HttpRequest, title: str, sentences: list[str], *, status: int, retry_after: int = 0, named: bool = True
) -> HttpResponse:
    """A page with one message. `named`: with the request id, unless every such answer must read the same."""
    context = {"title": title, "sentences": sentences, "request_id": request_id.of(request) if named else ""}
    response = page(request, "message.html", context, status=status)
    if retry_after:
        response.headers["Retry-After"] = str(retry_after)
    return response
