"""Reads about shares: open ones, and the people they cover."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from compliance.facts.courses import queries as courses
from compliance.facts.people import queries as people
from compliance.facts.policies import queries as policies
from compliance.tenancy import sql

FIRST = 20
"""The largest number of people whom a share covers that are named."""


class OpenShare(NamedTuple):
    """An open share, and what it shares (`kind`: training, policy)."""

    share_id: uuid.UUID
    title: str
    kind: str
    opened_at: datetime


class Reached(NamedTuple):
    """An open share, the number of people whom it covers, and the first of them.

    `audience`: everyone, teams, people. `doors`: of the share, and `policy_doors` of the policy if it is one.
    `published`: there is a version that they owe."""

    title: str
    kind: str
    audience: str
    doors: list[str]
    policy_doors: list[str] | None
    people: int
    first: list[uuid.UUID]
    published: bool


class Asked(NamedTuple):
    """Why a share asks something of a person.

    `audience`: everyone, teams, people. `teams`: the names of those of its teams that the person is in. `days`: within
    how many days of being added it is due, if that is how its deadline is set."""

    lesson_release_id: uuid.UUID | None
    audience: str
    teams: list[str]
    days: int | None


NEWEST = """ORDER BY t.at DESC, t.id = (SELECT min(o.id) FROM shares_sharestep o
    WHERE o.organization_id = t.organization_id AND o.share_id = t.share_id), t.fact_id DESC LIMIT 1"""
"""SQL of the newest of some steps `t` of a share, in the order of `loading`, in whatever order they were recorded."""

HAPPENED = """
SELECT s.at, CASE WHEN s.at = h.opened_at THEN 'shared' ELSE 'share_changed' END,
    jsonb_build_object('audience', s.audience, 'requirement', s.requirement, 'basis', s.deadline_basis, 'days', s.days)
  FROM shares_sharestep s JOIN shares_share h ON h.organization_id = s.organization_id AND h.share_id = s.share_id
  WHERE s.organization_id = %(organization)s AND h.course_id = %(course)s
UNION ALL SELECT ended_at, 'unshared', jsonb_build_object() FROM shares_share
  WHERE organization_id = %(organization)s AND course_id = %(course)s AND ended_at IS NOT NULL
"""
"""SQL of what happened to shares of %(course)s (see `facts.happenings`)."""

ABOUT = "SELECT share_id FROM shares_share WHERE organization_id = %(organization)s AND course_id = %(course)s"
"""SQL of the identifiers under which the ledger keeps facts of this room about %(course)s."""

LESSONS = """SELECT l.share_id, l.lesson_release_id FROM shares_share l
WHERE l.organization_id = (SELECT %(organization)s::uuid) AND l.share_id = ANY(%(shares)s)"""
"""SQL of the lesson that each of %(shares)s shares alone; null if it shares a whole course."""

_LESSONS_SHARED = """
SELECT course_id, lesson_release_id, min(opened_at) FROM shares_share
WHERE organization_id = (SELECT %(organization)s::uuid) AND course_id = ANY(%(courses)s::uuid[])
    AND lesson_release_id IS NOT NULL AND opened_at <= %(until)s
GROUP BY course_id, lesson_release_id ORDER BY 3, 2
"""

_REACHED = f"""
WITH share AS (
  SELECT s.course_id, s.lesson_release_id, c.title, c.kind,
    (SELECT doors FROM shares_sharestep t WHERE t.organization_id = %(organization)s AND t.share_id = %(share)s
      AND t.doors IS NOT NULL {NEWEST}) AS doors,
    {policies.doors("s.course_id")} AS policy_doors
  FROM shares_share s {courses.joined("s")}
  WHERE s.organization_id = %(organization)s AND s.share_id = %(share)s),
audience AS (
  SELECT audience, team_ids, learner_profile_ids FROM shares_sharestep t WHERE t.organization_id = %(organization)s
    AND t.share_id = %(share)s AND t.audience IS NOT NULL {NEWEST}),
reached AS (
  SELECT DISTINCT p.learner_profile_id FROM ({people.HERE}) p CROSS JOIN share s CROSS JOIN audience a
  WHERE p.door = ANY(s.doors) AND (s.kind <> 'policy' OR p.door = ANY(s.policy_doors))
    AND (a.audience = 'everyone' OR p.learner_profile_id = ANY(a.learner_profile_ids)
      OR p.learner_profile_id IN ({people.members("SELECT team_ids FROM audience")})))
