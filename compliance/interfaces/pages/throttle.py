"""Limits how often one address may ask for public pages, so that codes cannot be guessed.

Requests are counted like the API's calls, in Redis or in the process while Redis is unavailable; an address is stored
only as a keyed digest.
"""

from django.conf import settings
from django.http import HttpRequest

from compliance.interfaces.api.limits import Policy, limiter
from compliance.interfaces.api.networks import client_address, pseudonym

CHECKS_PER_MINUTE = 60
SIGNINGS_PER_MINUTE = 120


def seconds_to_wait(request: HttpRequest, page: str, quota: int) -> int:
    """Counts a visit of `page`; returns 0 when it is allowed, else how many seconds the visitor has to wait."""
    visitor = pseudonym(client_address(request.META, settings.TRUSTED_PROXIES))
    return limiter().acquire((Policy(f"page-{page}", visitor, quota),)).retry_after
