"""Bodies of requests: one JSON document of at most 1 MiB, in either of two media types."""

import json
from typing import Any

from rest_framework.request import Request
from scim2_models import InvalidSyntaxException, PayloadTooLargeException

from compliance.interfaces.scim.handling import MEDIA_TYPE, ScimRefusal
from compliance.interfaces.serving import front

MOST_BYTES = 1 << 20
DEEPEST = 20
"""The deepest nesting of a document: SCIM needs six levels."""
_TAKEN = (MEDIA_TYPE, "application/json")
_NOT_TAKEN = {
    400: "The body broke off, or its length was not as announced.",
    408: "The body came too slowly.",
    413: "A body holds at most 1 MiB.",
    503: "Too many bodies are being received. Send this one again.",
}


def document(request: Request) -> dict[str, Any]:
    """The JSON object that was sent. Raises errors of SCIM: 400, 408, 413, 415, 503."""
    meta = request._request.META
    refused = meta.get(front.REFUSED)
    if refused is not None:
        headers = {"Retry-After": "1"} if refused == 503 else None
        raise ScimRefusal(refused, _NOT_TAKEN.get(refused, "The body was not taken."), headers=headers)
    media_type = meta.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if media_type not in _TAKEN:
        raise ScimRefusal(415, f"Send a body of the media type {MEDIA_TYPE} or application/json.")
    if meta.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() != "identity":
        raise ScimRefusal(415, "Send the body without a Content-Encoding.")
    body = request._request.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise PayloadTooLargeException(detail=_NOT_TAKEN[413])
    try:
        content = json.loads(body.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise InvalidSyntaxException(detail="The body is no JSON document in UTF-8.") from None
    if not isinstance(content, dict):
        raise InvalidSyntaxException(detail="The body is no JSON object.")
    _check(content, 1)
    return content


def _no_number(text: str) -> None:
    raise ValueError(text)


def _check(value: Any, depth: int) -> None:
    """Refuses what PostgreSQL cannot store as JSON, and values nested too deeply."""
    if depth > DEEPEST:
        raise InvalidSyntaxException(detail=f"The values of a document lie at most {DEEPEST} deep.")
    if isinstance(value, str):
        if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
            raise InvalidSyntaxException(detail="A text holds a character that no text can hold.")
    elif isinstance(value, dict):
        for name, item in value.items():
            _check(name, depth)
            _check(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check(item, depth + 1)
