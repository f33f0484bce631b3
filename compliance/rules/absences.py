"""Deadlines that fall inside an absence, and how far they move (docs/rules.md#absences).

Training and policies share this code: it computes the days on which a person is away, as known at a moment, and the
resulting deadline. `steps` returns the arithmetic, for explanations of a deadline; `moved` returns only the result.
"""

from collections.abc import Iterable
from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.company_days import day_of, end_of_day


class Absence(NamedTuple):
    """A person is away from `first_day` to `last_day`, both company days; it counts from `at` until `voided_at`."""

    absence_id: UUID
    at: datetime
    first_day: date
    last_day: date
    voided_at: datetime | None = None


class Away(NamedTuple):
    """A stretch of days on which a person is away: absences that overlap or adjoin are one."""

    first_day: date
    last_day: date


class Step(NamedTuple):
    """A deadline on `from_day` falls inside `away`, and moves to the end of `to_day`, or to the calendar's end."""

    away: Away
    from_day: date
    to_day: date


NOT_AWAY: tuple[Away, ...] = ()


def turning_points(absences: Iterable[Absence]) -> set[datetime]:
    """The moments at which an absence begins or ceases to count."""
    return {moment for each in absences for moment in (each.at, each.voided_at) if moment is not None}


def away_at(absences: Iterable[Absence], moment: datetime) -> tuple[Away, ...]:
    """The days on which the person is away as known at `moment`, as disjoint stretches in order."""
    found: list[Away] = []
    for first_day, last_day in sorted(
        (each.first_day, each.last_day)
        for each in absences
        if each.at <= moment and (each.voided_at is None or each.voided_at > moment)
    ):
        if found and first_day.toordinal() <= found[-1].last_day.toordinal() + 1:
            found[-1] = Away(found[-1].first_day, max(found[-1].last_day, last_day))
        else:
            found.append(Away(first_day, last_day))
    return tuple(found)


def steps(zone: str, due_at: datetime, away: Iterable[Away]) -> list[Step]:
    """How a deadline moves, stretch by stretch: a deadline that lands in a later stretch moves on from there."""
    found: list[Step] = []
    day = day_of(zone, due_at)
    for stretch in away:
        if stretch.first_day <= day <= stretch.last_day:
            beyond = day - stretch.first_day
            later = stretch.last_day + beyond if beyond <= date.max - stretch.last_day else date.max
            found.append(Step(stretch, day, later))
            day = later
    return found


def moved(zone: str, due_at: datetime, away: Iterable[Away]) -> datetime:
    """The deadline after the absences have moved it; one outside all absences is unchanged to the microsecond."""
    found = steps(zone, due_at, away)
    return end_of_day(zone, found[-1].to_day) if found else due_at