SELECT s.title, s.kind, a.audience, s.doors, s.policy_doors, (SELECT count(*) FROM reached),
  ARRAY(SELECT learner_profile_id FROM reached ORDER BY learner_profile_id LIMIT {FIRST}),
  s.lesson_release_id IS NOT NULL OR s.policy_doors IS NOT NULL OR {courses.published("s.course_id")}
FROM share s CROSS JOIN audience a
"""  # noqa: S608 - expressions of our own

_STEP = f"""SELECT {{columns}} FROM shares_sharestep t WHERE t.organization_id = %(organization)s
    AND t.share_id = s.share_id AND t.at <= %(at)s AND t.{{said}} IS NOT NULL {NEWEST}"""  # noqa: S608 - our own
_ASKED = f"""
SELECT s.share_id, s.lesson_release_id, a.audience,
  CASE WHEN a.audience = 'teams' THEN {people.named_teams("a.team_ids")} ELSE '{{}}' END,
  CASE WHEN d.deadline_basis = 'days_after_added' THEN d.days END
FROM shares_share s
CROSS JOIN LATERAL ({_STEP.format(columns="t.audience, t.team_ids", said="audience")}) a
CROSS JOIN LATERAL ({_STEP.format(columns="t.deadline_basis, t.days", said="deadline_basis")}) d
WHERE s.organization_id = %(organization)s AND s.share_id = ANY(%(shares)s)
"""  # noqa: S608 - expressions of our own


def open_shares(organization_id: uuid.UUID, most: int) -> list[OpenShare]:
    """The first `most` open shares, by title."""
    rows = sql.fetch(
        f"SELECT s.share_id, c.title, c.kind, s.opened_at FROM shares_share s {courses.joined('s')}"  # noqa: S608
        " WHERE s.organization_id = %s AND s.ended_at IS NULL ORDER BY lower(c.title), s.opened_at LIMIT %s",
        [organization_id, most],
    )
    return [OpenShare(*row) for row in rows]


def reached(organization_id: uuid.UUID, share_id: uuid.UUID, at: datetime) -> Reached:
    """The people whom an open share covers at `at`. One statement, however many people; in the company's context."""
    (row,) = sql.fetch(_REACHED, {"organization": organization_id, "share": share_id, "at": at})
    return Reached(*row)


def lessons_of(organization_id: uuid.UUID, share_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, uuid.UUID]:
    """The lesson that each of the shares shares alone; shares of whole courses are missing."""
    rows = sql.fetch(
        "SELECT share_id, lesson_release_id FROM shares_share WHERE organization_id = (SELECT %s::uuid)"
        " AND share_id = ANY(%s::uuid[]) AND lesson_release_id IS NOT NULL",
        [organization_id, list(share_ids)],
    )
    return dict(rows)


def lesson(share: str) -> str:
    """SQL of the lesson that the share of the column shares alone."""
    return f"""(SELECT l.lesson_release_id FROM shares_share l
     WHERE l.organization_id = (SELECT %(organization)s::uuid) AND l.share_id = {share})"""  # noqa: S608 - ours


class LessonShared(NamedTuple):
    """A lesson that was shared alone, and the opening of the first such share."""

    course_id: uuid.UUID
    lesson_release_id: uuid.UUID
    opened_at: datetime


def lessons_shared(
    organization_id: uuid.UUID, course_ids: Collection[uuid.UUID], until: datetime
) -> list[LessonShared]:
    """The lessons of these courses that were shared alone by `until`, in order of opening. One statement."""
    asked = {"organization": organization_id, "courses": list(course_ids), "until": until}
    return [LessonShared(*row) for row in sql.fetch(_LESSONS_SHARED, asked)]


def asked(
    organization_id: uuid.UUID, share_ids: Collection[uuid.UUID], learner_profile_id: uuid.UUID, at: datetime
) -> dict[uuid.UUID, Asked]:
    """Why each of the shares asks something of the person at `at`. One statement; in the company's context."""
    rows = sql.fetch(
        _ASKED, {"organization": organization_id, "shares": list(share_ids), "learner": learner_profile_id, "at": at}
    )
    return {share_id: Asked(*row) for share_id, *row in rows}
