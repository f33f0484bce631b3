"""The id of a request: on its answer, on its error page and in the logs, so that all can be matched.

A client's own `X-Request-Id` is ignored: an outsider must not choose what our logs contain.
"""

import uuid

from django.http import HttpRequest

HEADER = "X-Request-Id"
_META = "HTTP_X_REQUEST_ID"  # django-structlog binds it to the log from here


def begin(request: HttpRequest) -> None:
    """Gives a new request its id."""
    request.META[_META] = str(uuid.uuid4())


def of(request: HttpRequest) -> str:
    """The id of a request."""
    return str(request.META.get(_META, ""))
