"""Selects the subjects that a capture decides: pending ones in order, wide rows expanded, and those due by the clock.

Rows of facts recorded ahead of time stay until their moment has come.

The caller holds the head's lock, so nobody else claims. A capture takes at most `NARROW_LIMIT` subjects. Further
subjects of a wide row are stored as narrow pending rows with the age of the wide one. A subject that failed is stored
again with a moment to retry at, and is set aside after `ATTEMPTS` failures; a later success removes it.
"""

import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple, cast

from compliance.facts import fan_out
from compliance.facts.fan_out import Subject
from compliance.facts.ledger import claiming
from compliance.facts.ledger.models import SubjectKind
from compliance.facts.recording.subjects import Subjects
from compliance.tenancy import arrays, sql

NARROW_LIMIT = 25_000  # one or two seconds under the head's lock; only captures of the same company wait for it
WIDE_LIMIT = NARROW_LIMIT  # many at once, so that a subject of several wide rows is decided once
PUT_BACK_AT_ONCE = 200_000
"""Not fewer, because PostgreSQL reads all pending rows each time; not more, because they are held in memory."""
ATTEMPTS = 8
FIRST_RETRY = timedelta(seconds=15)

Waiting = tuple[datetime, int]
"""Since when a subject waits, and how often it has failed."""


class Claim(NamedTuple):
    """The subjects that one capture decides; `had_pending`: it took pending rows, whatever their result.

    `newest` is when the newest of these rows was recorded or took effect: no capture is older than a fact that it
    holds.
    """

    subjects: dict[Subject, Waiting]
    by_clock: set[Subject]
    had_pending: bool
    newest: datetime | None


_DUE = """
SELECT kind, first, second FROM history_duesubject
WHERE organization_id = (SELECT %s::uuid) AND next_change_at <= %s ORDER BY next_change_at LIMIT %s
"""


def claim(organization_id: uuid.UUID, now: datetime, *, due: bool) -> Claim:
    """Takes the next subjects and removes their pending rows; with `due`, also subjects that only the clock changes.

    Pending rows are removed before any fact is read. A row that is committed after the removal may belong to a fact
    that this capture does not read, so it remains for the next capture.
    """
    subjects: dict[Subject, Waiting] = {}
    wide: dict[tuple[str, uuid.UUID | None], Waiting] = {}
    pending_ids: list[int] = []
    newest: datetime | None = None
    for id_, kind, first, _, recorded_at, attempts in claiming.waiting(
        organization_id, now, wide=True, most=WIDE_LIMIT
    ):
        pending_ids.append(id_)
        newest = recorded_at if newest is None else max(newest, recorded_at)
        wide[kind, first] = _older(wide.get((kind, first)), recorded_at, attempts)
    narrow = claiming.waiting(organization_id, now, wide=False, most=NARROW_LIMIT)
    for id_, kind, first, second, recorded_at, attempts in narrow:
        pending_ids.append(id_)
        newest = recorded_at if newest is None else max(newest, recorded_at)
        subject = (kind, first, second)
        subjects[subject] = _older(subjects.get(subject), recorded_at, attempts)
    if pending_ids:
        claiming.remove(organization_id, pending_ids)
    if wide:
        _expand(organization_id, now, wide, subjects, more_wait=len(narrow) == NARROW_LIMIT)
    by_clock: set[Subject] = set()
    if due:
        for subject in sql.fetch(_DUE, [organization_id, now, max(NARROW_LIMIT - len(subjects), 0)]):
            if subject not in subjects:
                subjects[subject] = (now, 0)
                by_clock.add(subject)
    if subjects:
        again = []
        for id_, kind, first, second, recorded_at, attempts in claiming.failing(organization_id):
            known = subjects.get((kind, first, second))
            if known is not None:
                again.append(id_)
                subjects[kind, first, second] = _older(known, recorded_at, attempts)
        if again:
            claiming.remove(organization_id, again)
    return Claim(subjects, by_clock, bool(pending_ids), newest)


def _expand(
    organization_id: uuid.UUID,
    now: datetime,
    wide: dict[tuple[str, uuid.UUID | None], Waiting],
    subjects: dict[Subject, Waiting],
    *,
    more_wait: bool,
) -> None:
    """Adds the subjects of the wide rows, up to the limit; the others become pending rows as old as the wide ones.

    `more_wait`: narrow rows may be left that were not taken; those of subjects that are decided now are removed.
    """
    waiting = (min(since for since, _ in wide.values()), 0)
    affected = Subjects()
    for some in fan_out.fan_out(organization_id, wide):
        affected.add(some)
    found = cast("Iterator[Subject]", affected.narrowest())  # all of them are narrow, so `first` is never None
    narrow = (subject for subject in found if subject not in subjects)
    taken = list(islice(narrow, max(NARROW_LIMIT - len(subjects), 0)))
    subjects.update(dict.fromkeys(taken, waiting))
    if taken and more_wait:
        claiming.remove_matching(organization_id, taken, now)
    while rest := list(islice(narrow, PUT_BACK_AT_ONCE)):
        claiming.put_back(organization_id, rest, waiting[0], now)


def put_back(organization_id: uuid.UUID, claimed: Claim, failed: dict[Subject, str], now: datetime) -> None:
    """Stores the subjects that could not be decided as pending again, with the reason, to be retried or set aside."""
    for subject, reason in failed.items():
        since, attempts = claimed.subjects[subject]
        attempts += 1
        aside = attempts >= ATTEMPTS
        claiming.put_back_failed(
            organization_id,
            subject,
            since=since,
            attempts=attempts,
            retry_after=None if aside else now + FIRST_RETRY * 2**attempts,
            set_aside_at=now if aside else None,
            reason=reason,
        )


def set_due(
    organization_id: uuid.UUID, decided: Iterable[Subject], due: dict[Subject, datetime], *, some_stored: bool
) -> datetime | None:
    """Stores when the clock changes the decided subjects next, and returns the company's next such moment.

    `some_stored`: the company may have due subjects already; without any, nothing needs to be removed.
    """
    if some_stored:
        over = [subject for subject in decided if subject not in due]
        if over:
            sql.execute(
                "DELETE FROM history_duesubject d USING unnest(%b::text[], %b::uuid[], %b::uuid[])"
                " AS w (kind, first, second) WHERE d.organization_id = (SELECT %b::uuid) AND d.kind = w.kind"
                " AND d.first = w.first"
                " AND d.second IS NOT DISTINCT FROM w.second",
                [*claiming.columns(over), organization_id],
            )
    _store_due(organization_id, due)
    if not due and not some_stored:
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
            " SELECT %b::uuid, * FROM unnest(%b::text[], %b::uuid[], %b::uuid[], %b::timestamptz[])"
            " ON CONFLICT (organization_id, kind, first, second) DO UPDATE SET next_change_at = EXCLUDED.next_change_at"
            " WHERE history_duesubject.next_change_at <> EXCLUDED.next_change_at",
            [
                organization_id,
                *claiming.columns(due),
                arrays.instants(list(due.values())),
            ],
        )


def make_all_due(organization_id: uuid.UUID, now: datetime) -> None:
    """Makes all subjects of the company due, because a new version of the rules may decide them differently."""
    for some in fan_out.fan_out(organization_id, [(SubjectKind.COMPANY.value, None)]):
        _store_due(organization_id, dict.fromkeys(some, now))


def _older(known: Waiting | None, recorded_at: datetime, attempts: int) -> Waiting:
    if known is None:
        return recorded_at, attempts
    return min(known[0], recorded_at), max(known[1], attempts)
