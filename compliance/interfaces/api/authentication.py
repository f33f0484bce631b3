"""Who calls, from where, and what they may read, as DRF's authentication and permission."""

import re
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from compliance.access import actions, tokens
from compliance.interfaces.api import clock, exchange, networks
from compliance.interfaces.api.problems import Code, Problem
from compliance.registers import callers
from compliance.registers.callers import Caller
from compliance.rules.vocabulary import Scope

REALM = 'Bearer realm="svc"'
_BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE)


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer <API_KEY>`, and nothing else."""

    def authenticate(self, request: Request) -> tuple[Caller, Caller]:
        """The caller, both as user and as credentials. Raises `invalid_token`."""
        header = request.META.get("HTTP_AUTHORIZATION", "")
        match = _BEARER.fullmatch(header.strip())
        if match is None:
            raise Problem(
                Code.INVALID_TOKEN,
                "Send an API key in the header Authorization: Bearer <API_KEY>.",
                headers={"WWW-Authenticate": REALM},
            )
        token = match[1]
        found = None
        if token.startswith(tokens.PREFIXES[settings.ENVIRONMENT]) and tokens.is_whole(token):
            found = _caller(tokens.digest(token))
        now = clock.now()
        if found is None or (found.expires_at is not None and found.expires_at <= now):
            raise Problem(
                Code.INVALID_TOKEN,
                "The API key is unknown, expired or revoked.",
                headers={"WWW-Authenticate": f'{REALM}, error="invalid_token"'},
            )
        if found.last_used_at is None or now - found.last_used_at > actions.LAST_USED_EVERY:
            actions.note_use(key_id=found.key_id, at=now)
        return found, found


def caller_of(request: Request) -> Caller:
    """The caller of a request, whom this authenticates when nobody has asked before."""
    caller: Any = request.auth
    assert isinstance(caller, Caller)
    return caller


class FromAllowedNetwork(BasePermission):
    """The key may be used from where the call comes."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """True, or raises `ip_not_allowed`."""
        if not networks.allowed(exchange.of(request._request).address, caller_of(request).networks):
            raise Problem(Code.IP_NOT_ALLOWED)
        return True


class WithinLimits(BasePermission):
    """The key and its company have calls left. No throttle of DRF, for limits are told before a missing scope."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """True, and the call is counted; or raises `rate_limited` or `concurrent_limit`."""
        known = exchange.of(request._request)
        known.caller = caller_of(request)
        known.count_for_key(known.caller)
        return True


class HoldsScope(BasePermission):
    """The key holds the scope that the view names; any key will do where it names none."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """True, or raises `insufficient_scope`."""
        scope: Scope | None = view.required_scope
        caller = caller_of(request)
        if scope is not None and scope not in caller.scopes:
            raise Problem(
                Code.INSUFFICIENT_SCOPE,
                f"The key needs the scope {scope}.",
                headers={"WWW-Authenticate": f'{REALM}, error="insufficient_scope", scope="{scope}"'},
            )
        return True


def _caller(digest: bytes) -> Caller | None:
    """Looks the key up; a connection that went stale is replaced once. Raises `upstream_unavailable`."""
    try:
        return callers.caller(digest)
    except (OperationalError, InterfaceError):
        if connection.in_atomic_block:
            raise
        connection.close()
    try:
        connection.ensure_connection()
    except (OperationalError, InterfaceError):
        raise Problem(Code.UPSTREAM_UNAVAILABLE) from None
    return callers.caller(digest)
