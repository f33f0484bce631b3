"""Sources: programs that bring facts in, each with a token of its own. Issued here, and found by their token."""

import logging
import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from compliance.access import tokens
from compliance.access.actions import LAST_USED_EVERY, LONGEST_LIFE, USUAL_LIFE, network
from compliance.access.errors import BadExpiryError, BadSourceNameError, UnknownKindError
from compliance.access.models import Source
from compliance.facts.lines import KINDS
from compliance.tenancy import queries, sql

log = logging.getLogger(__name__)

SCIM = "scim"
"""Beside kinds of fact: the source speaks SCIM, and so brings whatever facts its operations become."""


class SourceCaller(NamedTuple):
    """A source that exists, is not revoked, and calls by a token that opens at this moment."""

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
        """What its calls are counted under."""
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
    """Issues a source of a company and its token, which is given out this once: only its digest is stored.

    `kinds` are kinds of fact, or `scim`; the rest is as for API keys (`actions.issue_key`). Raises NoSuchCompanyError,
    BadSourceNameError, UnknownKindError, BadNetworkError, BadExpiryError.
    """
    queries.organization(organization_id)
    wanted = _kinds(kinds)
    name = name.strip()
    if not name or len(name) > 100 or not name.isprintable():
        raise BadSourceNameError("A source needs a name of 1 to 100 characters: the origin of its facts.")
    blocks = [network(each) for each in networks]
    ends_at = expires_at or at + USUAL_LIFE
    if not at < ends_at <= at + LONGEST_LIFE:
        raise BadExpiryError("A source ends within one year, and not before it is issued.")
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


_BY_DIGEST = """
SELECT source_id, organization_id, name, kinds, networks, leaving, expires_at, last_used_at FROM access_source
WHERE (digest = %(digest)s OR (former_digest = %(digest)s AND former_until > %(now)s))
  AND revoked_at IS NULL AND expires_at > %(now)s
"""


def caller(digest: bytes, now: datetime) -> SourceCaller | None:
    """The source whose token has this SHA-256 and opens at `now`; None when there is none."""
    for source_id, organization_id, name, kinds, networks, leaving, expires_at, last_used_at in sql.fetch(
        _BY_DIGEST, {"digest": digest, "now": now}
    ):
        return SourceCaller(
            source_id, organization_id, name, frozenset(kinds), tuple(networks), leaving, expires_at, last_used_at
        )
    return None


def note_use(*, source_id: uuid.UUID, at: datetime) -> None:
    """Keeps when a source last called, to the minute: a busy one is written once a minute at most."""
    sql.execute(
        "UPDATE access_source SET last_used_at = %s"
        " WHERE source_id = %s AND (last_used_at IS NULL OR last_used_at < %s)",
        [at, source_id, at - LAST_USED_EVERY],
    )


def _kinds(kinds: Iterable[str]) -> list[str]:
    wanted = set(kinds)
    unknown = sorted(wanted - KINDS.keys() - {SCIM})
    if unknown or not wanted:
        what = f"{unknown[0]!r} is no kind of fact." if unknown else "A source needs at least one kind of fact."
        raise UnknownKindError(f"{what} Choose from {', '.join((*KINDS, SCIM))}.")
    return [kind for kind in (*KINDS, SCIM) if kind in wanted]
