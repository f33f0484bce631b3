"""Reads for dashboards, the work list and the matrix: a constant number of statements each, whatever the size."""

import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from compliance.catalogue import owed
from compliance.facts.courses import queries as courses_queries
from compliance.facts.people import queries as people_queries
from compliance.history import outcomes
from compliance.history.queries import HEAD_SEQUENCE
from compliance.interfaces.console.understand.refreshing import END_OF_TIME, OPEN, OPTIONAL_DONE
from compliance.registers.listings import LISTINGS
from compliance.registers.ordered import Identified
from compliance.rules.vocabulary import Outcome
from compliance.tenancy import sql


@dataclass(frozen=True)
class State:
    """How current the summary is: as at which moment, up to which sequence, and the sequence of the history's head."""

    as_at: datetime | None
    sequence: int
    head: int

    @property
    def behind(self) -> bool:
        """Whether the history has grown since."""
        return self.sequence != self.head


def state(organization_id: uuid.UUID) -> State:
    """How current the company's summary is."""
    ((as_at, sequence, head),) = sql.fetch(
        f"SELECT m.as_at, coalesce(m.sequence, 0), coalesce({HEAD_SEQUENCE}, 0) FROM (VALUES (1)) one"  # noqa: S608
        " LEFT JOIN console_standingmark m ON m.organization_id = %(organization)s",
        {"organization": organization_id},
    )
    return State(as_at, sequence, head)


Tallies = dict[str, dict[str, int]]


def tallies(organization_id: uuid.UUID, course: uuid.UUID | None) -> Tallies:
    """Numbers by kind and bucket, of one course or of all."""
    found: Tallies = defaultdict(dict)
    for kind, bucket, number in sql.fetch(
        "SELECT kind, bucket, sum(number)::bigint FROM console_tally WHERE organization_id = %(organization)s"
        " AND (%(course)s::uuid IS NULL OR course_id = %(course)s) GROUP BY kind, bucket",
        {"organization": organization_id, "course": course},
    ):
        found[kind][bucket] = int(number)
    return found


COUNTED: dict[tuple[str, str], tuple[str, ...]] = {
    (page, word): tally
    for page, listing in LISTINGS.items()
    for word, tally in [
        ("", (listing.register.tally,)),
        *((word, each.tally) for word, each in listing.filters.items()),
    ]
    if any(tally)
}
"""The tally that counts a register's rows, by page and filter word: its kind, then its buckets."""


def counted(
    organization_id: uuid.UUID, register: str, word: str, course: uuid.UUID | None
) -> tuple[int, datetime] | None:
    """How many rows a register has under a filter, and as at which moment; None where no tally counts them."""
    tally = COUNTED.get((register, word))
    as_at = state(organization_id).as_at if tally else None
    return None if tally is None or as_at is None else (add_up(tallies(organization_id, course), tally), as_at)


def add_up(counts: Tallies, tally: Sequence[str]) -> int:
    """The sum of a tally: its first word is a kind, the others are buckets; without buckets all of them are summed."""
    kind, *buckets = tally
    return sum(number for bucket, number in counts[kind].items() if not buckets or bucket in buckets)


def states(organization_id: uuid.UUID, course: uuid.UUID, kind: str) -> dict[str, int]:
    """The numbers of one course or policy by outcome or signature; OPTIONAL_DONE is of the completed ones."""
    found = tallies(organization_id, course)
    return found[kind] | found[OPTIONAL_DONE]


@dataclass(frozen=True)
class CourseLine:
    """A course or policy, and the number of its records in each bucket; OPTIONAL_DONE is of the completed ones."""

    course_id: str
    title: str
    kind: str
    counts: dict[str, int]


def courses(organization_id: uuid.UUID) -> list[CourseLine]:
    """Courses with training records, and policies that people owe, in order of title, with their numbers by outcome."""
    found: dict[str, CourseLine] = {}
    for course_id, title, kind, bucket, number in sql.fetch(
        "SELECT t.course_id, coalesce(c.title, ''), t.kind, t.bucket, t.number FROM console_tally t"  # noqa: S608
        f"{courses_queries.joined('t')}"
        f" WHERE t.organization_id = %(organization)s AND t.kind IN ('outcome', '{OPTIONAL_DONE}', 'signature')"
        " AND t.course_id IS NOT NULL"
        " ORDER BY lower(c.title), t.course_id",
        {"organization": organization_id},
    ):
        kind = "outcome" if kind == OPTIONAL_DONE else kind
        line = found.setdefault(str(course_id), CourseLine(str(course_id), title or str(course_id)[:8], kind, {}))
        line.counts[bucket] = line.counts.get(bucket, 0) + int(number)
    return list(found.values())


