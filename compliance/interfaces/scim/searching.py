"""Queries (RFC 7644, 3.4.2 and 3.4.3): in the address or in a body, and the list that answers them."""

import json
import re
from typing import Any

from django.http import QueryDict
from rest_framework.request import Request
from rest_framework.response import Response
from scim2_models import (
    Context,
    InvalidFilterException,
    InvalidPathException,
    InvalidValueException,
    ResponseParameters,
    SearchRequest,
)

from compliance.interfaces.scim import bodies
from compliance.interfaces.scim.answers import listed, located
from compliance.provisioning.clients import Client
from compliance.provisioning.kinds import ResourceKind, Search, Wanted
from compliance.provisioning.resources import POLICY

USUAL_COUNT = 100
MOST_RESULTS = 500
LONGEST_FILTER = 4_000
DEEPEST_FILTER = 20
FURTHEST = 2**31
"""No list is longer than this: a page after it is empty."""
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
_IN_ADDRESS = ("filter", "sortBy", "sortOrder", "startIndex", "count", "attributes", "excludedAttributes", "cursor")


def asked_in_address(kind: ResourceKind[Any], request: Request) -> SearchRequest[Any]:
    """The query of a GET; parameters that SCIM does not define are ignored."""
    sent = _parameters(request)
    return _read(kind, {name: sent[name] for name in _IN_ADDRESS if name in sent})


def asked_in_body(kind: ResourceKind[Any], request: Request) -> SearchRequest[Any]:
    """The query of a POST to `.search`."""
    return _read(kind, bodies.document(request))


def response_parameters(kind: ResourceKind[Any], request: Request) -> Any:
    """Which attributes the answer to any request holds."""
    sent = _parameters(request)
    named = {name: sent[name] for name in ("attributes", "excludedAttributes") if name in sent}
    parameters: Any = ResponseParameters.__class_getitem__(kind.model)
    return parameters.model_validate(named, scim_policy=POLICY)


def wanted(parameters: Any) -> Wanted:
    """The same in the form that `provisioning` takes."""
    return Wanted(_names(parameters.attributes), _names(parameters.excluded_attributes) or frozenset())


def answer(kind: ResourceKind[Any], client: Client, asked: SearchRequest[Any]) -> Response:
    """The list of a search's results."""
    start = min(asked.start_index or 1, FURTHEST)
    sort_by = None
    if asked.sort_by is not None:
        sort_by = str(asked.sort_by).rpartition(":")[2].lower()
        if sort_by not in kind.sortable:
            raise InvalidPathException(detail=f"Lists are ordered by {', '.join(sorted(kind.sortable))} only.")
    search = Search(
        asked.filter,
        sort_by,
        asked.sort_order is SearchRequest.SortOrder.descending,
        start,
        min(USUAL_COUNT if asked.count is None else asked.count, MOST_RESULTS),
        wanted(asked),
    )
    found = kind.search(client, search)
    dumped = [
        located(kind.endpoint, each).model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE, response_parameters=asked)
        for each in found.resources
    ]
    return listed(dumped, found.total, start)


def _parameters(request: Request) -> QueryDict:
    return request._request.GET


def _read(kind: ResourceKind[Any], sent: dict[str, Any]) -> SearchRequest[Any]:
    _check_filter(next((value for name, value in sent.items() if name.lower() == "filter"), None))
    if any(name.lower() == "cursor" for name in sent):
        raise InvalidValueException(detail="Lists are paged by startIndex and count, not by a cursor.")
    request: Any = SearchRequest.__class_getitem__(kind.model)
    read: SearchRequest[Any] = request.model_validate(sent, scim_ctx=Context.SEARCH_REQUEST, scim_policy=POLICY)
    return read


def check_paths(sent: dict[str, Any]) -> None:
    """Refuses a patch whose paths hold expensive filters. Raises InvalidPathException."""
    for operations in (value for name, value in sent.items() if name.lower() == "operations"):
        for each in operations if isinstance(operations, list) else ():
            for name, value in each.items() if isinstance(each, dict) else ():
                fault = _too_long(value) if name.lower() == "path" else None
                if fault is not None:
                    raise InvalidPathException(detail=fault)


def _check_filter(text: Any) -> None:
    """Refuses expensive filters before they are parsed."""
    fault = _too_long(text)
    if fault is not None:
        raise InvalidFilterException(detail=fault)


def _too_long(text: Any) -> str | None:
    """Why a filter, or a path with one, is too long; None if it is not."""
    if not isinstance(text, str):
        return None
    if len(text) > LONGEST_FILTER:
        return f"A filter has at most {LONGEST_FILTER} characters."
    escaped = (json.loads(f'"{each}"') for each in _ESCAPES.findall(text))
    if any(character == "\x00" or "\ud800" <= character <= "\udfff" for each in (text, *escaped) for character in each):
        return "A filter holds a character that no text can hold."
    depth = deepest = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        deepest = max(depth, deepest)
    return f"Parentheses in a filter lie at most {DEEPEST_FILTER} deep." if deepest > DEEPEST_FILTER else None


def _names(paths: Any) -> frozenset[str] | None:
    """The names of the attributes of a resource that the paths lead to; None for all of them."""
    if not paths or any(path.model is not None for path in paths):
        return None
    return frozenset(str(path).rpartition(":")[2].partition(".")[0].partition("[")[0].lower() for path in paths)
