"""Reads the summary of one course or policy: pages of the people who owe it, and counts of their states.

Each read is one statement, whatever the size of the company. Pages follow the order of an index. The counts here are
for one audience; the tallies hold those for everybody.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from compliance.facts.people import queries as people_queries
from compliance.history import outcomes
from compliance.interfaces.console.understand.refreshing import DONE_OPTIONALLY, END_OF_TIME, OPEN, OPTIONAL_DONE
from compliance.rules.vocabulary import Outcome
from compliance.tenancy import sql

_OPEN = f"s.outcome = '{OPEN}'"
WANTED: dict[str, tuple[str, str, bool]] = {
    "open": (_OPEN, "due_by", False),
    "overdue": (f"{_OPEN} AND {outcomes.past('s.due_by')}", "due_by", False),
    "done": ("s.done_at IS NOT NULL", "done_at", True),
    "waived": (f"s.outcome = '{Outcome.WAIVED}'", "due_by", False),
    "optional": (f"s.outcome = '{Outcome.OPTIONAL_NOT_DONE}'", "due_by", False),
}
"""Lists of people who owe a course: the condition of the records, the column to sort by, and whether descending."""

_FIRST = datetime(1, 1, 2, tzinfo=UTC)


@dataclass(frozen=True)
class Audience:
    """Whose records are read: of the members of these teams, or of these people; of everybody where both are None."""

    team_ids: Sequence[uuid.UUID] | None = None
    learner_profile_ids: Sequence[uuid.UUID] | None = None

    def condition(self) -> str:
        """The condition as SQL on the summary's row `s`.

        IS TRUE makes the planner use a hash of the team's people. Otherwise it takes the team for far smaller than it
        is, and reads each person's records of all courses.
        """
        if self.team_ids is not None:
            return """ AND (s.learner_profile_id IN (SELECT p.learner_profile_id FROM console_standing p
                WHERE p.organization_id = (SELECT %(organization)s::uuid) AND p.register = 2
                  AND p.team_ids && %(teams)s::uuid[])) IS TRUE"""
        if self.learner_profile_ids is not None:
            return " AND s.learner_profile_id = ANY(%(people)s::uuid[])"
        return ""

    def values(self) -> dict[str, Any]:
        """The parameters of `condition`."""
        return {"teams": list(self.team_ids or ()), "people": list(self.learner_profile_ids or ())}


EVERYBODY = Audience()


@dataclass(frozen=True)
class Owing:
    """A person and what they owe of a course. `state` includes what the clock decides (overdue, not_due_yet)."""

    record_number: int
    record_id: uuid.UUID
    learner_profile_id: uuid.UUID
    person_name: str | None
    erased: bool
    state: str
    due_by: datetime
    begins_at: datetime | None
    done_at: datetime | None
    team_ids: list[uuid.UUID]

    @property
    def due_at(self) -> datetime | None:
        """The deadline; None without one."""
        return None if self.due_by == END_OF_TIME else self.due_by


def people(
    organization_id: uuid.UUID,
    register: int,
    course_id: uuid.UUID,
    wanted: str,
    audience: Audience,
    moment: datetime,
    after: tuple[datetime, int] | None,
    most: int,
) -> tuple[list[Owing], tuple[str, int] | None]:
    """A page of one of the lists `WANTED`, and the position after which the next page begins."""
    condition, column, last_first = WANTED[wanted]
    sign, order = ("<", "DESC") if last_first else (">", "ASC")
    rows = sql.fetch(
        f"""
        SELECT w.birth, w.record_id, w.learner_profile_id, p.person_name, p.erased_at IS NOT NULL,
            CASE WHEN w.outcome <> '{OPEN}' THEN w.outcome
                 WHEN {outcomes.past("w.due_by")} THEN '{Outcome.OVERDUE}' ELSE '{Outcome.NOT_DUE_YET}' END,
            w.due_by, w.begins_at, w.done_at, coalesce(t.team_ids, '{{}}')
        FROM (SELECT s.* FROM console_standing s WHERE s.organization_id = (SELECT %(organization)s::uuid)
              AND s.register = %(register)s AND s.course_id = %(course)s AND {condition}{audience.condition()}
              AND (s.{column}, s.birth) {sign} (%(place)s, %(birth)s)
              ORDER BY s.{column} {order}, s.birth {order} LIMIT %(most)s) w
        {people_queries.looked_up("w")}
        LEFT JOIN LATERAL (SELECT team_ids FROM console_standing l
            WHERE l.organization_id = (SELECT %(organization)s::uuid)
            AND l.learner_profile_id = w.learner_profile_id AND l.register = 2 LIMIT 1) t ON true
        ORDER BY w.{column} {order}, w.birth {order}""",  # noqa: S608 - expressions of our own
        {
            "organization": organization_id,
            "register": register,
            "course": course_id,
            "moment": moment,
            "place": after[0] if after else END_OF_TIME if last_first else _FIRST,
            "birth": after[1] if after else 0,
            "most": most + 1,
        }
        | audience.values(),
    )
    found = [Owing(*row) for row in rows[:most]]
    last = (getattr(found[-1], column).isoformat(), found[-1].record_number) if len(rows) > most else None
    return found, last


def numbers(
    organization_id: uuid.UUID, register: int, course_id: uuid.UUID, audience: Audience, moment: datetime
) -> dict[str, int]:
    """How many records of the audience are in each state; OPTIONAL_DONE is of the completed ones."""
    records = f"""
            FROM console_standing s WHERE s.organization_id = (SELECT %(organization)s::uuid)
              AND s.register = %(register)s AND s.course_id = %(course)s{audience.condition()}"""
    return dict(
        sql.fetch(
            f"""
            SELECT CASE WHEN s.outcome <> '{OPEN}' THEN s.outcome
                    WHEN {outcomes.past("s.due_by")} THEN '{Outcome.OVERDUE}' ELSE '{Outcome.NOT_DUE_YET}' END, count(*)
            {records} GROUP BY 1
            UNION ALL SELECT '{OPTIONAL_DONE}', count(*) {records} AND {DONE_OPTIONALLY}""",
            {"organization": organization_id, "register": register, "course": course_id, "moment": moment}
            | audience.values(),
        )
    )