def due_within_a_week(organization_id: uuid.UUID) -> dict[str, int]:
    """How many records of each course or policy come due within seven days of the mark's moment."""
    rows = sql.fetch(
        "SELECT course_id::text, sum(number)::bigint FROM console_tally WHERE organization_id = %(organization)s"
        " AND kind = 'week' GROUP BY course_id",
        {"organization": organization_id},
    )
    return {course_id: int(number) for course_id, number in rows}


def teams(organization_id: uuid.UUID) -> dict[str, str]:
    """Names of the teams by identifier, in order of name."""
    return {str(team_id): name for team_id, name in people_queries.team_names(organization_id).items()}


@dataclass(frozen=True)
class Wanted:
    """Which records a work list holds: those of a register with `due_by` in [low, high), under the other filters."""

    register: int
    low: datetime | None
    high: datetime | None
    course: uuid.UUID | None = None
    team: uuid.UUID | None = None
    person: uuid.UUID | None = None
    record_numbers: tuple[int, ...] | None = None  # only these records


_BY_TEAM = """
  AND s.learner_profile_id IN (SELECT p.learner_profile_id FROM console_standing p
      WHERE p.organization_id = (SELECT %(organization)s::uuid) AND p.register = 2 AND %(team)s = ANY(p.team_ids))"""


def _listed(wanted: Wanted, joined: str = "") -> str:
    """Selects the records. Undone is `open` or, of certificates, `valid`: one index has both, sorted."""
    conditions = [
        " AND s.due_by >= %(low)s" if wanted.low else "",
        " AND s.due_by < %(high)s" if wanted.high else "",
        " AND s.course_id = %(course)s" if wanted.course else "",
        _BY_TEAM if wanted.team else "",
        " AND s.learner_profile_id = %(person)s" if wanted.person else "",
        " AND s.birth = ANY(%(record_numbers)s)" if wanted.record_numbers is not None else "",
    ]
    return (
        f"FROM console_standing s {joined} WHERE s.organization_id = (SELECT %(organization)s::uuid)"
        f" AND s.register = %(register)s AND s.outcome IN ('open', 'valid'){''.join(conditions)}"
    )


def _values(organization_id: uuid.UUID, wanted: Wanted) -> dict[str, Any]:
    values = {name: getattr(wanted, name) for name in ("register", "low", "high", "course", "team", "person")}
    return {"organization": organization_id, "record_numbers": list(wanted.record_numbers or ())} | values


def count(organization_id: uuid.UUID, wanted: Wanted) -> int:
    """How many records the list holds."""
    ((number,),) = sql.fetch(f"SELECT count(*) {_listed(wanted)}", _values(organization_id, wanted))
    return int(number)


def identified(organization_id: uuid.UUID, wanted: Wanted, limit: int) -> list[Identified]:
    """The identifiers of the records that the list holds, at most `limit`."""
    rows = sql.fetch(
        f"SELECT s.record_id, s.birth, s.learner_profile_id {_listed(wanted)} LIMIT %(limit)s",
        _values(organization_id, wanted) | {"limit": limit},
    )
    return [Identified(*row) for row in rows]


@dataclass(frozen=True)
class Work:
    """A line of the work list."""

    register: int
    record_number: int
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
    renewed: bool  # of a certificate: the person has another of the same course that is valid longer

    @property
    def due_at(self) -> datetime | None:
        """The deadline or the end of validity; None without one."""
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


class Sorting(NamedTuple):
    """How a work list is sorted: an expression over `s`, its type, and the joins that it needs."""

    key: str
    kind: str = "text"
    joined: str = ""


SORTINGS = {
    "due": Sorting("s.due_by", "timestamptz"),
    "person": Sorting("lower(coalesce(p.person_name, ''))", joined=people_queries.looked_up("s")),
    "course": Sorting("lower(coalesce(c.title, ''))", joined=courses_queries.looked_up("s")),
}


