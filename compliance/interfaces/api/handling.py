"""DRF's exception handler of the APIs: it turns an error in a view into a problem document."""

import logging
import traceback
from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from rest_framework.response import Response

from compliance.interfaces.api import exchange
from compliance.interfaces.api.exchange import Exchange
from compliance.interfaces.api.problems import Code, Problem
from compliance.registers.errors import RecordTooLargeError
from compliance.tenancy import lost

log = logging.getLogger("compliance.api")

PROBLEM_TYPE = "application/problem+json"


def handle(error: Exception, context: dict[str, Any]) -> Response:
    """The problem document of any error: /v1 answers with nothing but JSON."""
    known = exchange.of(context["request"]._request)
    problem = _counted(_problem(error, known, context["view"]), known)
    if problem.code is Code.UPSTREAM_UNAVAILABLE:
        problem.headers.setdefault("Retry-After", str(lost.RETRY_AFTER_SECONDS))
    meaning = problem.code.value
    content: dict[str, object] = {
        "type": f"{settings.BASE_URL}/problems/{problem.code.code}",
        "title": meaning.title,
        "status": meaning.status,
        "detail": problem.detail,
        "instance": f"urn:uuid:{known.request_id}",
        "code": problem.code.code,
        "request_id": str(known.request_id),
        **problem.members,
    }
    if problem.errors:
        content["errors"] = [fault._asdict() for fault in problem.errors]
    return Response(content, meaning.status, headers=problem.headers, content_type=PROBLEM_TYPE)


def _problem(error: Exception, known: Exchange, view: Any) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, RecordTooLargeError):
        return Problem(Code.RECORD_TOO_LARGE, str(error))
    if isinstance(error, SuspiciousOperation):
        most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        return Problem(Code.INVALID_REQUEST, f"The request is malformed, or its query has more than {most} parameters.")
    if lost.is_lost(error):
        lost.let_go(error)
        problem = Problem(Code.UPSTREAM_UNAVAILABLE, view.when_lost)
    else:
        problem = view.problem_of(error)
    if problem.code is Code.READ_TIMEOUT:
        return problem
    # The place of the failure without its message: a database's messages may quote rows.
    log.error(
        "api_failure",
        extra={
            "request_id": str(known.request_id),
            "error": type(error).__name__,
            "sqlstate": getattr(error.__cause__, "sqlstate", None),
            "where": [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-8:]],
        },
    )
    return problem


def _counted(problem: Problem, known: Exchange) -> Problem:
    """Counts an answer without a valid key against its address; beyond the limit, `rate_limited` replaces it.

    `key_in_url` is answered even beyond the limit: the key's owner must learn that the key was revoked.
    """
    if known.verdict is not None:
        return problem
    try:
        known.count_for_address()
    except Problem as refusal:
        return problem if problem.code is Code.KEY_IN_URL else refusal
    return problem
