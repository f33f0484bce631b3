"""Reads for the pages of teams: a page of teams by name, a team, its members, its changes.

These pages leave out people who left the company or practise as staff, although memberships outlast leaving. All of it
needs the company's context.
"""

import uuid
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from compliance.facts.people import searching
from compliance.facts.people.lookups import balance, last_moves
from compliance.facts.people.memberships import ListedTeam, list_teams
from compliance.rules.vocabulary import ERASED_PERSON
from compliance.tenancy import arrays, sql


class Member(NamedTuple):
    """An employee who is in a team; `sort` is the sort key of the list."""

    learner_profile_id: uuid.UUID
    person_id: uuid.UUID
    person_name: str
    email: str
    suspended: bool
    since: datetime
    sort: str


class Moved(NamedTuple):
    """A person joined or left a team."""

    at: datetime
    joined: bool
    learner_profile_id: uuid.UUID
    person_name: str


def team(organization_id: uuid.UUID, team_id: uuid.UUID) -> ListedTeam | None:
    """The team; None if the company has none with this identifier."""
    return next(iter(list_teams(organization_id, team_ids=[team_id])), None)


def named(organization_id: uuid.UUID, name: str) -> ListedTeam | None:
    """The team with this name, ignoring case and accents; None if there is none."""
    rows = sql.fetch(
        "SELECT team_id, name, created_at, name_at FROM people_team"  # noqa: S608 - an expression of our own
        f" WHERE organization_id = (SELECT %s::uuid) AND {searching.folded('name')} = {searching.folded('%s::text')}"
        " ORDER BY created_at, team_id LIMIT 1",
        [organization_id, name],
    )
    return ListedTeam(*rows[0]) if rows else None