def work(
    organization_id: uuid.UUID,
    wanted: Wanted,
    after: tuple[str, int] | None,
    limit: int,
    *,
    sort: str = "due",
    descending: bool = False,
) -> tuple[list[Work], tuple[str, int] | None]:
    """A page of the list, longest overdue first unless sorted otherwise, and the position where the next begins."""
    sorting = SORTINGS[sort]
    way, beyond = ("DESC", "<") if descending else ("ASC", ">")
    behind = f"AND ({sorting.key}, s.birth) {beyond} (%(key)s::text::{sorting.kind}, %(birth)s)" if after else ""
    rows = sql.fetch(
        f"""
        SELECT w.register, w.birth, w.record_id, w.learner_profile_id, w.course_id::text, w.due_by, w.begins_at,
               p.person_name, coalesce(p.work_email, p.account_email), p.erased_at IS NOT NULL, coalesce(c.title, ''),
               coalesce(t.team_ids, '{{}}'), w.register = 3 AND EXISTS (
                   SELECT FROM console_standing l WHERE l.organization_id = (SELECT %(organization)s::uuid)
                     AND l.learner_profile_id = w.learner_profile_id AND l.register = 3 AND l.course_id = w.course_id
                     AND l.outcome = 'valid' AND l.due_by > w.due_by), w.key::text
        FROM (SELECT s.*, {sorting.key} AS key {_listed(wanted, sorting.joined)} {behind}
              ORDER BY {sorting.key} {way}, s.birth {way} LIMIT %(limit)s) w
        {people_queries.looked_up("w")} {courses_queries.looked_up("w")}
        LEFT JOIN LATERAL (SELECT team_ids FROM console_standing l
            WHERE l.organization_id = (SELECT %(organization)s::uuid)
            AND l.learner_profile_id = w.learner_profile_id AND l.register = 2 LIMIT 1) t ON true
        ORDER BY w.key {way}, w.birth {way}""",  # noqa: S608 - expressions of our own
        _values(organization_id, wanted)
        | {"key": after[0] if after else "", "birth": after[1] if after else 0, "limit": limit + 1},
    )
    lines = [Work(*row[:-1]) for row in rows[:limit]]
    last = (str(rows[limit - 1][-1]), lines[-1].record_number) if len(rows) > limit else None
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
WHERE s.organization_id = (SELECT %(organization)s::uuid) AND s.register = 2
  AND (%(team)s::uuid IS NULL OR %(team)s = ANY(s.team_ids))"""


def people_count(organization_id: uuid.UUID, team: uuid.UUID | None) -> int:
    """How many rows the matrix has."""
    ((number,),) = sql.fetch(
        f"SELECT count(*) FROM console_standing s {_PEOPLE}",  # noqa: S608
        {"organization": organization_id, "team": team},
    )
    return int(number)


def people(
    organization_id: uuid.UUID, team: uuid.UUID | None, after: tuple[str, str] | None, limit: int
) -> tuple[list[MatrixPerson], tuple[str, str] | None]:
    """A page of people in order of name, and the position after which the next page begins."""
    rows = sql.fetch(
        f"""
        SELECT * FROM (
            SELECT s.learner_profile_id, coalesce(p.person_name, ''), lower(coalesce(p.person_name, '')) AS sort,
                   s.state, s.team_ids FROM console_standing s {people_queries.joined("s")} {_PEOPLE}) q
        WHERE %(sort)s::text IS NULL OR (q.sort, q.learner_profile_id) > (%(sort)s::text, %(id)s::text::uuid)
        ORDER BY q.sort, q.learner_profile_id LIMIT %(limit)s""",  # noqa: S608
        {
            "organization": organization_id,
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
    """A person's most urgent outcome in a course, the record that has it, and how many records there are."""

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
    """The cells of the matrix for these people and courses."""
    found: dict[tuple[uuid.UUID, str], Cell] = {}
    for learner, course, outcome, due_by, record_id in sql.fetch(
        _CELLS,
        {
            "organization": organization_id,
            "learners": learners,
            "courses": course_ids,
            "training": owed("course").number,
            "moment": moment,
        },
    ):
        known = found.get((learner, course))
        new = Cell(outcome, record_id, due_by)
        if known is not None:
            new = min(new, known, key=lambda cell: _ORDER.get(Outcome(cell.outcome), 9))
            new = Cell(new.outcome, new.record_id, new.due_by, known.records + 1)
        found[learner, course] = new
    return found


_CELLS = f"""
SELECT learner_profile_id, course_id::text,
    CASE WHEN outcome <> '{OPEN}' THEN outcome
         WHEN {outcomes.past("due_by")} THEN '{Outcome.OVERDUE}' ELSE '{Outcome.NOT_DUE_YET}' END,
    due_by, record_id
FROM console_standing
WHERE organization_id = (SELECT %(organization)s::uuid) AND learner_profile_id = ANY(%(learners)s)
    AND register = %(training)s AND course_id = ANY(%(courses)s::text[]::uuid[])
ORDER BY birth"""  # noqa: S608


def weeks(moment: datetime, zone: Any, number: int) -> list[date]:
    """The Mondays of the last weeks in the company's time zone; the tallies have them as buckets."""
    today = moment.astimezone(zone).date()
    monday = today - timedelta(days=today.weekday())
    return [monday - timedelta(weeks=each) for each in range(number - 1, -1, -1)]
