"""Sources: programs that bring facts in, each with a token of its own. Issues them, and finds them by their token."""

import logging
import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction

from compliance.access import tokens
from compliance.access.actions import (
    EXPIRED,
    KEY_IN_URL,
    LAST_USED_EVERY,
    LONGEST_LIFE,
    RESTORED,
    ROTATION_OVERLAP,
    USUAL_LIFE,
    network,
)
from compliance.access.errors import (
    BadExpiryError,
    BadSourceNameError,
    NoSuchSourceError,
    SourceRevokedError,
    UnknownKindError,
)
from compliance.access.models import Source
from compliance.facts.lines.kinds import KINDS
from compliance.tenancy import queries, sql

log = logging.getLogger(__name__)

SCIM = "scim"
"""A source with this kind uses SCIM, and brings the facts that its operations become."""

GOES_ON = (KEY_IN_URL, EXPIRED, RESTORED)
"""Reasons for which a token ended but not its source: a new token makes the same source valid again."""


class SourceCaller(NamedTuple):
    """A source that exists, is not revoked, and calls with a token that is valid at this moment."""

    source_id: uuid.UUID
    organization_id: uuid.UUID
    name: str
    kinds: frozenset[str]
    networks: tuple[str, ...]
    leaving: str
    expires_at: datetime
    last_used_at: datetime | None

    @property
    def token_id(self) -> uuid.UUID:
        """The identifier under which its calls are counted."""
        return self.source_id


def issue_source(
    *,
    organization_id: uuid.UUID,
    name: str,
    kinds: Iterable[str],
    environment: str,
    at: datetime,
    actor: str,
    networks: Sequence[str] = (),
    leaving: str = Source.Leaving.LEFT,
    expires_at: datetime | None = None,
) -> tuple[str, Source]:
    """Issues a source of a company and its token, which is displayed only this once: only its digest is stored.

    `kinds` are kinds of fact, or `scim`; other arguments are as for API keys (`actions.issue_key`). Raises
    NoSuchCompanyError, BadSourceNameError, UnknownKindError, BadNetworkError, BadExpiryError.
    """
    queries.organization(organization_id)
    wanted = _kinds(kinds)
    name = name.strip()
    if not name or len(name) > 100 or not name.isprintable():
        raise BadSourceNameError(
            "A source needs a name of 1 to 100 printable characters in one line: the origin of its facts."
        )
    blocks = [network(each) for each in networks]
    ends_at = _end(expires_at or at + USUAL_LIFE, at)
    token = tokens.new_token(tokens.SOURCE_PREFIXES[environment])
    with transaction.atomic():
        source = Source.objects.create(
            organization_id=organization_id,
            digest=tokens.digest(token),
            name=name,
            ending=token[-4:],
            kinds=wanted,
            networks=blocks,
            leaving=Source.Leaving(leaving),
            created_at=at,
            expires_at=ends_at,
            issued_by=actor[:60],
        )
    log.info("source_issued", extra={"source_id": str(source.source_id), "actor": actor, "kinds": wanted})
    return token, source


def rotate_source(
    *,
    source_id: uuid.UUID,
    environment: str,
    at: datetime,
    actor: str,
    overlap: timedelta = ROTATION_OVERLAP,
    expires_at: datetime | None = None,
) -> tuple[str, Source]:
    """Replaces the token of a source, within its row: all that is kept under its identifier stays with it.

    The former token remains valid for `overlap`, and an earlier former one becomes invalid. `expires_at` is the new
    end; without it the end stays if it is in the future. A source whose token expired, was seen in a URL, or was ended
    after a restore, becomes valid again with the new token and no former one; a source that somebody revoked stays
    revoked. `actor` becomes its issuer, having seen the token.

    Raises NoSuchSourceError, SourceRevokedError, BadExpiryError.
    """
    with transaction.atomic():
        source = _locked(source_id)
        if source.revoked_at is not None and source.revoked_reason not in GOES_ON:
            raise SourceRevokedError("The source is revoked for good. Issue a new one.")
        opens = source.revoked_at is None and source.expires_at > at
        ends_at = expires_at or (source.expires_at if source.expires_at > at else at + USUAL_LIFE)
        until = at + overlap
        token = tokens.new_token(tokens.SOURCE_PREFIXES[environment])
        lasts = opens and until > at
        source.former_digest = bytes(source.digest) if lasts else None
        source.former_until = min(until, source.expires_at) if lasts else None
        source.digest, source.ending = tokens.digest(token), token[-4:]
        source.expires_at = _end(ends_at, at)
        source.revoked_at, source.revoked_reason, source.issued_by = None, "", actor[:60]
        source.save(
            update_fields=[
                "digest", "former_digest", "former_until", "ending", "expires_at", "revoked_at", "revoked_reason",
                "issued_by",
            ]
        )  # fmt: skip
    log.info("source_rotated", extra={"source_id": str(source_id), "actor": actor})
    return token, source


