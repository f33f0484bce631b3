"""Whether a request comes from a source, told before its body is taken."""

from django.db import close_old_connections

from compliance.access import sources, tokens
from compliance.interfaces.api import clock
from compliance.interfaces.serving.environ import Environ

PATHS = ("/in/v1/", "/scim/v2/")
"""Below these sources speak."""


def of_sources(path: str) -> bool:
    """Whether sources speak at an address."""
    return path.startswith(PATHS)


def known(environ: Environ) -> bool:
    """Whether a token that opens stands in the header; networks and kinds are left to the interface."""
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    if scheme.lower() != "bearer" or not tokens.is_whole(token.strip()):
        return False
    close_old_connections()
    return sources.caller(tokens.digest(token.strip()), clock.now()) is not None
