"""Writes of pending subjects: captures claim them, and put back those that could not be decided.

The caller holds the lock of the company's head, so nobody else claims any.
"""

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime

from compliance.facts.ledger.models import WIDE, Subject
from compliance.tenancy import arrays, sql
from compliance.tenancy.sql import Row

# From when a subject waits for the writer: one of a fact ahead of time waits only from its moment on. The kinds are
# literals, so that the planner finds the index of the wide ones.
_WAITING = """
SELECT id, kind, first, second, greatest(recorded_at, waits_until), attempts FROM pending_pendingsubject
WHERE organization_id = (SELECT %(organization)s::uuid) AND set_aside_at IS NULL
    AND (retry_after IS NULL OR retry_after <= %(now)s) AND (waits_until IS NULL OR waits_until <= %(now)s)
    AND kind {among} ({kinds})
ORDER BY id LIMIT %(most)s
"""
_KINDS = ", ".join(f"'{kind}'" for kind in WIDE)
_WIDE, _NARROW = (_WAITING.format(among=among, kinds=_KINDS) for among in ("IN", "NOT IN"))
_FAILING = """
SELECT id, kind, first, second, recorded_at, attempts FROM pending_pendingsubject
WHERE organization_id = (SELECT %s::uuid) AND attempts > 0
"""
_REMOVE = """
DELETE FROM pending_pendingsubject WHERE organization_id = (SELECT %b::uuid) AND id = ANY(%b::bigint[])
"""
_REMOVE_MATCHING = """
DELETE FROM pending_pendingsubject p USING unnest(%b::text[], %b::uuid[], %b::uuid[]) AS w (kind, first, second)
WHERE p.organization_id = (SELECT %b::uuid) AND p.kind = w.kind AND p.first = w.first
    AND p.second IS NOT DISTINCT FROM w.second AND p.attempts = 0 AND (p.waits_until IS NULL OR p.waits_until <= %b)
"""
# A join with the rows that wait already: on a cluster no sub-query may depend on rows that are sent. The rows keep the
# order in which they are sent, so that captures take those of one person together.
_PUT_BACK = """
INSERT INTO pending_pendingsubject (organization_id, kind, first, second, recorded_at, attempts, set_aside_reason)
SELECT %b::uuid, w.kind, w.first, w.second, w.recorded_at, 0, ''
FROM unnest(%b::text[], %b::uuid[], %b::uuid[], %b::timestamptz[]) WITH ORDINALITY
    AS w (kind, first, second, recorded_at, place)
LEFT JOIN pending_pendingsubject p ON p.organization_id = (SELECT %b::uuid) AND p.kind = w.kind AND p.first = w.first
    AND p.second IS NOT DISTINCT FROM w.second AND p.attempts = 0
    AND (p.waits_until IS NULL OR p.waits_until <= %b::timestamptz)
WHERE p.id IS NULL
ORDER BY w.place
RETURNING NULL
"""
_FAILED = """
INSERT INTO pending_pendingsubject (organization_id, kind, first, second, recorded_at, attempts, retry_after,
    set_aside_at, set_aside_reason)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
"""


def waiting(organization_id: uuid.UUID, now: datetime, *, wide: bool, most: int) -> list[Row]:
    """The first `most` rows that may be claimed at `now`, of the wide kinds or of all others.

    Each is its id, kind, first, second, since when it waits, and how often it has failed.
    """
    return sql.fetch(_WIDE if wide else _NARROW, {"organization": organization_id, "now": now, "most": most})


def failing(organization_id: uuid.UUID) -> list[Row]:
    """All rows that have failed before, including those set aside, as `waiting` returns them."""
    return sql.fetch(_FAILING, [organization_id])


def remove(organization_id: uuid.UUID, ids: Sequence[int]) -> None:
    """Removes rows by their ids."""
    sql.execute(_REMOVE, [organization_id, arrays.bigints(ids)])


def remove_matching(organization_id: uuid.UUID, subjects: Iterable[Subject], now: datetime) -> None:
    """Removes the rows of these subjects that never failed and do not wait for a later moment."""
    sql.execute(_REMOVE_MATCHING, [*columns(subjects), organization_id, now])


def put_back(organization_id: uuid.UUID, subjects: Sequence[Subject], since: datetime, now: datetime) -> None:
    """Adds rows, waiting since `since`, for those of the subjects that have no row to be claimed at `now`."""
    moments = arrays.instants([since] * len(subjects))
    sql.execute(_PUT_BACK, [organization_id, *columns(subjects), moments, organization_id, now])


def put_back_failed(
    organization_id: uuid.UUID,
    subject: Subject,
    *,
    since: datetime,
    attempts: int,
    retry_after: datetime | None,
    set_aside_at: datetime | None,
    reason: str,
) -> None:
    """Adds the row of a subject that could not be decided, to be tried again later or set aside."""
    sql.execute(_FAILED, [organization_id, *subject, since, attempts, retry_after, set_aside_at, reason])


def columns(subjects: Iterable[Subject]) -> list[arrays.BinaryArray]:
    """Kinds, first and second identifiers of subjects, each as one array."""
    kinds, firsts, seconds = zip(*subjects, strict=True)
    return [arrays.words(kinds), arrays.uuids(firsts), arrays.uuids(seconds)]
