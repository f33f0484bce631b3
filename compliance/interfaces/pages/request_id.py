"""The id of a request: on its answer, on its error page and in the logs, so that all who speak of it mean the same.

What a client sends as `X-Request-Id` is not taken over: an outsider must not choose what our logs say.
"""

import uuid

from django.http import HttpRequest

HEADER = "X-Request-Id"
_META = "HTTP_X_REQUEST_ID"  # django-structlog binds it to the log from here


def begin(request: HttpRequest) -> None:
    """Gives a request that has just come in its id."""
    request.META[_META] = str(uuid.uuid4())


def of(request: HttpRequest) -> str:
    """The id of a request."""
    return str(request.META.get(_META, ""))
