"""Whether a request comes from a source, decided before its body is taken."""

from django.db import close_old_connections

from compliance.access import sources, tokens
from compliance.interfaces.api import clock
from compliance.interfaces.serving.environ import Environ

PATHS = ("/in/v1/", "/scim/v2/")
"""The addresses of sources are below these."""


def of_sources(path: str) -> bool:
    """Whether an address is one for sources."""
    return path.startswith(PATHS)


def known(environ: Environ) -> bool:
    """Whether the header has a valid token; the interface itself checks networks and kinds."""
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    if scheme.lower() != "bearer" or not tokens.is_whole(token.strip()):
        return False
    close_old_connections()
    return sources.caller(tokens.digest(token.strip()), clock.now()) is not None
