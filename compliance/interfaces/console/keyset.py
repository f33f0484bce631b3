"""Paging by keys: the next page begins after the last row shown, so a late page costs what the first does."""

import base64
import binascii
import json
from typing import Any

from django.http import HttpRequest

from compliance.interfaces.console.errors import UnreadableInputError

PAGE = 50


def after(request: HttpRequest, parts: int) -> tuple[Any, ...] | None:
    """The values of the ordering columns after which the page begins, None for the first page.

    Raises UnreadableInputError.
    """
    text = request.GET.get("after", "")
    if not text:
        return None
    try:
        values = json.loads(base64.urlsafe_b64decode(text.encode()))
    except (ValueError, binascii.Error):
        values = None
    if not isinstance(values, list) or len(values) != parts or not all(isinstance(v, str | int) for v in values):
        raise UnreadableInputError("The address of this page was cut short. Go back to the first page.")
    return tuple(values)


def following(request: HttpRequest, values: tuple[Any, ...] | None) -> str:
    """The query string of the page after `values`, empty when there is none. Filters stay."""
    if values is None:
        return ""
    query = request.GET.copy()
    query.pop("choose", None)  # what was chosen on this page is not chosen on the next
    text = json.dumps([value if isinstance(value, int) else str(value) for value in values])
    query["after"] = base64.urlsafe_b64encode(text.encode()).decode()
    return query.urlencode()
