"""Bounds how often one address may ask for public pages: a code is not guessed a million times.

Counted like the API's calls, in Redis or in the process while Redis is away; an address is kept only as a keyed digest.
"""

from django.conf import settings
from django.http import HttpRequest

from compliance.interfaces.api.limits import Policy, limiter
from compliance.interfaces.api.networks import client_address, pseudonym

CHECKS_PER_MINUTE = 60
SIGNINGS_PER_MINUTE = 120


def seconds_to_wait(request: HttpRequest, page: str, quota: int) -> int:
    """Count a visit of `page`; return 0 when it may go on, else how long the visitor has to wait."""
    visitor = pseudonym(client_address(request.META, settings.TRUSTED_PROXIES))
    return limiter().acquire((Policy(f"page-{page}", visitor, quota),)).retry_after
