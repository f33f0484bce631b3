"""The endpoints of /v1: read-only DRF viewsets, one for each way of reading a register.

A view reads the parameters, asks `registers` and answers with bytes: the database already gives a page as text, so no
serializer is needed.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, ClassVar

import orjson
import psycopg
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.db import DatabaseError, InterfaceError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from compliance.access import exposure
from compliance.history.text import instant
from compliance.interfaces.api import authentication, clock, cursors, exchange, networks, parameters, snapshots
from compliance.interfaces.api.cursors import Cursor
from compliance.interfaces.api.parameters import Asked
from compliance.interfaces.api.problems import Code, Problem
from compliance.interfaces.api.rendering import JsonRenderer, OneRepresentation
from compliance.interfaces.api.schema import ApiSchema
from compliance.registers import callers, pages, totals
from compliance.registers.callers import Caller
from compliance.registers.errors import OtherHistoryError
from compliance.registers.pages import Listing
from compliance.registers.questions import Position, Question
from compliance.rules.vocabulary import Scope
from compliance.tenancy import reading

ALLOWED = ("GET", "HEAD")


class ApiViewSet(ViewSet):
    """A call under /v1. Checks the address and the method, then token, network, limits and scope, in this order."""

    authentication_classes = [authentication.KeyAuthentication]
    permission_classes = [
        authentication.FromAllowedNetwork,
        authentication.WithinLimits,
        authentication.HoldsScope,
    ]
    renderer_classes = [JsonRenderer]
    content_negotiation_class = OneRepresentation
    schema = ApiSchema()
    default_response_headers: ClassVar[dict[str, str]] = {}
    required_scope: ClassVar[Scope | None] = None
    methods: ClassVar[tuple[str, ...]] = ALLOWED
    exists: ClassVar[bool] = True
    when_lost: ClassVar[str | None] = None
    """The `detail` for a call whose connection to the database was lost; None: the problem's usual one."""

    def initial(self, request: Request, *arguments: Any, **names: Any) -> None:
        """The checks that need no key, then DRF's."""
        keys = exchange.of(request._request).keys
        if keys:
            exposure.revoke_seen_in_url(candidates=keys, at=clock.now())
            raise Problem(Code.KEY_IN_URL)
        try:
            request.get_host()
        except DisallowedHost:
            raise Problem(Code.INVALID_REQUEST, "The Host header names no host of this service.") from None
        if settings.PRODUCTION and not networks.is_secure(request.META, settings.TRUSTED_PROXIES):
            raise Problem(Code.INVALID_REQUEST, "The API is spoken over HTTPS only.")
        if not self.exists:
            raise Problem(Code.NOT_FOUND)
        if request.META.get("REQUEST_METHOD") not in self.methods:  # as sent: Django would take `get` for GET
            raise Problem(Code.METHOD_NOT_ALLOWED, headers={"Allow": ", ".join(self.methods)})
        super().initial(request, *arguments, **names)

    def problem_of(self, error: Exception) -> Problem:
        """The problem for an error that is none itself; an unforeseen error is not reported as the database's."""
        if not isinstance(error, DatabaseError | InterfaceError):
            return Problem(Code.READ_FAILED, "The read failed.")
        timed_out = isinstance(error.__cause__, psycopg.errors.QueryCanceled)
        return Problem(Code.READ_TIMEOUT if timed_out else Code.READ_FAILED)


class NothingHere(ApiViewSet):
    """Any other address: refuses every call."""

    exists = False


class SnapshotViewSet(ApiViewSet):
    """`/v1/snapshot`: the company's latest snapshot, for a key with any scope."""

    def list(self, request: Request) -> Response:
        """The snapshot; also while the history is not available, which it states."""
        parameters.parse(query_of(request), ())
        caller = authentication.caller_of(request)
        now = clock.now()
        if caller.available:
            with read(caller):
                check_writer(caller, now)
        return Response({"snapshot": snapshots.of(Question(caller.company, caller.pin, now), caller.available)})


