"""What dashboards, the work list and the matrix read: a constant number of statements each, whatever the size."""

import uuid
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from compliance.interfaces.console.understand.refreshing import END_OF_TIME, OPEN
from compliance.rules.vocabulary import Outcome
from compliance.tenancy import sql


@dataclass(frozen=True)
class State:
    """How far the standing is: as at which moment, up to which sequence, and where the history is."""

    as_at: datetime | None
    sequence: int
    head: int

    @property
    def behind(self) -> bool:
        """Whether the history has grown since."""
        return self.sequence != self.head


def state(organization_id: uuid.UUID) -> State:
    """The company's mark."""
    rows = sql.fetch(
        "SELECT m.as_at, coalesce(m.sequence, 0), coalesce(h.sequence, 0) FROM tenancy_organization o"
        " LEFT JOIN console_standingmark m ON m.organization_id = o.organization_id"
        " LEFT JOIN history_historyhead h ON h.organization_id = o.organization_id WHERE o.organization_id = %s",
        [organization_id],
    )
    return State(*rows[0])


Tallies = dict[str, dict[str, int]]


def tallies(organization_id: uuid.UUID, course: uuid.UUID | None) -> Tallies:
    """Numbers by kind and bucket, of one course or of all."""
    found: Tallies = defaultdict(dict)
    for kind, bucket, number in sql.fetch(
        "SELECT kind, bucket, sum(number)::bigint FROM console_tally WHERE organization_id = %(company)s"
        " AND (%(course)s::uuid IS NULL OR course_id = %(course)s) GROUP BY kind, bucket",
        {"company": organization_id, "course": course},
    ):
        found[kind][bucket] = int(number)
    return found


_COMPLETED = ("completed_on_time", "completed_late", "completed_before_requirement")
COUNTED: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = {
    ("training-records", ""): ("outcome", ()),
    ("training-records", "overdue"): ("outcome", ("overdue",)),
    ("training-records", "open"): ("outcome", ("overdue", "not_due_yet")),
    ("training-records", "done"): ("outcome", _COMPLETED),
    ("training-records", "waived"): ("outcome", ("waived",)),
    ("training-records", "optional"): ("outcome", ("optional_not_done",)),
    ("training-records", "required"): ("required", ()),
    ("training-records", "required-done"): ("done", ()),
    ("certificates", ""): ("certificate", ()),
    ("certificates", "valid"): ("certificate", ("30", "60", "90", "later")),
    ("certificates", "expired"): ("certificate", ("expired",)),
    ("certificates", "expiring"): ("certificate", ("30", "60", "90")),
    ("certificates", "revoked"): ("certificate", ("revoked",)),
    ("certificates", "replaced"): ("certificate", ("replaced",)),
    ("policy-records", ""): ("signature", ()),
    ("policy-records", "to_do"): ("signature", ("to_do",)),
    ("policy-records", "overdue"): ("signature", ("overdue",)),
    ("policy-records", "signed"): ("signature", ("signed",)),
}
"""Which tally says how many rows a register has now, by the word of its filter; no buckets: all of the kind."""


def counted(
    organization_id: uuid.UUID, register: str, word: str, course: uuid.UUID | None
) -> tuple[int, datetime] | None:
    """How many rows a register has under a filter, and as at which moment that was counted; None: nobody counts it."""
    kind, buckets = COUNTED.get((register, word), ("", ()))
    as_at = state(organization_id).as_at if kind else None
    if as_at is None:
        return None
    found = tallies(organization_id, course)[kind]
    return sum(number for bucket, number in found.items() if not buckets or bucket in buckets), as_at


@dataclass(frozen=True)
class CourseLine:
    """A course and what its records add up to."""

    course_id: str
    title: str
    kind: str
    counts: dict[str, int]


def courses(organization_id: uuid.UUID) -> list[CourseLine]:
    """Courses with training records, and policies with policy records, by title, with their outcomes."""
    found: dict[str, CourseLine] = {}
    for course_id, title, kind, bucket, number in sql.fetch(
        "SELECT t.course_id, coalesce(c.title, ''), t.kind, t.bucket, t.number FROM console_tally t"
        " LEFT JOIN courses_course c ON c.organization_id = %(company)s AND c.course_id = t.course_id"
        " WHERE t.organization_id = %(company)s AND t.kind IN ('outcome', 'signature') AND t.course_id IS NOT NULL"
        " ORDER BY lower(c.title), t.course_id",
        {"company": organization_id},
    ):
        line = found.setdefault(str(course_id), CourseLine(str(course_id), title or str(course_id)[:8], kind, {}))
        line.counts[bucket] = line.counts.get(bucket, 0) + int(number)
    return list(found.values())


