"""The service's own addresses, and some that fail in ways that tests cannot cause otherwise."""

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path

from config import urls
from config.urls import handler400, handler403, handler404, handler500

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


def database(request: HttpRequest) -> HttpResponse:
    """A statement that the database refuses."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")
    return HttpResponse("unreachable")


def lost(request: HttpRequest) -> HttpResponse:
    """A page whose database connection is ended while it is being made."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    return HttpResponse("unreachable")


def standby(request: HttpRequest) -> HttpResponse:
    """A form that is recorded on a server which has become a standby."""
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        cursor.execute("UPDATE django_session SET expire_date = now()")
    return HttpResponse("unreachable")


def forbidden(request: HttpRequest) -> HttpResponse:
    """Refused by Django."""
    raise PermissionDenied


def suspicious(request: HttpRequest) -> HttpResponse:
    """A request that Django cannot read."""
    raise SuspiciousOperation


urlpatterns = [
    path("broken/database", database),
    path("broken/forbidden", forbidden),
    path("broken/suspicious", suspicious),
    path("console/broken", database),
    *(path(f"{folder}broken/lost", lost) for folder in ("", "console/", "learn/")),
    path("console/broken/standby", standby),
    *urls.urlpatterns,
]
