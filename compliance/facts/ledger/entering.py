"""Writes of the ledger: facts with their origin, and the subjects that become pending because of them."""

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.rows import append, lookup
from compliance.tenancy import sql

_BEGIN = """
WITH begun AS (
    INSERT INTO pending_origin (organization_id, recorded_at, channel, name, actor_id, confirmed_by)
    VALUES (%s, %s, %s, %s, %s, %s) RETURNING organization_id, id
)
INSERT INTO pending_unsealed (organization_id, origin, after) SELECT organization_id, id, 0 FROM begun RETURNING origin
"""
_SUBJECT = {"kind": "text", "first": "uuid", "second": "uuid"}


Entry = tuple[uuid.UUID, datetime, bytes, uuid.UUID | None]
"""A fact to be entered: fact_id, at, the digest by which a repetition is recognised, and the identifier it is about."""


class Known(NamedTuple):
    """What the ledger has of a fact: the digest of its fields, and when it was recorded."""

    digest: bytes
    recorded_at: datetime


def begin(
    organization_id: uuid.UUID,
    recorded_at: datetime,
    *,
    channel: str,
    name: str,
    actor_id: uuid.UUID | None,
    confirmed_by: uuid.UUID | None,
) -> int:
    """Writes the origin of what this transaction records, for the next capture to seal. Returns its number."""
    ((origin,),) = sql.fetch(_BEGIN, [organization_id, recorded_at, channel, name, actor_id, confirmed_by])
    return int(origin)


def enter(
    organization_id: uuid.UUID,
    kind: str,
    entries: Sequence[Entry],
    *,
    recorded_at: datetime,
    actor_id: uuid.UUID | None,
    origin: int,
) -> None:
    """Enters facts of one kind. A fact that is known already violates the ledger's unique key."""
    constants: dict[str, tuple[str, Any]] = {
        "kind": ("text", kind),
        "recorded_at": ("timestamptz", recorded_at),
        "actor_id": ("uuid", actor_id),
        "origin": ("bigint", origin),
    }
    columns = {"fact_id": "uuid", "at": "timestamptz", "digest": "bytea", "about": "uuid"}
    append("pending_fact", organization_id, columns, entries, constants=constants)


def is_empty(organization_id: uuid.UUID) -> bool:
    """Whether the company has not recorded any fact yet."""
    return not sql.fetch(
        "SELECT 1 FROM pending_fact WHERE organization_id = (SELECT %s::uuid) LIMIT 1", (organization_id,)
    )


def known(organization_id: uuid.UUID, fact_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Known]:
    """Those of the facts that the ledger has."""
    found = lookup(
        "SELECT fact_id, digest, recorded_at FROM pending_fact WHERE organization_id = %s AND fact_id = ANY(%s)",
        organization_id,
        fact_ids,
    )
    return {fact_id: Known(bytes(digest), recorded_at) for fact_id, (digest, recorded_at) in found.items()}


def wait(
    organization_id: uuid.UUID,
    subjects: Sequence[tuple[str, uuid.UUID | None, uuid.UUID | None]],
    recorded_at: datetime,
) -> None:
    """Adds subjects, in their order, for the writer to decide: their kind and identifiers."""
    append("pending_pendingsubject", organization_id, _SUBJECT, subjects, constants=_untried(recorded_at))


def wait_until(
    organization_id: uuid.UUID,
    subjects: Sequence[tuple[str, uuid.UUID | None, uuid.UUID | None, datetime]],
    recorded_at: datetime,
) -> None:
    """Adds subjects, in their order, each with the moment before which the writer ignores it."""
    columns = {**_SUBJECT, "waits_until": "timestamptz"}
    append("pending_pendingsubject", organization_id, columns, subjects, constants=_untried(recorded_at))


def _untried(recorded_at: datetime) -> dict[str, tuple[str, Any]]:
    return {"recorded_at": ("timestamptz", recorded_at), "attempts": ("int", 0), "set_aside_reason": ("text", "")}
