"""DRF's authentication and permissions: who calls, from where, and what they may read."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from compliance.access import actions, sources, tokens
from compliance.access.sources import SourceCaller
from compliance.interfaces.api import clock, exchange, networks
from compliance.interfaces.api.problems import Code, Problem
from compliance.registers import callers
from compliance.registers.callers import Caller
from compliance.rules.vocabulary import Scope

REALM = 'Bearer realm="svc"'
_KINDS_OF_TOKEN = {"an API key, which reads": tokens.KEY_PREFIXES, "the token of a source": tokens.SOURCE_PREFIXES}
_BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE)


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <TOKEN>`, and nothing else."""

    prefixes: ClassVar[dict[str, str]]
    """The prefix of the tokens that are accepted here, by environment."""
    asks_for = "a token"

    def authenticate(self, request: Request) -> tuple[Any, Any]:
        """The caller, both as user and as credentials. Raises `invalid_token`."""
        header = request.META.get("HTTP_AUTHORIZATION", "")
        match = _BEARER.fullmatch(header.strip())
        if match is None:
            raise Problem(
                Code.INVALID_TOKEN,
                f"Send {self.asks_for} in the header Authorization: Bearer <TOKEN>.",
                headers={"WWW-Authenticate": REALM},
            )
        token, now = match[1], clock.now()
        found = None
        if token.startswith(self.prefixes[settings.ENVIRONMENT]) and tokens.is_whole(token):
            found = _again_if_stale(partial(self.look_up, tokens.digest(token), now))
        if found is None:
            raise Problem(
                Code.INVALID_TOKEN,
                self._refusal(token),
                headers={"WWW-Authenticate": f'{REALM}, error="invalid_token"'},
            )
        exchange.of(request._request).caller = found  # the log names it, whatever the next checks say
        if found.last_used_at is None or now - found.last_used_at > actions.LAST_USED_EVERY:
            self.note_use(found, now)
        return found, found

    def _refusal(self, token: str) -> str:
        """Why a token is not accepted, as far as its form reveals it."""
        for kind, prefixes in _KINDS_OF_TOKEN.items():
            for environment, prefix in prefixes.items():
                if not token.startswith(prefix):
                    continue
                if prefixes is not self.prefixes:
                    return f"The token is {kind}. Send {self.asks_for} instead."
                if environment != settings.ENVIRONMENT:
                    return f"The token is for services whose environment is {environment}; this one is not."
        return f"The token is unknown, expired or revoked, or is not {self.asks_for}."

    def look_up(self, digest: bytes, now: datetime) -> Any:
        """The caller whose token has this SHA-256; None when it is not accepted at `now`."""
        raise NotImplementedError

    def note_use(self, caller: Any, now: datetime) -> None:
        """Records when the token was last used."""
        raise NotImplementedError


class KeyAuthentication(BearerAuthentication):
    """API keys, which read."""

    prefixes = tokens.KEY_PREFIXES
    asks_for = "an API key"

    def look_up(self, digest: bytes, now: datetime) -> Caller | None:
        """The key's caller."""
        found = callers.caller(digest)
        return None if found is None or (found.expires_at is not None and found.expires_at <= now) else found

    def note_use(self, caller: Caller, now: datetime) -> None:
        """Records when the key was last used."""
        actions.note_use(key_id=caller.key_id, at=now)


class SourceAuthentication(BearerAuthentication):
    """Tokens of sources, which bring facts in."""

    prefixes = tokens.SOURCE_PREFIXES
    asks_for = "the token of a source"

    def look_up(self, digest: bytes, now: datetime) -> SourceCaller | None:
        """The source whose token it is."""
        return sources.caller(digest, now)

    def note_use(self, caller: SourceCaller, now: datetime) -> None:
        """Records when the source last called."""
        sources.note_use(source_id=caller.source_id, at=now)


def caller_of(request: Request) -> Caller:
    """The key that calls; the request is authenticated now if it was not before."""
    caller: Any = request.auth
    assert isinstance(caller, Caller)
    return caller


def _authenticated(request: Request) -> Caller | SourceCaller:
    caller: Any = request.auth
    assert isinstance(caller, Caller | SourceCaller)
    return caller


def source_of(request: Request) -> SourceCaller:
    """The source that calls, at the addresses of sources."""
    caller: Any = request.auth
    assert isinstance(caller, SourceCaller)
    return caller


class FromAllowedNetwork(BasePermission):
    """The key may be used from where the call comes."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """True, or raises `ip_not_allowed`."""
        if not networks.allowed(exchange.of(request._request).address, _authenticated(request).networks):
            raise Problem(Code.IP_NOT_ALLOWED)
        return True


class WithinLimits(BasePermission):
    """The key and its company have calls left. No throttle of DRF, because limits are checked before the scope."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """True, and the call is counted; or raises `rate_limited` or `concurrent_limit`."""
        exchange.of(request._request).count_for_caller(_authenticated(request))
        return True


class HoldsScope(BasePermission):
    """The key holds the scope that the view names; any key will do where it names none."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """True, or raises `insufficient_scope`."""
        scope: Scope | None = view.required_scope
        if scope is not None:
            check_scope(caller_of(request), scope)
        return True


def check_scope(caller: Caller, scope: Scope) -> None:
    """Raises `insufficient_scope` when the key does not hold the scope."""
    if scope not in caller.scopes:
        raise Problem(
            Code.INSUFFICIENT_SCOPE,
            f"The key needs the scope {scope}.",
            headers={"WWW-Authenticate": f'{REALM}, error="insufficient_scope", scope="{scope}"'},
        )


def _again_if_stale(look_up: Callable[[], Any]) -> Any:
    """The result of `look_up`; a stale connection is replaced once. Raises `upstream_unavailable`.

    A working connection is kept: otherwise a node of a cluster that is away would be waited for twice.
    """
    try:
        return look_up()
    except (OperationalError, InterfaceError):
        if connection.in_atomic_block or (connection.connection is not None and not connection.connection.closed):
            raise
        connection.close()
    try:
        connection.ensure_connection()
    except (OperationalError, InterfaceError):
        raise Problem(Code.UPSTREAM_UNAVAILABLE) from None
    return look_up()
