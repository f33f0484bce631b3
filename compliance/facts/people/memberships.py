"""Team memberships by team or by person, for many at a time, as identity providers request them.

Memberships of people who left count, since a membership outlasts leaving; those of the erased and of contacts do not.
"""

import uuid
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from compliance.facts.people.lookups import last_moves
from compliance.tenancy import arrays, sql


class ListedTeam(NamedTuple):
    """A team with its current name, and the moment from which it has that name."""

    team_id: uuid.UUID
    name: str
    created_at: datetime
    name_at: datetime


def list_teams(
    organization_id: uuid.UUID, *, team_ids: Collection[uuid.UUID] | None = None, name: str | None = None
) -> list[ListedTeam]:
    """The teams of a company in order of creation: those with these identifiers, with this name, or all.

    Case is ignored in the name. One statement.
    """
    asked = {
        "organization": organization_id,
        "team_ids": None if team_ids is None else list(team_ids),
        "name": name,
    }
    rows = sql.fetch(
        "SELECT team_id, name, created_at, name_at FROM people_team"
        " WHERE organization_id = (SELECT %(organization)s::uuid)"
        " AND (%(team_ids)s::uuid[] IS NULL OR team_id = ANY(%(team_ids)s::uuid[]))"
        " AND (%(name)s::text IS NULL OR lower(name) = lower(%(name)s::text)) ORDER BY created_at, team_id",
        asked,
    )
    return [ListedTeam(*row) for row in rows]


def members_of(
    organization_id: uuid.UUID, team_ids: Iterable[uuid.UUID], among: Iterable[uuid.UUID] | None = None
) -> dict[uuid.UUID, set[uuid.UUID]]:
    """Who is in each of those teams by what was recorded last; only those in `among`, if it is given. One statement."""
    asked = {"organization": organization_id, "team_ids": arrays.uuids(list(team_ids))}
    condition = "organization_id = (SELECT %(organization)s::uuid) AND team_id = ANY(%(team_ids)s::uuid[])"
    if among is not None:
        condition += " AND learner_profile_id = ANY(%(among)s::uuid[])"
        asked["among"] = arrays.uuids(list(among))
    found: dict[uuid.UUID, set[uuid.UUID]] = {}
    moves = last_moves("team_id, learner_profile_id", condition)
    for team_id, profile_id in sql.fetch(_LATEST.format(moves=moves), asked):
        found.setdefault(team_id, set()).add(profile_id)
    return found


def ahead(
    organization_id: uuid.UUID, team_id: uuid.UUID, profile_ids: Collection[uuid.UUID], now: datetime
) -> dict[uuid.UUID, datetime]:
    """The last recorded moment after `now` at which each of those people joins or leaves the team."""
    rows = sql.fetch(
        "SELECT learner_profile_id, max(at) FROM people_teammembership WHERE organization_id = (SELECT %s::uuid)"
        " AND team_id = %s AND learner_profile_id = ANY(%s::uuid[]) AND at > %s GROUP BY learner_profile_id",
        [organization_id, team_id, arrays.uuids(list(profile_ids)), now],
    )
    return dict(rows)


_LATEST = """
SELECT m.team_id, m.learner_profile_id FROM ({moves}) m
JOIN people_profile p ON p.organization_id = (SELECT %(organization)s::uuid)
  AND p.learner_profile_id = m.learner_profile_id AND p.erased_at IS NULL
WHERE m.joined AND EXISTS (SELECT 1 FROM people_employment e WHERE e.organization_id = (SELECT %(organization)s::uuid)
  AND e.learner_profile_id = m.learner_profile_id AND NOT e.staff_practice)
"""
