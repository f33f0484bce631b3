"""The interfaces that have threads of their own, and what may be sent to each."""

from django.conf import settings

from compliance.interfaces.api import networks
from compliance.interfaces.api.gate import answers
from compliance.interfaces.pages.signing_form import MOST_BYTES as SIGNATURE_BYTES
from compliance.interfaces.serving import bodies, front, sources, staff
from compliance.interfaces.serving.environ import Environ
from compliance.interfaces.serving.front import Lane

API = Lane("api", front.API_THREADS)
"""Reads, without bodies."""
PAGES = Lane(
    "page",
    front.PAGE_THREADS,
    bodies.Allowance(bodies.STAFF_BYTES, bodies.STAFF_PATIENCE_SECONDS),
    staff.signed_in,
)
SIGNING = PAGES._replace(
    allowance=bodies.Allowance(SIGNATURE_BYTES, bodies.SIGNATURE_PATIENCE_SECONDS), known=lambda environ: True
)
"""Pages on which anybody may send a signature, which is large if it was drawn."""
SOURCES = Lane(
    "source",
    front.SOURCE_THREADS,
    bodies.Allowance(bodies.SOURCE_BYTES, bodies.SOURCE_PATIENCE_SECONDS),
    sources.known,
)
"""Facts that sources send."""
SIGNING_PATHS = ("/sign/", "/learn/policies/")


def lane_of(path: str) -> Lane:
    """The interface that an address belongs to."""
    if sources.of_sources(path):
        return SOURCES
    if path.startswith(SIGNING_PATHS):
        return SIGNING
    return API if answers(path) else PAGES


def network_of(environ: Environ) -> str:
    """The network from which a request comes."""
    return networks.bucket(networks.client_address(environ, settings.TRUSTED_PROXIES))
