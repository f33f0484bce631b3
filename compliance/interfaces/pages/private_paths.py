"""Keeps check codes and personal links out of logs, because a reader of a log could use them."""

import logging
import re

from django.http import HttpRequest
from django_structlog.middlewares import RequestMiddleware

from compliance.access.tokens import redact

_PRIVATE = re.compile(r"(/(?:check|sign|invitation|learn/+in)/)(?:%20|\s|/)*[^/\s?'\"]+", re.IGNORECASE)
"""Also in an address that was mistyped, which opens nothing: what it holds opens the right one."""


def without_private_parts(text: str) -> str:
    """`text` without the code in `/check/...`, the token in `/sign/...` and `/learn/in/...`, and API keys."""
    return redact(_PRIVATE.sub(r"\1[redacted]", text))


class PrivatePathsFilter(logging.Filter):
    """Redacts the messages of a logger that writes paths of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Lets every record pass, redacted."""
        record.msg = without_private_parts(record.getMessage())
        record.args = None
        return True


class PrivatePathsRequestMiddleware(RequestMiddleware):
    """django-structlog's middleware, changed to log a request without the private parts of its path."""

    @staticmethod
    def format_request(request: HttpRequest) -> str:
        """Method and path, redacted; no query."""
        return f"{request.method} {without_private_parts(request.path)}"
