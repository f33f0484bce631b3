"""Which subjects a capture decides: pending rows in their order, wide ones expanded, and those due by the clock.

The caller holds the head's lock, so nobody else claims. A capture takes at most `NARROW_LIMIT` subjects; what a wide
row reaches beyond that goes back as narrow pending rows, as old as the wide one was. A subject that failed comes back
with a later moment to retry at, and is set aside after `ATTEMPTS` times; a later success removes it.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from compliance.facts import reach
from compliance.facts.pending.models import SubjectKind
from compliance.facts.reach import Subject
from compliance.tenancy import arrays, sql

NARROW_LIMIT = 25_000  # a second or two under the head's lock, which only captures of the same company wait for
WIDE_LIMIT = NARROW_LIMIT  # many at once, so that what several of them reach is decided once
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
    """What one capture decides; `had_pending`: pending rows were taken, whatever came of them.

    `newest` is when the youngest of those was recorded: a capture holds no fact that is younger than itself.
    """

    subjects: dict[Subject, Waiting]
    by_clock: set[Subject]
    had_pending: bool
    newest: datetime | None


_CLAIM = """
SELECT id, kind, first, second, recorded_at, attempts FROM pending_pendingsubject
WHERE organization_id = (SELECT %s::uuid) AND set_aside_at IS NULL AND (retry_after IS NULL OR retry_after <= %s)
    AND (kind = ANY(%s)) = %s
ORDER BY id LIMIT %s
"""
_FAILING = """
SELECT id, kind, first, second, recorded_at, attempts FROM pending_pendingsubject
WHERE organization_id = (SELECT %s::uuid) AND attempts > 0
"""
_DUE = """
SELECT kind, first, second FROM history_duesubject
WHERE organization_id = (SELECT %s::uuid) AND next_change_at <= %s ORDER BY next_change_at LIMIT %s
"""
_REMOVE = """
DELETE FROM pending_pendingsubject WHERE organization_id = (SELECT %b::uuid) AND id = ANY(%b::bigint[])
"""
_REMOVE_MATCHING = """
DELETE FROM pending_pendingsubject p USING unnest(%b::text[], %b::uuid[], %b::uuid[]) AS w (kind, first, second)
WHERE p.organization_id = (SELECT %b::uuid) AND p.kind = w.kind AND p.first = w.first
    AND p.second IS NOT DISTINCT FROM w.second AND p.attempts = 0
