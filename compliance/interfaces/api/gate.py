"""The outermost middleware: everything under /v1 is answered here, and nothing but JSON ever comes out (design 7).

The order of checks: request id, key in URL, host, path (404), method (405); then, in the views, token (401), network
(403), rate and concurrency (429), scope (403), parameters (400), history (422). A key in the address of any other page
is caught here too.
"""

import base64
import binascii
import logging
import time
import traceback
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from urllib.parse import unquote

import orjson
import psycopg
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from compliance.access import actions, tokens
from compliance.interfaces.api import clock, exchange, health, networks
from compliance.interfaces.api.exchange import Exchange
from compliance.interfaces.api.problems import Code, Problem
from compliance.registers.errors import RecordTooLargeError

log = logging.getLogger("compliance.api")

ROUTES = "compliance.interfaces.api.urls"
ALLOWED = ("GET", "HEAD")
PROBLEM_TYPE = "application/problem+json"
STRICT_TRANSPORT = "max-age=31536000; includeSubDomains; preload"
_DECODINGS = 5
# Asked by containers and load balancers at an address, by no name of ours and without TLS.
_HEALTH = {"/livez": health.livez, "/readyz": health.readyz}


class Gate:
    """Django middleware; must stand first."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        keys = keys_in_url(request)
        if keys or is_api(request.path_info):
            return _answer(request, keys)
        look = _HEALTH.get(request.path_info)
        return self._get_response(request) if look is None else look(request)


def is_api(path: str) -> bool:
    """Whether an address belongs to the API."""
    return path == "/v1" or path.startswith("/v1/")


def keys_in_url(request: HttpRequest) -> set[str]:
    """What looks like a key in the target of a request, however often encoded, or in the userinfo of its URL.

    Clients send a URL's userinfo as a Basic header, so what stands there was in the URL.
    """
    texts = [request.path_info, request.META.get("PATH_INFO", ""), request.META.get("QUERY_STRING", "")]
    scheme, _, credentials = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    if scheme.lower() == "basic":
        try:
            texts.append(base64.b64decode(credentials.strip()).decode("utf-8", "replace"))
        except (binascii.Error, ValueError):
            pass
    return {key for text in texts for decoded in _decodings(text) for key in tokens.SHAPE.findall(decoded)}


def _decodings(text: str) -> Iterator[str]:
    for _ in range(_DECODINGS):
        yield text
        if "%" not in text:
            return
        text = unquote(text)


def _answer(request: HttpRequest, keys: set[str]) -> HttpResponse:
    started = time.monotonic()
    known = exchange.begin(request)
    code = None
    try:
        response = _respond(request, known, keys)
    except Problem as problem:
        problem = _counted(problem, known)
        response, code = _problem_response(problem, known), problem.code.code
    finally:
        known.end()
    response["X-Request-Id"] = str(known.request_id)
    response["Cache-Control"] = "no-store"
    response["X-Content-Type-Options"] = "nosniff"
    if settings.PRODUCTION:
        response["Strict-Transport-Security"] = STRICT_TRANSPORT
    if known.verdict is not None:
        for name, value in known.verdict.headers().items():
            response[name] = value
    response["Content-Length"] = str(len(response.content))
    if request.method == "HEAD":
        response.content = b""
    # Django would log the path of every refusal as it stands, and a key may stand in it.
    response._has_been_logged = True  # type: ignore[attr-defined]
    _log(request, response, known, code, started)
    return response


@lru_cache(maxsize=1)
def _views() -> dict[str, Callable[[HttpRequest], HttpResponseBase]]:
    """Every address of the API, which hold no parameters, and who answers there."""
    return {f"/{pattern.pattern}": pattern.callback for pattern in import_module(ROUTES).urlpatterns}


def _respond(request: HttpRequest, known: Exchange, keys: set[str]) -> HttpResponse:
    """The answer. Raises Problem, and nothing else."""
    try:
        if keys:
            actions.revoke_seen_in_url(candidates=keys, at=clock.now())
            raise Problem(Code.KEY_IN_URL)
        try:
            request.get_host()
        except DisallowedHost:
            raise Problem(Code.INVALID_REQUEST, "The Host header names no host of this service.") from None
        if settings.PRODUCTION and not networks.is_secure(request.META, settings.TRUSTED_PROXIES):
            raise Problem(Code.INVALID_REQUEST, "The API is spoken over HTTPS only.")
        view = _views().get(request.path_info)
        if view is None:
            raise Problem(Code.NOT_FOUND)
        if request.META.get("REQUEST_METHOD") not in ALLOWED:  # as sent: Django would take `get` for GET
            raise Problem(Code.METHOD_NOT_ALLOWED, headers={"Allow": ", ".join(ALLOWED)})
        response = view(request)
        assert isinstance(response, HttpResponse)
        return response
    except Problem:
        raise
    except RecordTooLargeError as error:
        raise Problem(Code.RECORD_TOO_LARGE, str(error)) from None
    except (DatabaseError, InterfaceError) as error:
        if isinstance(error.__cause__, psycopg.errors.QueryCanceled):
            raise Problem(Code.READ_TIMEOUT) from None
        _log_failure(known, error)
        raise Problem(Code.READ_FAILED) from None
    except Exception as error:  # noqa: BLE001 - the last line: what nobody foresaw is told as a problem, never as HTML
        _log_failure(known, error)
        raise Problem(Code.READ_FAILED, "The read failed.") from None


def _counted(problem: Problem, known: Exchange) -> Problem:
    """Counts an answer that is given before a valid key is known; the address's limit refuses first.

    A key in the URL is said so in any case: its owner must hear that it is revoked.
    """
    if known.verdict is not None:
        return problem
    try:
        known.count_for_address()
    except Problem as refusal:
        return problem if problem.code is Code.KEY_IN_URL else refusal
    return problem


def _problem_response(problem: Problem, known: Exchange) -> HttpResponse:
    meaning = problem.code.value
    content: dict[str, object] = {
        "type": f"{settings.BASE_URL}/problems/{problem.code.code}",
        "title": meaning.title,
        "status": meaning.status,
        "detail": problem.detail,
        "instance": f"urn:uuid:{known.request_id}",
        "code": problem.code.code,
        "request_id": str(known.request_id),
    }
    if problem.errors:
        content["errors"] = [fault._asdict() for fault in problem.errors]
    response = HttpResponse(orjson.dumps(content), content_type=PROBLEM_TYPE, status=meaning.status)
    for name, value in problem.headers.items():
        response[name] = value
    return response


def _log(request: HttpRequest, response: HttpResponse, known: Exchange, code: str | None, started: float) -> None:
    caller = known.caller
    log.info(
        "api_call",
        extra={
            "request_id": str(known.request_id),
            "method": request.method,
            "path": tokens.redact(request.path_info),
            "status": response.status_code,
            "code": code,
            "milliseconds": round((time.monotonic() - started) * 1000, 1),
            "key_id": None if caller is None else str(caller.key_id),
            "organization_id": None if caller is None else str(caller.company.organization_id),
        },
    )


def _log_failure(known: Exchange, error: Exception) -> None:
    """Where it failed, without the message: messages of a database may quote rows."""
    log.error(
        "api_failure",
        extra={
            "request_id": str(known.request_id),
            "error": type(error).__name__,
            "where": [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-8:]],
        },
    )
