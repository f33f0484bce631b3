"""Which subjects a capture decides: pending rows in their order, wide ones expanded, and those due by the clock.

The caller holds the head's lock, so nobody else claims. A capture takes at most `NARROW_LIMIT` subjects; what a wide
row reaches beyond that goes back as narrow pending rows, as old as the wide one was. A subject that failed comes back
with a later moment to retry at, and is set aside after `ATTEMPTS` times; a later success removes it.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from compliance.facts import decision_facts
from compliance.facts.decision_facts import Subject
from compliance.facts.pending.models import SubjectKind
from compliance.tenancy import arrays, sql
from compliance.tenancy.arrays import instant_piece, word_piece

NARROW_LIMIT = 5_000
_WINDOW = 4 * NARROW_LIMIT
ATTEMPTS = 8
FIRST_RETRY = timedelta(seconds=15)

WIDE = frozenset(
    {
        SubjectKind.EVERYTHING_OF_PERSON.value,
        SubjectKind.EVERYONE_OF_COURSE.value,
        SubjectKind.SHARE.value,
        SubjectKind.TEAM.value,
        SubjectKind.COMPANY.value,
    }
)

Waiting = tuple[datetime, int]
"""Since when a subject waits, and how often it has failed."""


class Claim(NamedTuple):
    """What one capture decides. `pending_ids` are the rows that it removes."""

    subjects: dict[Subject, Waiting]
    by_clock: set[Subject]
    overflow: dict[Subject, Waiting]
    pending_ids: list[int]


_CLAIM = """
SELECT id, kind, first, second, recorded_at, attempts FROM pending_pendingsubject
WHERE organization_id = %s AND set_aside_at IS NULL AND (retry_after IS NULL OR retry_after <= %s)
ORDER BY id LIMIT %s
"""
_FAILING = """
SELECT id, kind, first, second FROM pending_pendingsubject WHERE organization_id = %s AND attempts > 0 LIMIT %s
"""
_DUE = """
SELECT kind, first, second FROM history_duesubject
WHERE organization_id = %s AND next_change_at <= %s ORDER BY next_change_at LIMIT %s
"""


def claim(organization_id: uuid.UUID, now: datetime, *, due: bool) -> Claim:
    """Takes the next subjects; with `due`, also those that only the clock changes."""
    subjects: dict[Subject, Waiting] = {}
    wide: dict[tuple[str, uuid.UUID | None], Waiting] = {}
    pending_ids: list[int] = []
    left: set[Subject] = set()
    for id_, kind, first, second, recorded_at, attempts in sql.fetch(_CLAIM, [organization_id, now, _WINDOW]):
        if kind in WIDE:
            wide[kind, first] = _older(wide.get((kind, first)), recorded_at, attempts)
        else:
            subject = (kind, first, second)
            known = subjects.get(subject)
            if known is None and len(subjects) >= NARROW_LIMIT:
                if not wide:
                    break
                left.add(subject)
                continue
            subjects[subject] = _older(known, recorded_at, attempts)
        pending_ids.append(id_)
    overflow: dict[Subject, Waiting] = {}
    if wide:
        since = min(waiting[0] for waiting in wide.values())
        for subject in sorted(decision_facts.expand(organization_id, wide), key=_order):
            if subject in subjects or subject in left:
                continue
            if len(subjects) < NARROW_LIMIT:
                subjects[subject] = (since, 0)
            else:
                overflow[subject] = (since, 0)
    by_clock: set[Subject] = set()
    if due:
        for subject in sql.fetch(_DUE, [organization_id, now, max(NARROW_LIMIT - len(subjects), 0)]):
            if subject not in subjects and subject not in overflow:
                subjects[subject] = (now, 0)
                by_clock.add(subject)
    if subjects and (failing := sql.fetch(_FAILING, [organization_id, _WINDOW])):
        claimed = set(pending_ids)
        pending_ids += [id_ for id_, *subject in failing if id_ not in claimed and tuple(subject) in subjects]
    return Claim(subjects, by_clock, overflow, pending_ids)


def release(organization_id: uuid.UUID, claimed: Claim, failed: dict[Subject, str], now: datetime) -> None:
    """Removes what was claimed, and puts back what did not fit and what failed (with the reason and a later retry)."""
    if claimed.pending_ids:
        sql.execute(
            "DELETE FROM pending_pendingsubject WHERE organization_id = %b AND id = ANY(%b::bigint[])",
            [organization_id, arrays.bigints(claimed.pending_ids)],
        )
    put_back(organization_id, claimed.overflow)
    for subject, reason in failed.items():
        since, attempts = claimed.subjects[subject]
        attempts += 1
        aside = attempts >= ATTEMPTS
        sql.execute(
            "INSERT INTO pending_pendingsubject (organization_id, kind, first, second, recorded_at, attempts,"
            " retry_after, set_aside_at, set_aside_reason) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [
                organization_id, *subject, since, attempts, None if aside else now + FIRST_RETRY * 2**attempts,
                now if aside else None, reason,
            ],
        )  # fmt: skip


def put_back(organization_id: uuid.UUID, subjects: dict[Subject, Waiting]) -> None:
    """Makes narrow pending rows of what a wide one reached beyond the limit."""
    if not subjects:
        return
    kinds, firsts, seconds = zip(*subjects, strict=True)
    sql.execute(
        "INSERT INTO pending_pendingsubject (organization_id, kind, first, second, recorded_at, attempts,"
        " set_aside_reason) SELECT %b, kind, first, second, recorded_at, 0, ''"
        " FROM unnest(%b::text[], %b::uuid[], %b::uuid[], %b::timestamptz[]) AS w (kind, first, second, recorded_at)",
        [
            organization_id,
            arrays.texts([word_piece(kind) for kind in kinds]),
            arrays.uuids(firsts),
            arrays.uuids(seconds),
            arrays.instants([instant_piece(since) for since, _ in subjects.values()]),
        ],
    )


def set_due(
    organization_id: uuid.UUID, decided: Iterable[Subject], due: dict[Subject, datetime], *, some_stand: bool
) -> datetime | None:
    """Stores when the clock changes the decided subjects next, and returns the company's next such moment.

    `some_stand`: the company may have due subjects already; without any, nothing needs to be removed.
    """
    if some_stand:
        over = [subject for subject in decided if subject not in due]
        if over:
            kinds, firsts, seconds = zip(*over, strict=True)
            sql.execute(
                "DELETE FROM history_duesubject d USING unnest(%b::text[], %b::uuid[], %b::uuid[])"
                " AS w (kind, first, second) WHERE d.organization_id = %b AND d.kind = w.kind AND d.first = w.first"
                " AND d.second IS NOT DISTINCT FROM w.second",
                [
                    arrays.texts([word_piece(kind) for kind in kinds]),
                    arrays.uuids(firsts),
                    arrays.uuids(seconds),
                    organization_id,
                ],
            )
    _store_due(organization_id, due)
    if not due and not some_stand:
        return None
    ((next_change_at,),) = sql.fetch(
        "SELECT min(next_change_at) FROM history_duesubject WHERE organization_id = %s", [organization_id]
    )
    return next_change_at


def _store_due(organization_id: uuid.UUID, due: dict[Subject, datetime]) -> None:
    if due:
        kinds, firsts, seconds = zip(*due, strict=True)
        sql.execute(
            "INSERT INTO history_duesubject (organization_id, kind, first, second, next_change_at)"
            " SELECT %b, * FROM unnest(%b::text[], %b::uuid[], %b::uuid[], %b::timestamptz[])"
            " ON CONFLICT (organization_id, kind, first, second) DO UPDATE SET next_change_at = EXCLUDED.next_change_at"
            " WHERE history_duesubject.next_change_at <> EXCLUDED.next_change_at",
            [
                organization_id,
                arrays.texts([word_piece(kind) for kind in kinds]),
                arrays.uuids(firsts),
                arrays.uuids(seconds),
                arrays.instants([instant_piece(moment) for moment in due.values()]),
            ],
        )


def make_all_due(organization_id: uuid.UUID, now: datetime) -> None:
    """Makes everything of the company due: a new version of the decider may decide it differently."""
    everything = decision_facts.expand(organization_id, [(SubjectKind.COMPANY.value, None)])
    _store_due(organization_id, dict.fromkeys(everything, now))


def _older(known: Waiting | None, recorded_at: datetime, attempts: int) -> Waiting:
    if known is None:
        return recorded_at, attempts
    return min(known[0], recorded_at), max(known[1], attempts)


def _order(subject: Subject) -> tuple[str, int, int]:
    kind, first, second = subject
    return kind, first.int, second.int if second is not None else 0
