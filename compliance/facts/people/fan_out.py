"""The fan-out of people: who is in a team, whom an audience may include, which invitations exist."""

import uuid
from collections import defaultdict
from collections.abc import Collection
from typing import Any, NamedTuple

from compliance.facts.ledger.models import SubjectKind
from compliance.tenancy import arrays, sql

EVERY_INVITATION = f"""
SELECT '{SubjectKind.INVITATION.value}', invitation_id FROM people_invitation
WHERE organization_id = (SELECT %(organization)s::uuid)
"""  # noqa: S608 - a word of our own
"""SQL of the subjects of this room, as kind and identifier, that concern no person."""

Members = dict[uuid.UUID, set[uuid.UUID]]
"""By team, the people who were ever in it."""


class Joined(NamedTuple):
    """The people who ever joined as employees, and those who ever joined through another door; some did both."""

    employees: set[uuid.UUID]
    contacts: set[uuid.UUID]


def everybody(organization_id: uuid.UUID) -> set[uuid.UUID]:
    """Every person of the company, including erased ones."""
    return {
        profile_id
        for (profile_id,) in sql.fetch(
            "SELECT learner_profile_id FROM people_profile WHERE organization_id = (SELECT %s::uuid)", [organization_id]
        )
    }


def invitations_of(organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """The invitations by which these people joined."""
    return {
        invitation_id
        for (invitation_id,) in sql.fetch(
            "SELECT invitation_id FROM people_employment WHERE organization_id = (SELECT %s::uuid)"
            " AND learner_profile_id = ANY(%s::uuid[]) AND invitation_id IS NOT NULL",
            [organization_id, arrays.uuids(list(profile_ids))],
        )
    }


def members_of(organization_id: uuid.UUID, team_ids: Collection[uuid.UUID]) -> Members:
    """Everybody who was ever in each of these teams."""
    return _members(organization_id, "team_id", team_ids)


def among_members(organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID]) -> Members:
    """Those of these people who were ever in each team."""
    return _members(organization_id, "learner_profile_id", profile_ids)


def ever_joined(organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID] | None) -> Joined:
    """Those of these people who ever joined, and how; of everybody if None. Two statements."""
    found: list[set[uuid.UUID]] = []
    for table in ("people_employment", "people_contact"):
        statement = f"SELECT DISTINCT learner_profile_id FROM {table} WHERE organization_id = (SELECT %s::uuid)"  # noqa: S608
        parameters: list[Any] = [organization_id]
        if profile_ids is not None:
            statement += " AND learner_profile_id = ANY(%s::uuid[])"
            parameters.append(arrays.uuids(list(profile_ids)))
        found.append({profile_id for (profile_id,) in sql.fetch(statement, parameters)})
    return Joined(*found)


def _members(organization_id: uuid.UUID, column: str, values: Collection[uuid.UUID]) -> Members:
    members: Members = defaultdict(set)
    statement = f"""SELECT DISTINCT learner_profile_id, team_id FROM people_teammembership
    WHERE organization_id = (SELECT %s::uuid) AND {column} = ANY(%s::uuid[])"""  # noqa: S608 - a column of our own
    for profile_id, team_id in sql.fetch(statement, [organization_id, arrays.uuids(list(values))]):
        members[team_id].add(profile_id)
    return members