def teams(organization_id: uuid.UUID) -> dict[str, str]:
    """Names of the teams by identifier, in order of name."""
    return {
        str(team_id): name
        for team_id, name in sql.fetch(
            "SELECT team_id, name FROM people_team WHERE organization_id = %s ORDER BY lower(name), team_id",
            [organization_id],
        )
    }


@dataclass(frozen=True)
class Wanted:
    """Which records a work list shows: of a register, with `due_by` in [low, high)."""

    register: int
    low: datetime | None
    high: datetime | None
    course: uuid.UUID | None = None
    team: uuid.UUID | None = None


_BEGINNING = datetime(1, 1, 2, tzinfo=UTC)

_BY_TEAM = """
  AND s.learner_profile_id IN (SELECT p.learner_profile_id FROM console_standing p
      WHERE p.organization_id = (SELECT %(company)s::uuid) AND p.register = 2 AND %(team)s = ANY(p.team_ids))"""


def _listed(wanted: Wanted) -> str:
    """The records meant. What is undone is `open` or, of certificates, `valid`: one index holds them in order."""
    conditions = [
        " AND s.due_by >= %(low)s" if wanted.low else "",
        " AND s.due_by < %(high)s" if wanted.high else "",
        " AND s.course_id = %(course)s" if wanted.course else "",
        _BY_TEAM if wanted.team else "",
    ]
    return (
        "FROM console_standing s WHERE s.organization_id = (SELECT %(company)s::uuid) AND s.register = %(register)s"
        f" AND s.outcome IN ('open', 'valid'){''.join(conditions)}"
    )


def _values(organization_id: uuid.UUID, wanted: Wanted) -> dict[str, Any]:
    return {"company": organization_id} | {
        name: getattr(wanted, name) for name in ("register", "low", "high", "course", "team")
    }


def count(organization_id: uuid.UUID, wanted: Wanted) -> int:
    """How many records the list holds."""
    ((number,),) = sql.fetch(f"SELECT count(*) {_listed(wanted)}", _values(organization_id, wanted))
    return int(number)


