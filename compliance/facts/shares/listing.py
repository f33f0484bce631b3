"""Shares for lists and pages: what is shared with whom, and until when, as of a moment."""

import uuid
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.courses import queries as courses
from compliance.facts.people import queries as people
from compliance.facts.shares.queries import NEWEST
from compliance.tenancy import sql

TEAMS_NAMED = 20
"""The largest number of a share's teams that lists name."""


class Shared(NamedTuple):
    """A share. `kind` is that of what is shared (training, policy); `lesson` is the title of a lesson shared alone.

    `teams` are the first of `team_ids` by name, with their names; `people` is the number of people that a share names.
    """

    share_id: uuid.UUID
    course_id: uuid.UUID
    title: str
    kind: str
    lesson: str | None
    published: bool
    opened_at: datetime
    ended_at: datetime | None
    audience: str
    team_ids: list[uuid.UUID]
    people: int
    doors: list[str]
    requirement: str
    deadline_basis: str
    due_at: datetime | None
    days: int | None
    teams: dict[uuid.UUID, str] = {}

    @property
    def unnamed(self) -> int:
        """The number of the share's teams that are not in `teams`."""
        return len(self.team_ids) - len(self.teams)

    @property
    def lesson_alone(self) -> bool:
        """Whether it shares only a lesson and not the course."""
        return self.lesson is not None


def _step(alias: str, columns: str, stated: str) -> str:
    """SQL of a column of the newest step of share `s` that states `stated`."""
    return f"""CROSS JOIN LATERAL (SELECT {columns} FROM shares_sharestep t
        WHERE t.organization_id = %(organization)s AND t.share_id = s.share_id AND t.at <= %(at)s
          AND t.{stated} IS NOT NULL {NEWEST}) {alias}"""  # noqa: S608 - expressions of our own


_COLUMNS = f"""
SELECT s.share_id, s.course_id, c.title, c.kind,
    CASE WHEN s.lesson_release_id IS NOT NULL THEN {courses.lesson_title("s.lesson_release_id")} END,
    c.kind = 'policy' OR s.lesson_release_id IS NOT NULL OR {courses.published("s.course_id")},
    s.opened_at, s.ended_at, a.audience, coalesce(a.team_ids, '{{}}'), coalesce(cardinality(a.learner_profile_ids), 0),
    o.doors, q.requirement, d.deadline_basis, d.due_at, d.days
FROM shares_share s {courses.joined("s")}
{_step("a", "t.audience, t.team_ids, t.learner_profile_ids", "audience")}
{_step("o", "t.doors", "doors")}
{_step("q", "t.requirement", "requirement")}
{_step("d", "t.deadline_basis, t.due_at, t.days", "deadline_basis")}
WHERE s.organization_id = %(organization)s"""  # noqa: S608 - expressions of our own


def listed(
    organization_id: uuid.UUID,
    at: datetime,
    *,
    kind: str = "",
    ended: bool = False,
    after: tuple[str, str] | None = None,
    most: int,
) -> tuple[list[Shared], tuple[str, str] | None]:
    """A page of open (or ended) shares, newest first, and the key of the next page. Two statements."""
    conditions = ["s.opened_at <= %(at)s", "s.ended_at IS NOT NULL" if ended else "s.ended_at IS NULL"]
    conditions += ["c.kind = %(kind)s"] if kind else []
    if after:
        conditions.append("(s.opened_at, s.share_id) < (%(opened)s::text::timestamptz, %(share)s::text::uuid)")
    found = _fetch(
        " AND ".join(conditions),
        "s.opened_at DESC, s.share_id DESC",
        organization_id=organization_id,
        at=at,
        kind=kind,
        opened=after[0] if after else None,
        share=after[1] if after else None,
        most=most + 1,
    )
    last = (found[most - 1].opened_at.isoformat(), str(found[most - 1].share_id)) if len(found) > most else None
    return found[:most], last


def of_course(organization_id: uuid.UUID, course_id: uuid.UUID, at: datetime, most: int) -> list[Shared]:
    """The shares of a course or a policy, the open ones first, then the newest. Two statements."""
    order = "s.ended_at IS NOT NULL, s.opened_at DESC, s.share_id"
    return _fetch(
        "s.course_id = %(course)s", order, organization_id=organization_id, at=at, course=course_id, most=most
    )


def share(organization_id: uuid.UUID, share_id: uuid.UUID, at: datetime) -> Shared | None:
    """The share with this identifier; None if the company has none. Two statements."""
    found = _fetch("s.share_id = %(share)s", "1", organization_id=organization_id, at=at, share=share_id, most=1)
    return found[0] if found else None


def people_of(organization_id: uuid.UUID, share_id: uuid.UUID, at: datetime) -> list[uuid.UUID]:
    """The people whom a share names, if its audience is people. One statement."""
    rows = sql.fetch(
        "SELECT t.learner_profile_ids FROM shares_sharestep t WHERE t.organization_id = %s AND t.share_id = %s"  # noqa: S608
        f" AND t.at <= %s AND t.audience IS NOT NULL {NEWEST}",
        [organization_id, share_id, at],
    )
    return list(rows[0][0] or ()) if rows else []


def _fetch(condition: str, order: str, *, organization_id: uuid.UUID, **values: Any) -> list[Shared]:
    rows = sql.fetch(
        f"{_COLUMNS} AND {condition} ORDER BY {order} LIMIT %(most)s", values | {"organization": organization_id}
    )
    found = [Shared(*row) for row in rows]
    named = people.named(organization_id, {team_id for each in found for team_id in each.team_ids})
    return [each._replace(teams=_first(named, each.team_ids)) for each in found]


def _first(named: dict[uuid.UUID, str], team_ids: list[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The first of the teams, by name."""
    mine = set(team_ids)
    return dict([(team_id, name) for team_id, name in named.items() if team_id in mine][:TEAMS_NAMED])
