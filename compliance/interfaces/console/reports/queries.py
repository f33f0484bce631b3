"""Reads for the pages of a report: its sums by course and team, and its lines, in a constant number of statements."""

import uuid
from datetime import datetime
from typing import NamedTuple

from compliance.facts.courses import queries as courses_queries
from compliance.facts.people import queries as people_queries
from compliance.interfaces.console.reports.making import NO_TEAM, NUMBERS
from compliance.interfaces.console.reports.models import Report
from compliance.interfaces.console.reports.states import SIGNING
from compliance.tenancy import sql

ROWS_AT_MOST = 300
"""How many courses, and how many teams, a page of a report lists: those with most left to do."""


class Sums(NamedTuple):
    """The sums over some records: at the first moment, at the second, and between them."""

    required_before: int = 0
    done_before: int = 0
    required: int = 0
    done: int = 0
    overdue: int = 0
    done_between: int = 0
    late_between: int = 0

    @property
    def percent(self) -> int | None:
        """Percentage of required records done at the second moment, rounded down: 100 means all; None without any."""
        return 100 * self.done // self.required if self.required else None

    @property
    def percent_before(self) -> int | None:
        """As `percent`, at the first moment."""
        return 100 * self.done_before // self.required_before if self.required_before else None

    @property
    def share(self) -> float:
        """Percentage of required records done, to two decimals, for a bar."""
        return round(100 * self.done / self.required, 2) if self.required else 0


class SumsOf(NamedTuple):
    """A course, a policy or a team, and its sums. A team without an identifier holds the people who are in none.

    `register` is that of training or of policies; None where the sums of a team are of both.
    """

    identifier: uuid.UUID | None
    name: str
    register: int | None
    sums: Sums

    @property
    def policy(self) -> bool:
        """Whether the sums are of signatures."""
        return self.register == SIGNING


_SUMS = ", ".join(f"sum(t.{name})::bigint" for name in NUMBERS)
_MINE = "t.organization_id = (SELECT %(organization)s::uuid) AND t.report_id = %(report)s"
_MOST_LEFT = "ORDER BY sum(t.required - t.done) DESC, 1 LIMIT %(most)s"


def whole(report: Report, course: uuid.UUID | None, team: uuid.UUID | None) -> dict[int, Sums]:
    """The sums of training and of policies, by register, for one course or all and one team or all."""
    rows = sql.fetch(
        f"SELECT t.register, {_SUMS} FROM reports_reportcell t WHERE {_MINE}"  # noqa: S608 - names of our own
        " AND t.course_id IS NOT DISTINCT FROM %(course)s::uuid AND t.team_id IS NOT DISTINCT FROM %(team)s::uuid"
        " GROUP BY t.register",
        _values(report) | {"course": course, "team": team},
    )
    return {row[0]: Sums(*row[1:]) for row in rows}


def by_course(report: Report, team: uuid.UUID | None) -> list[SumsOf]:
    """The sums by course and policy, for one team or all, those with most left to do first."""
    rows = sql.fetch(
        f"SELECT t.course_id, coalesce(max(c.title), ''), t.register, {_SUMS} FROM reports_reportcell t"  # noqa: S608 - expressions of our own
        f"{courses_queries.joined('t')} WHERE {_MINE} AND t.course_id IS NOT NULL"
        f" AND t.team_id IS NOT DISTINCT FROM %(team)s::uuid GROUP BY t.course_id, t.register {_MOST_LEFT}",
        _values(report) | {"team": team},
    )
    return [SumsOf(course, title or str(course)[:8], number, Sums(*row)) for course, title, number, *row in rows]


def by_team(report: Report, course: uuid.UUID | None, names: dict[uuid.UUID, str]) -> list[SumsOf]:
    """The sums by team, for one course or all, training and policies together, those with most left to do first."""
    rows = sql.fetch(
        "SELECT t.team_id, CASE WHEN min(t.register) = max(t.register) THEN min(t.register) END,"  # noqa: S608 - expressions of our own
        f" {_SUMS} FROM reports_reportcell t WHERE {_MINE} AND t.team_id IS NOT NULL"
        f" AND t.course_id IS NOT DISTINCT FROM %(course)s::uuid GROUP BY t.team_id {_MOST_LEFT}",
        _values(report) | {"course": course},
    )
    return [
        SumsOf(None if team == NO_TEAM else team, names.get(team, ""), register, Sums(*row))
        for team, register, *row in rows
    ]


def _values(report: Report) -> dict[str, object]:
    return {"organization": report.organization_id, "report": report.report_id, "most": ROWS_AT_MOST}


class Asked(NamedTuple):
    """Which lines of a report are wanted: of a register, of a kind (or `late`, `done`), of a course, of a team."""

    register: int
    show: str = ""
    course: uuid.UUID | None = None
    team: uuid.UUID | None = None


class Line(NamedTuple):
    """A record that differs, with current names."""

    number: int
    register: int
    record_id: uuid.UUID
    learner_profile_id: uuid.UUID | None
    team_ids: list[uuid.UUID]
    kind: str
    before: str
    after: str
    late: bool
    known_before: str
    person_name: str | None
    erased_at: datetime | None
    title: str | None


_SHOWS = {
    "": "true",
    "new": "l.kind = 'new'",
    "ended": "l.kind = 'ended'",
    "changed": "l.kind = 'changed'",
    "done": "l.done_between",
    "late": "l.late",
}
SHOWS = frozenset(_SHOWS)


def lines(report: Report, asked: Asked, after: int, most: int) -> list[Line]:
    """The lines after the number `after`, with current names; one more than `most` where there are more."""
    conditions = [
        f" AND {_SHOWS[asked.show]}",
        " AND l.course_id = %(course)s" if asked.course else "",
        " AND %(team)s = ANY(l.team_ids)" if asked.team and asked.team != NO_TEAM else "",
        " AND l.team_ids = '{}'" if asked.team == NO_TEAM else "",
    ]
    rows = sql.fetch(
        f"""
        SELECT l.number, l.register, l.record_id, l.learner_profile_id, l.team_ids, l.kind, l.before, l.after, l.late,
               l.known_before, p.person_name, p.erased_at, c.title
        FROM (SELECT l.* FROM reports_reportline l WHERE l.organization_id = (SELECT %(organization)s::uuid)
                AND l.report_id = %(report)s AND l.register = %(register)s AND l.number > %(after)s{"".join(conditions)}
              ORDER BY l.number LIMIT %(most)s) l
        {people_queries.looked_up("l")} {courses_queries.looked_up("l")}
        ORDER BY l.number""",  # noqa: S608 - conditions of this module
        {
            "organization": report.organization_id,
            "report": report.report_id,
            "register": asked.register,
            "course": asked.course,
            "team": asked.team,
            "after": after,
            "most": most + 1,
        },
    )
    return [Line(*row) for row in rows]