@dataclass(frozen=True)
class Work:
    """A line of the work list."""

    register: int
    birth: int
    record_id: uuid.UUID
    learner_profile_id: uuid.UUID
    course_id: str
    due_by: datetime
    begins_at: datetime | None
    person_name: str | None
    email: str | None
    erased: bool
    course: str
    team_ids: list[uuid.UUID]
    renewed: bool  # of certificates: the person holds one of the same course that lasts longer

    @property
    def due_at(self) -> datetime | None:
        """The deadline or the end of validity, None without."""
        return None if self.due_by == END_OF_TIME else self.due_by

    def days(self, moment: datetime) -> int | None:
        """Days until it is due, rounded up; negative: days late, as the registers count them."""
        if self.due_at is None:
            return None
        return (
            (self.due_at - moment) // timedelta(days=1)
            if self.due_at < moment
            else -((moment - self.due_at) // timedelta(days=1))
        )


def work(
    organization_id: uuid.UUID, wanted: Wanted, after: tuple[datetime, int] | None, limit: int
) -> tuple[list[Work], tuple[str, int] | None]:
    """A page of the list, the longest overdue first, and behind what the next page begins."""
    rows = sql.fetch(
        f"""
        SELECT w.register, w.birth, w.record_id, w.learner_profile_id, w.course_id::text, w.due_by, w.begins_at,
               n.person_name, coalesce(n.work_email, n.account_email), n.erased_at IS NOT NULL, coalesce(c.title, ''),
               coalesce(p.team_ids, '{{}}'), w.register = 3 AND EXISTS (
                   SELECT FROM console_standing l WHERE l.organization_id = (SELECT %(company)s::uuid)
                     AND l.learner_profile_id = w.learner_profile_id AND l.register = 3 AND l.course_id = w.course_id
                     AND l.outcome = 'valid' AND l.due_by > w.due_by)
        FROM (SELECT s.* {_listed(wanted)} AND (s.due_by, s.birth) > (%(due_by)s, %(birth)s)
              ORDER BY s.due_by, s.birth LIMIT %(limit)s) w
        LEFT JOIN LATERAL (SELECT person_name, work_email, account_email, erased_at FROM people_profile n
            WHERE n.organization_id = (SELECT %(company)s::uuid) AND n.learner_profile_id = w.learner_profile_id
            LIMIT 1) n ON true
        LEFT JOIN LATERAL (SELECT title FROM courses_course c
            WHERE c.organization_id = (SELECT %(company)s::uuid) AND c.course_id = w.course_id LIMIT 1) c ON true
        LEFT JOIN LATERAL (SELECT team_ids FROM console_standing p WHERE p.organization_id = (SELECT %(company)s::uuid)
            AND p.learner_profile_id = w.learner_profile_id AND p.register = 2 LIMIT 1) p ON true
        ORDER BY w.due_by, w.birth""",  # noqa: S608
        _values(organization_id, wanted)
        | {
            "due_by": after[0] if after else _BEGINNING,
            "birth": after[1] if after else 0,
        }
        | {"limit": limit + 1},
    )
    lines = [Work(*row) for row in rows[:limit]]
    last = (lines[-1].due_by.isoformat(), lines[-1].birth) if len(rows) > limit else None
    return lines, last


@dataclass(frozen=True)
class MatrixPerson:
    """A row of the matrix: a person who is with the company today."""

    learner_profile_id: uuid.UUID
    person_name: str
    sort: str
    access_state: str
    team_ids: list[uuid.UUID]


_PEOPLE = """
FROM console_standing p
LEFT JOIN people_profile n ON n.organization_id = (SELECT %(company)s::uuid)
      AND n.learner_profile_id = p.learner_profile_id
WHERE p.organization_id = (SELECT %(company)s::uuid) AND p.register = 2
  AND (%(team)s::uuid IS NULL OR %(team)s = ANY(p.team_ids))"""


def people_count(organization_id: uuid.UUID, team: uuid.UUID | None) -> int:
    """How many rows the matrix has."""
    ((number,),) = sql.fetch(
        "SELECT count(*) FROM console_standing p WHERE p.organization_id = (SELECT %(company)s::uuid)"
        " AND p.register = 2 AND (%(team)s::uuid IS NULL OR %(team)s = ANY(p.team_ids))",
        {"company": organization_id, "team": team},
    )
    return int(number)


def people(
    organization_id: uuid.UUID, team: uuid.UUID | None, after: tuple[str, str] | None, limit: int
) -> tuple[list[MatrixPerson], tuple[str, str] | None]:
    """A page of people by name, and behind whom the next begins."""
    rows = sql.fetch(
        f"""
        SELECT * FROM (
            SELECT p.learner_profile_id, coalesce(n.person_name, ''), lower(coalesce(n.person_name, '')) AS sort,
                   p.state, p.team_ids {_PEOPLE}) q
        WHERE %(sort)s::text IS NULL OR (q.sort, q.learner_profile_id) > (%(sort)s::text, %(id)s::text::uuid)
        ORDER BY q.sort, q.learner_profile_id LIMIT %(limit)s""",  # noqa: S608
        {
            "company": organization_id,
            "team": team,
            "sort": after[0] if after else None,
            "id": after[1] if after else None,
            "limit": limit + 1,
        },
    )
    found = [MatrixPerson(*row) for row in rows[:limit]]
    last = (found[-1].sort, str(found[-1].learner_profile_id)) if len(rows) > limit else None
    return found, last


@dataclass(frozen=True)
class Cell:
    """Where a person stands with a course: the outcome that asks for most, and how many records there are."""

    outcome: str
    record_id: uuid.UUID
    due_by: datetime
    records: int = 1


_ORDER = {
    outcome: at
    for at, outcome in enumerate(
        (
            Outcome.OVERDUE, Outcome.NOT_DUE_YET, Outcome.WAIVED, Outcome.OPTIONAL_NOT_DONE, Outcome.COMPLETED_LATE,
            Outcome.COMPLETED_ON_TIME, Outcome.COMPLETED_BEFORE_REQUIREMENT,
        )
    )
}  # fmt: skip


def cells(
    organization_id: uuid.UUID, learners: list[uuid.UUID], course_ids: list[str], moment: datetime
) -> dict[tuple[uuid.UUID, str], Cell]:
    """The cells of these people and courses."""
    found: dict[tuple[uuid.UUID, str], Cell] = {}
    for learner, course, outcome, due_by, record_id in sql.fetch(
        "SELECT learner_profile_id, course_id::text, outcome, due_by, record_id FROM console_standing"
        " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s) AND register = 1"
        " AND course_id = ANY(%s::text[]::uuid[]) ORDER BY birth",
        [organization_id, learners, course_ids],
    ):
        if outcome == OPEN:
            outcome = Outcome.OVERDUE.value if due_by < moment else Outcome.NOT_DUE_YET.value
        known = found.get((learner, course))
        new = Cell(outcome, record_id, due_by)
        if known is not None:
            new = min(new, known, key=lambda cell: _ORDER.get(Outcome(cell.outcome), 9))
            new = Cell(new.outcome, new.record_id, new.due_by, known.records + 1)
        found[learner, course] = new
    return found


def weeks(moment: datetime, zone: Any, number: int) -> list[date]:
    """The Mondays of the last weeks in the company's zone, as the tallies name them."""
    today = moment.astimezone(zone).date()
    monday = today - timedelta(days=today.weekday())
    return [monday - timedelta(weeks=each) for each in range(number - 1, -1, -1)]
