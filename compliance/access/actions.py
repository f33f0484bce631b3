"""Writes of this room: the only place where keys are issued, rotated and revoked."""

import ipaddress
import logging
import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction

from compliance.access import tokens
from compliance.access.errors import (
    BadExpiryError,
    BadKeyNameError,
    BadNetworkError,
    KeyNotUsableError,
    NoSuchKeyError,
    UnknownScopeError,
)
from compliance.access.models import ApiKey
from compliance.rules.vocabulary import Scope
from compliance.tenancy import queries, sql

log = logging.getLogger(__name__)

ROTATION_OVERLAP = timedelta(days=7)
"""How long a rotated key remains valid beside its successor by default."""

LONGEST_LIFE = timedelta(days=366)
"""A key issued on a day expires at the latest at the end of the same day of the next year."""
USUAL_LIFE = timedelta(days=365)

LAST_USED_EVERY = timedelta(minutes=1)
KEY_IN_URL = "sent in a URL"
EXPIRED = "expired"
RESTORED = "backup restored"


def issue_key(
    *,
    organization_id: uuid.UUID,
    scopes: Iterable[str],
    environment: str,
    at: datetime,
    actor: str,
    name: str = "",
    networks: Sequence[str] = (),
    expires_at: datetime | None = None,
    rotated_from: uuid.UUID | None = None,
) -> tuple[str, ApiKey]:
    """Issues a key for a company and returns it. It is displayed only this once, since only its digest is stored.

    `environment` is `live` or `test`; `networks` are CIDR blocks, empty for any address. Without `expires_at` the key
    expires after USUAL_LIFE; no key is valid for longer than LONGEST_LIFE. `actor` is kept as its issuer. Raises
    NoSuchCompanyError, UnknownScopeError, BadKeyNameError, BadNetworkError, BadExpiryError.
    """
    queries.organization(organization_id)
    wanted = _scopes(scopes)
    if len(name) > 100:
        raise BadKeyNameError("A key's name has at most 100 characters.")
    blocks = [network(each) for each in networks]
    ends_at = expires_at or at + USUAL_LIFE
    if ends_at <= at:
        raise BadExpiryError("A key cannot expire before it is issued.")
    if ends_at > at + LONGEST_LIFE:
        raise BadExpiryError("A key ends within one year.")
    token = tokens.new_token(tokens.KEY_PREFIXES[environment])
    with transaction.atomic():
        key = ApiKey.objects.create(
            organization_id=organization_id,
            digest=tokens.digest(token),
            name=name,
            ending=token[-4:],
            scopes=wanted,
            networks=blocks,
            created_at=at,
            expires_at=ends_at,
            rotated_from=rotated_from,
            issued_by=actor[:60],
        )
    log.info("api_key_issued", extra={"key_id": str(key.key_id), "actor": actor, "scopes": wanted})
    return token, key


def rotate_key(
    *, key_id: uuid.UUID, environment: str, at: datetime, actor: str, overlap: timedelta = ROTATION_OVERLAP
) -> tuple[str, ApiKey]:
    """Issues a successor with the same company, scopes, networks and end; the old key expires after at most `overlap`.

    A rotation renews the secret and not the validity: for a later end, issue a new key. The successor of a key without
    an end has one.

    Raises NoSuchKeyError, KeyNotUsableError.
    """
    with transaction.atomic():
        old = _locked(key_id)
        if old.revoked_at is not None or (old.expires_at is not None and old.expires_at <= at):
            raise KeyNotUsableError("The key is revoked or has expired. Issue a new one.")
        token, key = issue_key(
            organization_id=old.organization_id,
            scopes=old.scopes,
            environment=environment,
            at=at,
            actor=actor,
            name=old.name,
            networks=old.networks,
            expires_at=None if old.expires_at is None else min(old.expires_at, at + LONGEST_LIFE),
            rotated_from=old.key_id,
        )
        end = at + overlap
        old.expires_at = end if old.expires_at is None else min(old.expires_at, end)
        old.save(update_fields=["expires_at"])
    return token, key


def revoke_key(*, key_id: uuid.UUID, at: datetime, actor: str, reason: str) -> ApiKey:
    """Ends a key at once and permanently; the first reason is kept. Raises NoSuchKeyError."""
    with transaction.atomic():
        key = _locked(key_id)
        if key.revoked_at is None:
            key.revoked_at = at
            key.revoked_reason = reason[:40]
            key.save(update_fields=["revoked_at", "revoked_reason"])
            log.warning("api_key_revoked", extra={"key_id": str(key_id), "actor": actor, "reason": key.revoked_reason})
    return key


def revoke_keys(*, organization_id: uuid.UUID, at: datetime, reason: str) -> int:
    """Ends every key of a company at once and permanently. Returns how many were not revoked yet."""
    found = ApiKey.objects.filter(organization_id=organization_id, revoked_at=None)
    return found.update(revoked_at=at, revoked_reason=reason[:40])


def end_seen_in_url(*, digests: Sequence[bytes], at: datetime) -> int:
    """Revokes the keys with these SHA-256 digests. Returns how many there were."""
    keys = list(ApiKey.objects.filter(digest__in=digests, revoked_at=None).values_list("key_id", flat=True))
    for key_id in keys:
        revoke_key(key_id=key_id, at=at, actor="the API", reason=KEY_IN_URL)
    return len(keys)


def note_use(*, key_id: uuid.UUID, at: datetime) -> None:
    """Keeps when a key was last used, to the minute: a busy key is written at most once a minute.

    No call waits for a disk or a standby because of it.
    """
    sql.execute_soon(
        "UPDATE access_apikey SET last_used_at = %s WHERE key_id = %s AND (last_used_at IS NULL OR last_used_at < %s)",
        [at, key_id, at - LAST_USED_EVERY],
    )


def _scopes(scopes: Iterable[str]) -> list[str]:
    wanted = set(scopes)
    unknown = sorted(wanted - set(Scope))
    if unknown or not wanted:
        what = f"{unknown[0]!r} is no scope." if unknown else "A key needs a scope."
        raise UnknownScopeError(f"{what} Choose from {', '.join(Scope)}.")
    return [scope.value for scope in Scope if scope in wanted]


def network(written: str) -> str:
    """Returns a network in its canonical form, that of IPv4 also for its addresses in IPv6. Raises BadNetworkError."""
    refused = BadNetworkError(f"{written!r} is no network. Write it like 192.0.2.0/24 or 2001:db8::/32.")
    if "%" in written:  # a zone has a meaning on one machine only
        raise refused
    try:
        found = ipaddress.ip_network(written.strip())
        first = found.network_address
        if isinstance(first, ipaddress.IPv6Address) and first.ipv4_mapped is not None:
            found = ipaddress.ip_network((first.ipv4_mapped, found.prefixlen - 96))
    except ValueError as error:
        raise refused from error
    return str(found)


def _locked(key_id: uuid.UUID) -> ApiKey:
    try:
        return ApiKey.objects.select_for_update().get(key_id=key_id)
    except ApiKey.DoesNotExist:
        raise NoSuchKeyError(f"There is no key {key_id}.") from None