class RegisterViewSet(ApiViewSet):
    """A register: pinned pages of one listing."""

    listing: ClassVar[Listing]

    def list(self, request: Request) -> Response:
        """One page of the register, at the moment that the parameters name."""
        listing, endpoint, now = self.listing, request.path, clock.now()
        caller = authentication.caller_of(request)
        with read_pinned(caller):
            asked = parameters.asked(query_of(request), listing.register, caller.company.time_zone)
            if asked.cursor is None:
                cursor = _first(caller, asked, listing, now)
            else:
                cursor = _following(caller, asked, asked.cursor, endpoint)
            if not caller.available:
                raise Problem(Code.UNAVAILABLE)
            personal = Scope.PEOPLE_READ in caller.scopes
            question = Question(caller.company, cursor.pin, cursor.moment, cursor.start, cursor.course, personal)
            if cursor.total < 0:
                check_writer(caller, now)
                cursor = cursor._replace(total=totals.total(listing, question))
            try:
                page = pages.page(listing, question, cursor.position, asked.limit, cursor.total - cursor.served)
            except OtherHistoryError:
                raise Problem(
                    Code.INVALID_CURSOR,
                    "The company's history does not have the snapshot that the cursor keeps: it was restored from an"
                    " earlier state. Start again without a cursor.",
                ) from None
            reading.finish()  # PostgreSQL ends the transaction while the answer is composed
            following = None
            if page.position is not None:
                following = cursors.seal(
                    cursor._replace(position=page.position, served=cursor.served + page.held),
                    **_bound(caller, endpoint),
                )
            return Response(snapshots.page_bytes(page, cursor.total, question, caller.available, following))


def viewset_of(listing: Listing) -> type[RegisterViewSet]:
    """The viewset of a listing."""
    name = listing.register.operation.removeprefix("list")
    return type(f"{name}ViewSet", (RegisterViewSet,), {"listing": listing, "required_scope": listing.register.scope})


def read(caller: Caller) -> AbstractContextManager[None]:
    """A transaction that reads the caller's company, with no statement longer than the configured time."""
    return reading.company(caller.company.organization_id, timeout_milliseconds=settings.READ_TIMEOUT_MILLISECONDS)


def read_pinned(caller: Caller) -> AbstractContextManager[None]:
    """As `read`, but a standby may answer if it has all that the primary had when the caller's pin was read."""
    return reading.company(
        caller.company.organization_id,
        timeout_milliseconds=settings.READ_TIMEOUT_MILLISECONDS,
        written=caller.written,
    )


def check_writer(caller: Caller, now: datetime) -> None:
    """Raises `writer_unavailable` when the company's facts have waited too long for the writer."""
    oldest = callers.oldest_pending(caller.company.organization_id)
    if oldest is not None and now - oldest > timedelta(seconds=settings.WRITER_LAG_SECONDS):
        raise Problem(Code.WRITER_UNAVAILABLE)


def query_of(request: Request) -> bytes:
    """The raw query string."""
    query: str = request.META.get("QUERY_STRING", "")
    return query.encode("latin-1", "replace")


def _first(caller: Caller, asked: Asked, listing: Listing, now: datetime) -> Cursor:
    """The cursor at the beginning of a pull. Raises `invalid_request` and `before_history`."""
    moment, start = parameters.window(asked, listing.register.window, now)
    complete_from = caller.company.history_complete_from
    if (start or moment) < complete_from:
        raise Problem(Code.BEFORE_HISTORY, f"The company's history is complete from {instant(complete_from)} on.")
    return Cursor(caller.pin, moment, start, asked.course, Position(), -1, 0)


def _following(caller: Caller, asked: Asked, text: str, endpoint: str) -> Cursor:
    """The cursor with which a pull goes on. Raises `invalid_cursor`."""
    cursor = cursors.unseal(text, **_bound(caller, endpoint))
    same = (
        (asked.end is None or asked.end.instant == cursor.moment)
        and (asked.start is None or asked.start.instant == cursor.start)
        and (asked.course is None or asked.course == cursor.course)
    )
    if not same:
        raise Problem(
            Code.INVALID_CURSOR,
            "A filter differs from the one that the cursor keeps. Leave it out, or start without a cursor.",
        )
    return cursor


def _bound(caller: Caller, endpoint: str) -> Mapping[str, Any]:
    """What a cursor is bound to, and the keys that seal it."""
    return {
        "endpoint": endpoint,
        "organization_id": caller.company.organization_id,
        "secrets": tuple(settings.CURSOR_KEYS),
    }


class ContractViewSet(ApiViewSet):
    """The OpenAPI document of an API, for any caller that the API accepts."""

    @staticmethod
    def document(base_url: str) -> dict[str, Any]:
        """The document for a service at `base_url`."""
        raise NotImplementedError

    def list(self, request: Request) -> Response:
        """The document as JSON."""
        parameters.parse(query_of(request), ())
        return Response(_document_bytes(self.document, settings.BASE_URL))


@lru_cache(maxsize=8)
def _document_bytes(document: Callable[[str], dict[str, Any]], base_url: str) -> bytes:
    return orjson.dumps(document(base_url), option=orjson.OPT_INDENT_2) + b"\n"