"""
_PUT_BACK = """
INSERT INTO pending_pendingsubject (organization_id, kind, first, second, recorded_at, attempts, set_aside_reason)
SELECT %b, w.kind, w.first, w.second, w.recorded_at, 0, ''
FROM unnest(%b::text[], %b::uuid[], %b::uuid[], %b::timestamptz[]) AS w (kind, first, second, recorded_at)
WHERE NOT EXISTS (
    SELECT 1 FROM pending_pendingsubject p WHERE p.organization_id = (SELECT %b::uuid) AND p.kind = w.kind
        AND p.first = w.first AND p.second IS NOT DISTINCT FROM w.second AND p.attempts = 0
)
"""


def claim(organization_id: uuid.UUID, now: datetime, *, due: bool) -> Claim:
    """Takes the next subjects and removes their pending rows; with `due`, also those that only the clock changes.

    The rows go before any fact is read: a pending row that a later statement would see stands for a fact that the
    reading may have missed, and stays.
    """
    subjects: dict[Subject, Waiting] = {}
    wide: dict[tuple[str, uuid.UUID | None], Waiting] = {}
    pending_ids: list[int] = []
    newest: datetime | None = None
    wanted = [organization_id, now, list(WIDE)]
    for id_, kind, first, _, recorded_at, attempts in sql.fetch(_CLAIM, [*wanted, True, WIDE_LIMIT]):
        pending_ids.append(id_)
        newest = recorded_at if newest is None else max(newest, recorded_at)
        wide[kind, first] = _older(wide.get((kind, first)), recorded_at, attempts)
    narrow = sql.fetch(_CLAIM, [*wanted, False, NARROW_LIMIT])
    for id_, kind, first, second, recorded_at, attempts in narrow:
        pending_ids.append(id_)
        newest = recorded_at if newest is None else max(newest, recorded_at)
        subject = (kind, first, second)
        subjects[subject] = _older(subjects.get(subject), recorded_at, attempts)
    if pending_ids:
        sql.execute(_REMOVE, [organization_id, arrays.bigints(pending_ids)])
    if wide:
        _expand(organization_id, wide, subjects, more_wait=len(narrow) == NARROW_LIMIT)
    by_clock: set[Subject] = set()
    if due:
        for subject in sql.fetch(_DUE, [organization_id, now, max(NARROW_LIMIT - len(subjects), 0)]):
            if subject not in subjects:
                subjects[subject] = (now, 0)
                by_clock.add(subject)
    if subjects:
        again = []
        for id_, kind, first, second, recorded_at, attempts in sql.fetch(_FAILING, [organization_id]):
            known = subjects.get((kind, first, second))
            if known is not None:
                again.append(id_)
                subjects[kind, first, second] = _older(known, recorded_at, attempts)
        if again:
            sql.execute(_REMOVE, [organization_id, arrays.bigints(again)])
    return Claim(subjects, by_clock, bool(pending_ids), newest)


def _expand(
    organization_id: uuid.UUID,
    wide: dict[tuple[str, uuid.UUID | None], Waiting],
    subjects: dict[Subject, Waiting],
    *,
    more_wait: bool,
) -> None:
    """Adds what the wide subjects reach, up to the limit; the rest becomes pending rows as old as the wide ones.

    `more_wait`: there may be narrow rows that were not taken, and of those that are decided now none stays.
    """
    waiting = (min(since for since, _ in wide.values()), 0)
    reached = reach.expand(organization_id, wide)
    narrow = sorted(reached.difference(subjects), key=_order)
    room = max(NARROW_LIMIT - len(subjects), 0)
    taken, rest = narrow[:room], narrow[room:]
    for subject in taken:
        subjects[subject] = waiting
    if taken and more_wait:
        sql.execute(_REMOVE_MATCHING, [*_arrays(taken), organization_id])
    if rest:
        moments = arrays.instants([waiting[0]] * len(rest))
        sql.execute(_PUT_BACK, [organization_id, *_arrays(rest), moments, organization_id])


def put_back(organization_id: uuid.UUID, claimed: Claim, failed: dict[Subject, str], now: datetime) -> None:
    """Makes pending again what could not be decided, with the reason, to be retried later or set aside."""
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


def set_due(
    organization_id: uuid.UUID, decided: Iterable[Subject], due: dict[Subject, datetime], *, some_stand: bool
) -> datetime | None:
    """Stores when the clock changes the decided subjects next, and returns the company's next such moment.

    `some_stand`: the company may have due subjects already; without any, nothing needs to be removed.
    """
    if some_stand:
        over = [subject for subject in decided if subject not in due]
        if over:
            sql.execute(
                "DELETE FROM history_duesubject d USING unnest(%b::text[], %b::uuid[], %b::uuid[])"
                " AS w (kind, first, second) WHERE d.organization_id = (SELECT %b::uuid) AND d.kind = w.kind"
                " AND d.first = w.first"
                " AND d.second IS NOT DISTINCT FROM w.second",
                [*_arrays(over), organization_id],
            )
    _store_due(organization_id, due)
    if not due and not some_stand:
        return None
    ((next_change_at,),) = sql.fetch(
        "SELECT min(next_change_at) FROM history_duesubject WHERE organization_id = (SELECT %s::uuid)",
        [organization_id],
    )
    return next_change_at


def _store_due(organization_id: uuid.UUID, due: dict[Subject, datetime]) -> None:
    if due:
        sql.execute(
            "INSERT INTO history_duesubject (organization_id, kind, first, second, next_change_at)"
            " SELECT %b, * FROM unnest(%b::text[], %b::uuid[], %b::uuid[], %b::timestamptz[])"
            " ON CONFLICT (organization_id, kind, first, second) DO UPDATE SET next_change_at = EXCLUDED.next_change_at"
            " WHERE history_duesubject.next_change_at <> EXCLUDED.next_change_at",
            [
                organization_id,
                *_arrays(due),
                arrays.instants(list(due.values())),
            ],
        )


def make_all_due(organization_id: uuid.UUID, now: datetime) -> None:
    """Makes everything of the company due: a new version of the decider may decide it differently."""
    everything = reach.expand(organization_id, [(SubjectKind.COMPANY.value, None)])
    _store_due(organization_id, dict.fromkeys(everything, now))


def _arrays(subjects: Iterable[Subject]) -> list[arrays.BinaryArray]:
    kinds, firsts, seconds = zip(*subjects, strict=True)
    return [arrays.words(kinds), arrays.uuids(firsts), arrays.uuids(seconds)]


def _older(known: Waiting | None, recorded_at: datetime, attempts: int) -> Waiting:
    if known is None:
        return recorded_at, attempts
    return min(known[0], recorded_at), max(known[1], attempts)


def _order(subject: Subject) -> tuple[str, int, int]:
    kind, first, second = subject
    return kind, first.int, second.int if second is not None else 0
