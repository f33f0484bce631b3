"""Keyset paging: the next page begins after the last row listed, so a late page costs the same as the first.

A place in a list may hold a name, or words that somebody searched for. Proxies log addresses and browsers remember
them, so a place is sealed for its own page. Only a place that this page made can be opened.
"""

import json
from typing import Any, TypeVar

from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from compliance import sealing
from compliance.interfaces.console.errors import UnreadableInputError
from compliance.interfaces.console.sign_in import sessions

Line = TypeVar("Line", bound=Model)
PAGE = 50
CUT_SHORT = gettext_lazy("The address of this page was cut short. Go back to the first page.")


def after(request: HttpRequest, parts: int) -> tuple[Any, ...] | None:
    """The values after which the page begins, as given to `following` (numbers as text); None for the first page.

    Raises UnreadableInputError.
    """
    text = request.GET.get("after", "")
    if not text:
        return None
    values = unseal(request.path, text)
    if values is None or len(values) != parts:
        raise UnreadableInputError(CUT_SHORT)
    return values


def page(
    request: HttpRequest, rows: QuerySet[Line], column: str, *, newest_first: bool = False
) -> tuple[list[Line], str]:
    """A page of `rows` in the order of a whole number, and the query string of the page after it."""
    (last,) = after(request, 1) or (None,)
    if last is not None:
        rows = rows.filter(**{f"{column}__{'lt' if newest_first else 'gt'}": last})
    found = list(rows.order_by(f"-{column}" if newest_first else column)[: PAGE + 1])
    return found[:PAGE], following(request, (getattr(found[PAGE - 1], column),) if len(found) > PAGE else None)


def following(request: HttpRequest, values: tuple[Any, ...] | None) -> str:
    """The query string of the page after `values`, with the same filters; empty if there is no such page."""
    if values is None:
        return ""
    query = request.GET.copy()
    query.pop("choose", None)  # rows chosen on this page are not chosen on the next
    query.pop(sessions.REFRESHED, None)  # a person asks for the next page, not the page itself
    query["after"] = seal(request.path, values)
    return query.urlencode()


def seal(path: str, values: tuple[Any, ...]) -> str:
    """`values` as sealed text for addresses of `path`, which reveals nothing."""
    content = json.dumps([path, *(value if isinstance(value, int) else str(value) for value in values)])
    return _ring().encrypt(content.encode()).decode()


def unseal(path: str, text: str) -> tuple[Any, ...] | None:
    """What `seal` was given for the same path; None for any other text."""
    try:
        found = json.loads(_ring().decrypt(text.encode(errors="replace")))
    except InvalidToken:
        return None
    return tuple(found[1:]) if found[0] == path else None


def _ring() -> MultiFernet:
    return sealing.ring(tuple(settings.CURSOR_KEYS), b"compliance console place 1")