def revoke_source(*, source_id: uuid.UUID, at: datetime, actor: str, reason: str) -> Source:
    """Ends a source at once; the first reason is kept, unless it only ended its token. Raises NoSuchSourceError."""
    with transaction.atomic():
        source = _locked(source_id)
        if source.revoked_at is None or (source.revoked_reason in GOES_ON and reason not in GOES_ON):
            source.revoked_at = source.revoked_at or at
            source.revoked_reason = reason[:40]
            source.former_digest = source.former_until = None
            source.save(update_fields=["revoked_at", "revoked_reason", "former_digest", "former_until"])
            log.warning(
                "source_revoked",
                extra={"source_id": str(source_id), "actor": actor, "reason": source.revoked_reason},
            )
    return source


def revoke_sources(*, organization_id: uuid.UUID, at: datetime, reason: str) -> int:
    """Ends every source of a company at once, former tokens too. Returns how many were not revoked yet."""
    found = Source.objects.filter(organization_id=organization_id, revoked_at=None)
    return found.update(revoked_at=at, revoked_reason=reason[:40], former_digest=None, former_until=None)


def end_seen_in_url(*, digests: Sequence[bytes], at: datetime) -> int:
    """Ends the tokens with these SHA-256: a former one alone, a current one with its source. Returns how many."""
    former = Source.objects.filter(former_digest__in=digests, former_until__gt=at)
    count = former.update(former_digest=None, former_until=None)
    if count:
        log.warning("former_source_token_ended", extra={"tokens": count, "reason": KEY_IN_URL})
    current = Source.objects.filter(digest__in=digests, revoked_at=None).values_list("source_id", flat=True)
    for source_id in list(current):
        revoke_source(source_id=source_id, at=at, actor="the API", reason=KEY_IN_URL)
        count += 1
    return count


def expire_sources(now: datetime, warn_before: timedelta) -> int:
    """Closes expired sources, ends expired former tokens, and logs which expire soon. Returns how many.

    The worker does this, which may write no digest (`tenancy.roles`): without `former_until` one is no token's.
    """
    Source.objects.filter(former_until__lte=now).update(former_until=None)
    over = Source.objects.filter(revoked_at=None, expires_at__lte=now)
    ended = over.update(revoked_at=now, revoked_reason=EXPIRED, former_until=None)
    if ended:
        log.warning("sources_expired", extra={"sources": ended})
    for source in Source.objects.filter(revoked_at=None, expires_at__lte=now + warn_before):
        log.warning(
            "source_expires_soon",
            extra={
                "source_id": str(source.source_id),
                "organization_id": str(source.organization_id),
                "expires_at": str(source.expires_at),
            },
        )
    return ended


_BY_DIGEST = """
SELECT source_id, organization_id, name, kinds, networks, leaving, expires_at, last_used_at FROM access_source
WHERE (digest = %(digest)s OR (former_digest = %(digest)s AND former_until > %(now)s))
  AND revoked_at IS NULL AND expires_at > %(now)s
"""


def caller(digest: bytes, now: datetime) -> SourceCaller | None:
    """The source whose token has this SHA-256 and is valid at `now`; None if there is none."""
    for source_id, organization_id, name, kinds, networks, leaving, expires_at, last_used_at in sql.fetch(
        _BY_DIGEST, {"digest": digest, "now": now}
    ):
        return SourceCaller(
            source_id, organization_id, name, frozenset(kinds), tuple(networks), leaving, expires_at, last_used_at
        )
    return None


def note_use(*, source_id: uuid.UUID, at: datetime) -> None:
    """Keeps when a source last called, to the minute: a busy one is written once a minute, and no call waits for it."""
    sql.execute_soon(
        "UPDATE access_source SET last_used_at = %s"
        " WHERE source_id = %s AND (last_used_at IS NULL OR last_used_at < %s)",
        [at, source_id, at - LAST_USED_EVERY],
    )


def _end(ends_at: datetime, at: datetime) -> datetime:
    if not at < ends_at <= at + LONGEST_LIFE:
        raise BadExpiryError("A source ends within one year, and not before it is issued.")
    return ends_at


def _locked(source_id: uuid.UUID) -> Source:
    try:
        return Source.objects.select_for_update().get(source_id=source_id)
    except Source.DoesNotExist:
        raise NoSuchSourceError(f"There is no source {source_id}.") from None


def _kinds(kinds: Iterable[str]) -> list[str]:
    wanted = set(kinds)
    unknown = sorted(wanted - KINDS.keys() - {SCIM})
    if unknown or not wanted:
        what = f"{unknown[0]!r} is no kind of fact." if unknown else "A source needs at least one kind of fact."
        raise UnknownKindError(f"{what} Choose from {', '.join((*KINDS, SCIM))}.")
    return [kind for kind in (*KINDS, SCIM) if kind in wanted]