def names_of(organization_id: uuid.UUID, team_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The names of those of the teams that the company has, in order of name."""
    found = list_teams(organization_id, team_ids=team_ids)
    return {each.team_id: each.name for each in sorted(found, key=lambda each: each.name.lower())}


def teams_page(
    organization_id: uuid.UUID, words: Sequence[str], after: tuple[str, uuid.UUID] | None, most: int
) -> tuple[list[ListedTeam], tuple[str, str] | None]:
    """The first `most` teams after `after`, by name, whose names contain every word, and the key of the next page."""
    rows = sql.fetch(
        f"""
        WITH wanted AS MATERIALIZED ({searching.PATTERNS})
        SELECT team_id, name, created_at, name_at, lower(name) FROM people_team
        WHERE organization_id = (SELECT %(organization)s::uuid)
          AND (%(words)s::text[] = '{{}}' OR {searching.folded("name")} LIKE ALL ((SELECT * FROM wanted)::text[]))
          AND (%(sort)s::text IS NULL OR (lower(name), team_id) > (%(sort)s::text, %(id)s::uuid))
        ORDER BY lower(name), team_id LIMIT %(most)s""",  # noqa: S608 - expressions of our own
        {
            "organization": organization_id,
            "words": list(words),
            "sort": after[0] if after else None,
            "id": after[1] if after else None,
            "most": most + 1,
        },
    )
    found = [ListedTeam(*row[:4]) for row in rows[:most]]
    return found, (str(rows[most - 1][4]), str(found[-1].team_id)) if len(rows) > most else None


_MOVES = last_moves(
    "learner_profile_id", "organization_id = (SELECT %(organization)s::uuid) AND team_id = %(team)s AND at <= %(at)s"
)
_MEMBERS = f"""
SELECT m.learner_profile_id, e.person_id, m.at FROM ({_MOVES}) m
JOIN LATERAL (SELECT person_id FROM people_employment e WHERE e.organization_id = (SELECT %(organization)s::uuid)
  AND e.learner_profile_id = m.learner_profile_id AND e.joined_at <= %(at)s
  AND (e.left_at IS NULL OR e.left_at > %(at)s) AND NOT e.staff_practice LIMIT 1) e ON true
WHERE m.joined"""  # noqa: S608 - an expression of our own
"""SQL of the employees in the team at the moment, with their stay, and since when they are in the team."""


def members_page(
    organization_id: uuid.UUID, team_id: uuid.UUID, at: datetime, after: tuple[str, uuid.UUID] | None, most: int
) -> tuple[list[Member], tuple[str, str] | None]:
    """The first `most` people after `after` who are in the team at `at`, by name, and the key of the next page."""
    rows = sql.fetch(
        f"""
        SELECT q.learner_profile_id, q.person_id, q.name, q.email, coalesce((
            SELECT {balance("s.suspended")} > 0 FROM people_suspension s
            WHERE s.organization_id = (SELECT %(organization)s::uuid) AND s.person_id = q.person_id AND s.at <= %(at)s
            ), false), q.since, q.sort
        FROM (SELECT m.learner_profile_id, m.person_id, m.at AS since,
            CASE WHEN p.erased_at IS NOT NULL THEN '{ERASED_PERSON}' ELSE coalesce(p.person_name, '') END AS name,
            coalesce(p.work_email, p.account_email, '') AS email, p.search_text AS sort
          FROM ({_MEMBERS}) m JOIN people_profile p ON p.organization_id = (SELECT %(organization)s::uuid)
            AND p.learner_profile_id = m.learner_profile_id) q
        WHERE %(sort)s::text IS NULL OR (q.sort, q.learner_profile_id) > (%(sort)s::text, %(id)s::uuid)
        ORDER BY q.sort, q.learner_profile_id LIMIT %(most)s""",  # noqa: S608 - expressions of our own
        {
            "organization": organization_id,
            "team": team_id,
            "at": at,
            "sort": after[0] if after else None,
            "id": after[1] if after else None,
            "most": most + 1,
        },
    )
    found = [Member(*row) for row in rows[:most]]
    last = (found[-1].sort, str(found[-1].learner_profile_id)) if len(rows) > most else None
    return found, last


def members(organization_id: uuid.UUID, team_id: uuid.UUID, at: datetime, most: int) -> list[uuid.UUID]:
    """At most `most` of the employees in the team at `at`, in no order."""
    rows = sql.fetch(
        f"SELECT m.learner_profile_id FROM ({_MEMBERS}) m LIMIT %(most)s",  # noqa: S608 - an expression of our own
        {"organization": organization_id, "team": team_id, "at": at, "most": most},
    )
    return [row[0] for row in rows]


def moved(organization_id: uuid.UUID, team_id: uuid.UUID, at: datetime, most: int) -> list[Moved]:
    """The last people who joined or left the team by `at`, newest first."""
    rows = sql.fetch(
        f"""
        SELECT m.at, m.joined, m.learner_profile_id,
          CASE WHEN p.erased_at IS NOT NULL THEN '{ERASED_PERSON}' ELSE coalesce(p.person_name, '') END
        FROM (SELECT * FROM people_teammembership WHERE organization_id = (SELECT %(organization)s::uuid)
          AND team_id = %(team)s AND at <= %(at)s ORDER BY at DESC, id DESC LIMIT %(most)s) m
        JOIN people_profile p ON p.organization_id = (SELECT %(organization)s::uuid)
          AND p.learner_profile_id = m.learner_profile_id
        ORDER BY m.at DESC, m.id DESC""",  # noqa: S608 - an expression of our own
        {"organization": organization_id, "team": team_id, "at": at, "most": most},
    )
    return [Moved(*row) for row in rows]


def in_teams(
    organization_id: uuid.UUID, learners: Collection[uuid.UUID], at: datetime
) -> dict[uuid.UUID, set[uuid.UUID]]:
    """The teams that each of the people is in at `at`; people without teams are missing. One statement."""
    found: dict[uuid.UUID, set[uuid.UUID]] = {}
    condition = "organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[]) AND at <= %s"
    moves = last_moves("learner_profile_id, team_id", condition)
    for learner, team_id in sql.fetch(
        f"SELECT learner_profile_id, team_id FROM ({moves}) m WHERE joined",  # noqa: S608 - an expression of our own
        [organization_id, arrays.uuids(list(learners)), at],
    ):
        found.setdefault(learner, set()).add(team_id)
    return found
