"""Keeps check codes and personal links out of logs: whoever reads a log could open what they open."""

import logging
import re

from django.http import HttpRequest
from django_structlog.middlewares import RequestMiddleware

from compliance.access.tokens import redact

_PRIVATE = re.compile(r"(/(?:check|sign|invitation|learn/in)/)(?:%20|\s)*[^/\s?'\"]+")


def without_private_parts(text: str) -> str:
    """Return `text` without the code in `/check/...`, the token in `/sign/...` and `/learn/in/...`, and API keys."""
    return redact(_PRIVATE.sub(r"\1[redacted]", text))


class PrivatePathsFilter(logging.Filter):
    """Redacts the messages of a logger that writes paths of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, without what is private."""
        record.msg = without_private_parts(record.getMessage())
        record.args = None
        return True


class PrivatePathsRequestMiddleware(RequestMiddleware):
    """django-structlog's middleware, made to log a request without what is private in its path."""

    @staticmethod
    def format_request(request: HttpRequest) -> str:
        """Return method and path, redacted; no query."""
        return f"{request.method} {without_private_parts(request.path)}"
