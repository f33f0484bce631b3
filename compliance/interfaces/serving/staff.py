"""Whether a request comes from staff who are signed in, decided before its body is taken."""

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.wsgi import WSGIRequest
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse

from compliance.interfaces.console.sign_in.guard import CONSOLE, Guard
from compliance.interfaces.serving.environ import Environ

_PASSED = 204


def signed_in(environ: Environ) -> bool:
    """Whether the guard of the console would let this request through, for an account that has signed in."""
    close_old_connections()
    request = WSGIRequest(environ)
    if not request.path.startswith(CONSOLE):
        return False
    SessionMiddleware(_pass).process_request(request)
    AuthenticationMiddleware(_pass).process_request(request)
    return request.user.is_authenticated and Guard(_pass)(request).status_code == _PASSED


def _pass(request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=_PASSED)
