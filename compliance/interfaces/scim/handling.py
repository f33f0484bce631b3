"""Turns every error in a view of /scim/v2 into an error message of SCIM (RFC 7644, 3.12)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import psycopg
from django.db import DatabaseError, IntegrityError, InterfaceError
from pydantic import ValidationError
from rest_framework.response import Response
from scim2_models import Context, Error, SCIMException

from compliance.facts.errors import (
    AlreadyExistsError,
    ErasedPersonError,
    FactsError,
    InvalidFactError,
    RefusedByRuleError,
    UnresolvedReferenceError,
)
from compliance.interfaces.api import handling

MEDIA_TYPE = "application/scim+json"

_REFUSED: tuple[tuple[type[FactsError], int, str | None], ...] = (
    (ErasedPersonError, 404, None),
    (AlreadyExistsError, 409, "uniqueness"),
    (RefusedByRuleError, 409, None),
    (UnresolvedReferenceError, 400, "invalidValue"),
    (InvalidFactError, 400, "invalidValue"),
)
_BUSY = {"Retry-After": "1"}


class ErrorAnswer(NamedTuple):
    """The content of an error message."""

    status: int
    scim_type: str | None
    detail: str
    headers: Mapping[str, str] = {}


class ScimRefusal(SCIMException):
    """A refusal of the protocol for which scim2_models has no exception of its own."""

    def __init__(self, status: int, detail: str, *, scim_type: str = "", headers: Mapping[str, str] | None = None):
        super().__init__(detail=detail)
        self.status = status
        self.scim_type = scim_type
        self.headers = headers or {}


def handle(error: Exception, context: dict[str, Any]) -> Response:
    """The error message of an error: every answer of /scim/v2 is one of SCIM."""
    fault = _fault(error)
    if fault is None or fault.status == 401:
        # Unexpected errors, and answers to unauthenticated callers, are logged and counted as in /v1.
        answer = handling.handle(error, context)
        headers = {name: value for name, value in answer.items() if name.lower() != "content-type"}
        fault = ErrorAnswer(answer.status_code, None, str(answer.data["detail"]), headers)
    message = Error(status=fault.status, scim_type=fault.scim_type, detail=fault.detail)
    content = message.model_dump(scim_ctx=Context.DEFAULT)
    return Response(content, fault.status, headers=fault.headers, content_type=MEDIA_TYPE)


def _fault(error: Exception) -> ErrorAnswer | None:
    """The answer to an error; None for problems of the API and for unexpected errors."""
    if isinstance(error, SCIMException):
        headers = getattr(error, "headers", {})
        first = _first(error.__cause__)  # in terms of SCIM, not of pydantic
        return ErrorAnswer(
            error.status, error.scim_type or None, str(error if first is None else first.detail), headers
        )
    first = _first(error)
    if first is not None:
        return ErrorAnswer(first.status or 400, first.scim_type, str(first.detail))
    for kind, status, scim_type in _REFUSED:
        if isinstance(error, kind):
            return ErrorAnswer(status, scim_type, str(error))
    if isinstance(error, FactsError):
        return ErrorAnswer(400, "invalidValue", str(error))
    if isinstance(error, IntegrityError) and isinstance(error.__cause__, psycopg.errors.UniqueViolation):
        return ErrorAnswer(
            409, "uniqueness", "Another resource has this externalId, or came into being at this moment."
        )
    if isinstance(error, DatabaseError | InterfaceError) and isinstance(
        error.__cause__, psycopg.errors.DeadlockDetected | psycopg.errors.LockNotAvailable
    ):
        return ErrorAnswer(503, None, "Another request about the same people is under way. Send this one again.", _BUSY)
    return None


def _first(error: BaseException | None) -> Error | None:
    """The first fault of a document; None for an error of another kind."""
    if not isinstance(error, ValidationError):
        return None
    return Error.from_validation_error(error.errors(include_input=False)[0])
