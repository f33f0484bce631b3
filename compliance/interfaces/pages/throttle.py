"""Bounds how often one address may ask for public pages: a code is not guessed a million times (issue 5, bad input).

Counted like the API's calls, in Redis or in the process while Redis is away; an address is kept only as a keyed digest.
"""

from functools import cache

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from compliance.interfaces.api.limits import Limiter, Policy, limiter_for
from compliance.interfaces.api.networks import bucket, client_address

CHECKS_PER_MINUTE = 60
SIGNINGS_PER_MINUTE = 120


def seconds_to_wait(request: HttpRequest, page: str, quota: int) -> int:
    """Count a visit of `page`; return 0 when it may go on, else how long the visitor has to wait."""
    address = bucket(client_address(request.META, settings.TRUSTED_PROXIES))
    visitor = salted_hmac("compliance.interfaces.pages.throttle", address, algorithm="sha256").hexdigest()[:32]
    return _limiter().acquire((Policy(f"page-{page}", visitor, quota),)).retry_after


@cache
def _limiter() -> Limiter:
    return limiter_for(settings.REDIS_URL)
