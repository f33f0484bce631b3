"""Which subjects a capture decides: pending rows in their order, wide ones expanded, and those due by the clock.

Rows of facts recorded ahead of time are left alone until their moment has come.

The caller holds the head's lock, so nobody else claims. A capture takes at most `NARROW_LIMIT` subjects; what a wide
row reaches beyond that goes back as narrow pending rows, as old as the wide one was. A subject that failed comes back
with a later moment to retry at, and is set aside after `ATTEMPTS` times; a later success removes it.
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

NARROW_LIMIT = 25_000  # a second or two under the head's lock, which only captures of the same company wait for
WIDE_LIMIT = NARROW_LIMIT  # many at once, so that what several of them reach is decided once
PUT_BACK_AT_ONCE = 200_000
"""Each time PostgreSQL looks through all that waits, so not fewer; and not more, since they are held in memory."""
ATTEMPTS = 8
FIRST_RETRY = timedelta(seconds=15)

Waiting = tuple[datetime, int]
"""Since when a subject waits, and how often it has failed."""


class Claim(NamedTuple):
    """What one capture decides; `had_pending`: pending rows were taken, whatever came of them.

    `newest` is when the youngest of those was recorded or took effect: a capture holds no fact that is younger than
    itself.
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
    """Takes the next subjects and removes their pending rows; with `due`, also those that only the clock changes.

    Pending rows are removed before any fact is read. A row that is committed after the removal may belong to a fact
    that this capture does not read, so it stays for the next capture.
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
    """Adds what the wide subjects reach, up to the limit; the rest becomes pending rows as old as the wide ones.

    `more_wait`: there may be narrow rows that were not taken, and of those that are decided now none stays.
    """
    waiting = (min(since for since, _ in wide.values()), 0)
    reached = Subjects()
    for some in fan_out.fan_out(organization_id, wide):
        reached.add(some)
    found = cast("Iterator[Subject]", reached.narrowest())  # all of them narrow, so each names something first
    narrow = (subject for subject in found if subject not in subjects)
    taken = list(islice(narrow, max(NARROW_LIMIT - len(subjects), 0)))
    subjects.update(dict.fromkeys(taken, waiting))
    if taken and more_wait:
        claiming.remove_matching(organization_id, taken, now)
    while rest := list(islice(narrow, PUT_BACK_AT_ONCE)):
        claiming.put_back(organization_id, rest, waiting[0], now)


def put_back(organization_id: uuid.UUID, claimed: Claim, failed: dict[Subject, str], now: datetime) -> None:
    """Makes pending again what could not be decided, with the reason, to be retried later or set aside."""
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
                [*claiming.columns(over), organization_id],
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
    """Makes everything of the company due: a new version of the decider may decide it differently."""
    for some in fan_out.fan_out(organization_id, [(SubjectKind.COMPANY.value, None)]):
        _store_due(organization_id, dict.fromkeys(some, now))


def _older(known: Waiting | None, recorded_at: datetime, attempts: int) -> Waiting:
    if known is None:
        return recorded_at, attempts
    return min(known[0], recorded_at), max(known[1], attempts)
