"""The interfaces that have threads of their own, and what may be sent to each."""

from compliance.interfaces.api.gate import answers
from compliance.interfaces.serving import bodies, front, sources, staff
from compliance.interfaces.serving.front import Lane

API = Lane("api", front.API_THREADS)
"""Reads, without bodies."""
PAGES = Lane(
    "page",
    front.PAGE_THREADS,
    bodies.Allowance(bodies.STAFF_BYTES, bodies.STAFF_PATIENCE_SECONDS),
    staff.signed_in,
)
SOURCES = Lane(
    "source",
    front.SOURCE_THREADS,
    bodies.Allowance(bodies.SOURCE_BYTES, bodies.SOURCE_PATIENCE_SECONDS),
    sources.known,
)
"""Facts that sources send."""


def lane_of(path: str) -> Lane:
    """The interface that an address belongs to."""
    if sources.of_sources(path):
        return SOURCES
    return API if answers(path) else PAGES
