"""Wraps the web application: start-up checks before it answers, and counters of its answers.

When the database is away at start, the application starts anyway, since `upstream_unavailable` tells a client more than
a closed port. Each request then tries the checks first, until the database is back and they have passed.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from django.db import connection

from compliance.errors import ComplianceError
from compliance.interfaces.operations import metrics, startup
from compliance.interfaces.operations.errors import DatabaseAwayError

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


class Guarded:
    """A WSGI application that answers once the start-up checks have passed, or while the database is away."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._lock = threading.Lock()
        self._passed = False
        try:
            self._check()
        except ComplianceError as error:
            sys.stderr.write(f"Refused to start. {error}\n")
            raise SystemExit(1) from error
        finally:
            connection.close()

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answers one request."""
        if not self._passed:
            try:
                self._check()
            except ComplianceError as error:
                sys.stderr.write(f"Refused to go on. {error}\n")
                os.kill(os.getppid(), signal.SIGTERM)  # the whole server, not this worker alone
                start_response(
                    "503 Service Unavailable", [("Content-Type", "text/plain"), ("Cache-Control", "no-store")]
                )
                return [b"The service has refused to start.\n"]
        return self._application(environ, start_response)

    def _check(self) -> None:
        with self._lock:
            if not self._passed:
                try:
                    startup.refuse_unsafe()
                except DatabaseAwayError:
                    return
                self._passed = True


class Counted:
    """A WSGI application whose answers are counted by interface, method and status, with how long they took."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answers one request."""
        started = time.monotonic()
        status = "500"

        def starting(line: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            nonlocal status
            status = line[:3]
            return start_response(line, headers, *more)

        try:
            return self._application(environ, starting)
        finally:
            metrics.count_request(
                str(environ.get("PATH_INFO", "")),
                str(environ.get("REQUEST_METHOD", "")),
                status,
                time.monotonic() - started,
            )
