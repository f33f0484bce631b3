"""What is known about one call while it is being answered, from its id to the quotas that counted it."""

import uuid
from dataclasses import dataclass, field
from typing import Protocol

from django.conf import settings
from django.http import HttpRequest

from compliance.access.sources import SourceCaller
from compliance.interfaces.api import networks
from compliance.interfaces.api.limits import AtOnce, Policy, Verdict, limiter
from compliance.interfaces.api.problems import Code, Problem

_WHERE = "compliance.exchange"


class Caller(Protocol):
    """A caller with an accepted token: an API key, or a source."""

    @property
    def token_id(self) -> uuid.UUID:
        """Which key or source it is."""
        ...

    @property
    def organization_id(self) -> uuid.UUID:
        """The only company that it may ask about."""
        ...


@dataclass(slots=True)
class Exchange:
    """One call. `keys` are texts in its URL that look like API keys; `caller` is set once its token is accepted.

    `verdict` is set once the call was counted, under its key and company or under its address.
    """

    address: networks.Address | None
    keys: frozenset[str] = frozenset()
    request_id: uuid.UUID = field(default_factory=uuid.uuid4)
    caller: Caller | None = None
    verdict: Verdict | None = None

    def count_for_caller(self, caller: Caller) -> None:
        """Counts the call for a valid key or source and its company, and takes one of the leases of both.

        Calls of a company's sources are counted apart from those of its readers. Raises `rate_limited` or
        `concurrent_limit`.
        """
        token, company = str(caller.token_id), str(caller.organization_id)
        policies: tuple[Policy, ...]
        if isinstance(caller, SourceCaller):
            company = f"{company}:sources"
            policies = (Policy("source", token, settings.RATE_LIMIT_SOURCE_PER_MINUTE),)
        else:
            policies = (
                Policy("key", token, settings.RATE_LIMIT_KEY_PER_MINUTE),
                Policy("company", company, settings.RATE_LIMIT_COMPANY_PER_MINUTE),
            )
        at_once = max(settings.CONCURRENT_LIMIT, settings.CONCURRENT_LIMIT_COMPANY)
        self.verdict = limiter().acquire(policies, (AtOnce(token, settings.CONCURRENT_LIMIT), AtOnce(company, at_once)))
        self._raise_refusal()

    def count_for_address(self) -> None:
        """Counts a call that is answered before a valid key is known. Raises `rate_limited`."""
        self.verdict = limiter().acquire(
            (Policy("address", networks.pseudonym(self.address), settings.RATE_LIMIT_ADDRESS_PER_MINUTE),)
        )
        self._raise_refusal()

    def end(self) -> None:
        """Gives back the call's lease."""
        if self.verdict is not None and self.verdict.lease is not None:
            limiter().release(self.verdict.lease)

    def _raise_refusal(self) -> None:
        verdict = self.verdict
        if verdict is None or verdict.refused_by is None:
            return
        code = Code.RATE_LIMITED if verdict.refused_by == "rate" else Code.CONCURRENT_LIMIT
        raise Problem(code, headers={"Retry-After": str(verdict.retry_after)})


def begin(request: HttpRequest, keys: frozenset[str]) -> Exchange:
    """The exchange of a call that has just come in."""
    exchange = Exchange(networks.client_address(request.META, settings.TRUSTED_PROXIES), keys)
    request.META[_WHERE] = exchange
    return exchange


def of(request: HttpRequest) -> Exchange:
    """The exchange of a call that is being answered."""
    exchange = request.META[_WHERE]
    assert isinstance(exchange, Exchange)
    return exchange
