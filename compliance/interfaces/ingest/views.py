"""`POST /in/v1/facts`: facts of a source, recorded before they are answered.

Authentication, limits, parameters and problems are those of /v1 (`interfaces.api`).
"""

import logging
from collections.abc import Mapping
from typing import Any

import orjson
from django.db import DatabaseError, InterfaceError, OperationalError
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from compliance.access.sources import SCIM, SourceCaller
from compliance.facts.errors import ImportUnderWayError
from compliance.facts.importing import Report, ReportedLine, import_lines
from compliance.facts.recording import Channel, Teller, enqueue_capture
from compliance.interfaces.api import authentication, clock, parameters, views
from compliance.interfaces.api.problems import Code, ParameterFault, Problem, invalid
from compliance.interfaces.ingest import bodies, preferences, pressure
from compliance.interfaces.ingest.lines import lines_of
from compliance.interfaces.ingest.waiting import wait_for_capture
from compliance.tenancy import lost

log = logging.getLogger(__name__)

LONGEST_REASON = 300
"""Keeps an answer about tens of thousands of lines within some megabytes."""


class BringsFacts(BasePermission):
    """The source may bring at least one kind of fact."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """True, or raises `insufficient_scope`."""
        if not authentication.source_of(request).kinds - {SCIM}:
            raise Problem(
                Code.INSUFFICIENT_SCOPE,
                "The source speaks SCIM and may bring no kind of fact. Its address is /scim/v2.",
                headers={"WWW-Authenticate": f'{authentication.REALM}, error="insufficient_scope"'},
            )
        return True


class FactsViewSet(views.ApiViewSet):
    """Takes facts in, for the token of a source."""

    authentication_classes = [authentication.SourceAuthentication]
    permission_classes = [authentication.FromAllowedNetwork, authentication.WithinLimits, BringsFacts]
    methods = ("POST",)
    when_lost = (
        "The database does not answer, or ended the connection amid the call. Whether the body was recorded is not"
        " known: send the same body again. What is recorded already is known by its `fact_id`."
    )

    def create(self, request: Request) -> Response:
        """Records the good lines of the body, or with `strict=true` all or none, and says what came of each."""
        strict = _strict(parameters.parse(views.query_of(request), ("strict",)))
        source = authentication.source_of(request)
        content = bodies.content_of(request._request)
        report = _record(source, content, strict)
        refused = [_refused(line) for line in report.errors]
        if strict and refused:
            count = f"{len(refused):,} lines are" if len(refused) > 1 else "One line is"
            raise Problem(
                Code.LINES_REFUSED, f"{count} refused, so nothing was recorded.", members={"refused": refused}
            )
        if report.recorded or report.known:
            enqueue_capture(source.organization_id)
        capture, headers = _captured(request, source, report)
        answer = {"recorded": report.recorded, "known": report.known, "refused": refused, "capture": capture}
        return Response(orjson.dumps(answer), headers=headers)

    def problem_of(self, error: Exception) -> Problem:
        """The problem of an error. The body is recorded in one transaction, and what fails in the database after it is
        no problem (`_captured`), so nothing is recorded.
        """
        temporary = isinstance(error, OperationalError | InterfaceError)
        return Problem(Code.NOT_RECORDED if temporary else Code.RECORDING_FAILED)


def _record(source: SourceCaller, content: bytes, strict: bool) -> Report:
    kinds = source.kinds - {SCIM}
    with pressure.room_for(len(content)):
        try:
            return import_lines(
                organization_id=source.organization_id,
                read_lines=lines_of(content),
                now=clock.now(),
                strict=strict,
                teller=Teller(Channel.SOURCE, name=source.name, kinds=kinds),
                patience=pressure.PATIENCE,
            )
        except ImportUnderWayError as error:
            raise pressure.busy(str(error)) from None


def _captured(request: Request, source: SourceCaller, report: Report) -> tuple[dict[str, int] | None, dict[str, str]]:
    """The capture that holds the lines, where the caller waits for it, and the answer's headers about the wait."""
    seconds = preferences.wait_seconds(request.META.get("HTTP_PREFER", ""))
    if seconds is None:
        return None, {}
    with pressure.place_to_wait() as may_wait:
        if not may_wait:
            return None, {}
        applied = {"Preference-Applied": f"wait={seconds}"}
        if not report.moments:
            return None, applied
        try:
            return wait_for_capture(source.organization_id, report.moments, seconds), applied
        except (DatabaseError, InterfaceError) as error:
            # The lines are recorded by now, so an error of waiting for them must not be the answer.
            log.exception("capture_not_awaited", extra={"organization_id": str(source.organization_id)})
            if lost.is_lost(error):
                lost.let_go(error)
            return None, applied


def _refused(line: ReportedLine) -> dict[str, object]:
    reason = line.reason if len(line.reason) <= LONGEST_REASON else line.reason[: LONGEST_REASON - 1] + "…"
    return {"line": line.line, "fact_id": line.fact_id, "code": line.code, "reason": reason}


def _strict(values: Mapping[str, str]) -> bool:
    value = values.get("strict", "false")
    if value not in ("true", "false"):
        raise invalid(ParameterFault("strict", "strict is true or false."))
    return value == "true"
