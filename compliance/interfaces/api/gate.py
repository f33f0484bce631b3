"""Answers every API, by the entry of `ROUTES` that its address is below, and always with JSON.

The order of checks: request id, key in URL, host, path (404), method (405); then, in the views, token (401), network
(403), rate and concurrency (429), scope (403), parameters (400), history (422). A key in the address of any other page
is detected here too.
"""

import base64
import binascii
import logging
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import unquote

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import Resolver404, resolve
from rest_framework.response import Response

from compliance.access import tokens
from compliance.interfaces.api import exchange, health
from compliance.interfaces.api.exchange import Exchange
from compliance.interfaces.api.views import NothingHere
from compliance.interfaces.serving import codings
from compliance.interfaces.serving.front import REFUSED

log = logging.getLogger("compliance.api")

ROUTES = {
    "/v1": "compliance.interfaces.api.urls",
    "/proof/v1": "compliance.interfaces.proof.urls",
    "/feed/v1": "compliance.interfaces.feed.urls",
    "/scim/v2": "compliance.interfaces.scim.urls",
    "/in/v1": "compliance.interfaces.ingest.urls",
}
"""The routes of each API, by the address below which it answers."""
STRICT_TRANSPORT = "max-age=31536000; includeSubDomains; preload"
CONTENT_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
"""For answers that are none of our pages: a browser that displays one runs and loads nothing in it."""
_DECODINGS = 5
_PERCENT = re.compile(r"%(?:25)+")
"""A percent sign that was encoded any number of times: decoding it one by one would take too long."""
_WITHOUT_CONTENT = (204, 304)
"""Statuses whose answers have no content, and must not state its length as 0 (RFC 9110, 8.6)."""
_NOTHING_HERE = NothingHere.as_view({"get": "http_method_not_allowed"})
# Containers and load balancers ask these by address, under no name of ours and without TLS.
_HEALTH = {"/livez": health.livez, "/readyz": health.readyz}


class Gate:
    """Django middleware; only `Answered` comes before it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        keys = keys_in_url(request)
        look = _HEALTH.get(request.path_info)
        response: HttpResponseBase
        if keys or is_api(request.path_info):
            response = _answer(request, keys)
        elif look is not None:
            response = look(request)
        else:
            return self._get_response(request)
        response["X-Content-Type-Options"] = "nosniff"
        response["Content-Security-Policy"] = CONTENT_POLICY
        return response


def is_api(path: str) -> bool:
    """Whether an address belongs to an API."""
    return _routes(path) is not None


def answers(path: str) -> bool:
    """Whether this gate answers an address itself: the API and the health checks, which read no body."""
    return is_api(path) or path in _HEALTH


def keys_in_url(request: HttpRequest) -> frozenset[str]:
    """Texts that look like a key in the target of a request, however often encoded, or in the userinfo of its URL.

    Clients send a URL's userinfo as a Basic header, so a key in that header was in the URL.
    """
    texts = [request.path_info, request.META.get("PATH_INFO", ""), request.META.get("QUERY_STRING", "")]
    scheme, _, credentials = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    if scheme.lower() == "basic":
        try:
            texts.append(base64.b64decode(credentials.strip()).decode("utf-8", "replace"))
        except (binascii.Error, ValueError):
            pass
    return frozenset(key for text in texts for decoded in _decodings(text) for key in tokens.SHAPE.findall(decoded))


def _decodings(text: str) -> Iterator[str]:
    for _ in range(_DECODINGS):
        yield text
        if "%" not in text:
            return
        text = unquote(_PERCENT.sub("%", text))


def _answer(request: HttpRequest, keys: frozenset[str]) -> HttpResponse:
    started = time.monotonic()
    known = exchange.begin(request, keys)
    try:
        response = _view(request.path_info)(request).render()
    finally:
        known.end()
    response["X-Request-Id"] = str(known.request_id)
    response["Cache-Control"] = "no-store"
    if REFUSED in request.META:
        response["Connection"] = "close"  # the rest of the body is still to come
    if settings.PRODUCTION:
        response["Strict-Transport-Security"] = STRICT_TRANSPORT
    if known.verdict is not None:
        for name, value in known.verdict.headers().items():
            response[name] = value
    response["Vary"] = codings.VARY
    if response.status_code not in _WITHOUT_CONTENT:
        _compress(request, response)
        response["Content-Length"] = str(len(response.content))
    if request.method == "HEAD":
        response.content = b""
    # Django would log the path of every refusal unchanged, and it may contain a key.
    response._has_been_logged = True
    milliseconds = round((time.monotonic() - started) * 1000, 1)
    response._resource_closers.append(partial(_log, request, response, known, milliseconds))  # when it was sent
    return response


def _compress(request: HttpRequest, response: HttpResponse) -> None:
    coding = codings.chosen(request.META.get("HTTP_ACCEPT_ENCODING"), len(response.content))
    if coding is not None:
        response.content = codings.compressed(response.content, coding)
        response["Content-Encoding"] = coding.value


def _view(path: str) -> Callable[[HttpRequest], Response]:
    """The view at an address of an API; `NothingHere` for any other address, which is here because it holds a key."""
    try:
        found = resolve(path, _routes(path) or ROUTES["/v1"])
    except Resolver404:
        return _NOTHING_HERE
    return partial(found.func, **found.kwargs)


def _routes(path: str) -> str | None:
    return next((routes for root, routes in ROUTES.items() if path == root or path.startswith(f"{root}/")), None)


def _log(request: HttpRequest, response: Response, known: Exchange, milliseconds: float) -> None:
    caller = known.caller
    log.info(
        "api_call",
        extra={
            "request_id": str(known.request_id),
            "method": request.method,
            "path": tokens.redact(request.path_info),
            "status": response.status_code,
            "code": response.data.get("code") if response.exception else None,
            "milliseconds": milliseconds,
            "key_id": None if caller is None else str(caller.token_id),
            "organization_id": None if caller is None else str(caller.organization_id),
        },
    )
