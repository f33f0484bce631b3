"""What is known of one call while it is being answered, from its id to what it was counted under."""

import uuid
from dataclasses import dataclass, field
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest

from compliance.interfaces.api import networks
from compliance.interfaces.api.limits import Limiter, Policy, Verdict, limiter_for
from compliance.interfaces.api.problems import Code, Problem
from compliance.registers.callers import Caller

_WHERE = "compliance.exchange"


@lru_cache(maxsize=4)
def _limiter(address: str) -> Limiter:
    return limiter_for(address)


def limiter() -> Limiter:
    """The limiter of this process."""
    return _limiter(settings.REDIS_URL)


@dataclass(slots=True)
class Exchange:
    """One call. `verdict` is set once it was counted, under its key and company or under its address."""

    address: networks.Address | None
    request_id: uuid.UUID = field(default_factory=uuid.uuid4)
    caller: Caller | None = None
    verdict: Verdict | None = None

    def count_for_key(self, caller: Caller) -> None:
        """Counts the call for a valid key and its company, and takes one of the key's leases.

        Raises `rate_limited` or `concurrent_limit`.
        """
        key = str(caller.key_id)
        self.verdict = limiter().acquire(
            (
                Policy("key", key, settings.RATE_LIMIT_KEY_PER_MINUTE),
                Policy("company", str(caller.company.organization_id), settings.RATE_LIMIT_COMPANY_PER_MINUTE),
            ),
            (key, settings.CONCURRENT_LIMIT),
        )
        self._refuse_if_told()

    def count_for_address(self) -> None:
        """Counts a call that is answered before a valid key is known. Raises `rate_limited`."""
        self.verdict = limiter().acquire(
            (Policy("address", networks.bucket(self.address), settings.RATE_LIMIT_ADDRESS_PER_MINUTE),)
        )
        self._refuse_if_told()

    def end(self) -> None:
        """Gives back what the call held."""
        if self.verdict is not None and self.verdict.lease is not None:
            limiter().release(self.verdict.lease)

    def _refuse_if_told(self) -> None:
        verdict = self.verdict
        if verdict is None or verdict.refused_by is None:
            return
        code = Code.RATE_LIMITED if verdict.refused_by == "rate" else Code.CONCURRENT_LIMIT
        raise Problem(code, headers={"Retry-After": str(verdict.retry_after)})


def begin(request: HttpRequest) -> Exchange:
    """The exchange of a call that has just come in."""
    exchange = Exchange(networks.client_address(request.META, settings.TRUSTED_PROXIES))
    request.META[_WHERE] = exchange
    return exchange


def of(request: HttpRequest) -> Exchange:
    """The exchange of a call that is being answered."""
    exchange = request.META[_WHERE]
    assert isinstance(exchange, Exchange)
    return exchange
