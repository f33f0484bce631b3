"""All people of a company at a moment, by a constant number of statements, for comparisons of whole lists.

Needs the company's context.
"""

import uuid
from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

from compliance.facts.people.lookups import last_moves
from compliance.tenancy import sql


class RosterPerson(NamedTuple):
    """A person who is not erased; `person_id` of their current stay, if any."""

    learner_profile_id: uuid.UUID
    person_name: str | None
    account_email: str | None
    work_email: str | None
    person_id: uuid.UUID | None
    staff_practice: bool


class InvitationToAddress(NamedTuple):
    """An invitation that can be accepted."""

    invitation_id: uuid.UUID
    work_email: str


def people(organization_id: uuid.UUID, at: datetime) -> list[RosterPerson]:
    """All people of the company, by whatever door, except erased ones."""
    # Two statements: joined by PostgreSQL without statistics, each person was compared with each stay.
    stays = {
        profile_id: (person_id, staff_practice)
        for profile_id, person_id, staff_practice in sql.fetch(
            "SELECT DISTINCT ON (learner_profile_id) learner_profile_id, person_id, staff_practice"
            " FROM people_employment WHERE organization_id = (SELECT %(organization)s::uuid)"
            " AND joined_at <= %(at)s AND (left_at IS NULL OR left_at > %(at)s)"
            " ORDER BY learner_profile_id, joined_at DESC",
            {"organization": organization_id, "at": at},
        )
    }
    rows = sql.fetch(
        "SELECT learner_profile_id, person_name, account_email, work_email FROM people_profile"
        " WHERE organization_id = (SELECT %s::uuid) AND erased_at IS NULL ORDER BY id",
        [organization_id],
    )
    found = []
    for profile_id, person_name, account_email, work_email in rows:
        person_id, staff_practice = stays.get(profile_id, (None, False))
        found.append(RosterPerson(profile_id, person_name, account_email, work_email, person_id, staff_practice))
    return found


def memberships(organization_id: uuid.UUID, at: datetime) -> dict[uuid.UUID, frozenset[uuid.UUID]]:
    """The teams that each person is in; people without teams are missing."""
    found: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    moves = last_moves("learner_profile_id, team_id", "organization_id = (SELECT %s::uuid) AND at <= %s")
    for learner_profile_id, team_id in sql.fetch(
        f"SELECT learner_profile_id, team_id FROM ({moves}) m WHERE joined",  # noqa: S608 - an expression of our own
        [organization_id, at],
    ):
        found[learner_profile_id].add(team_id)
    return {learner_profile_id: frozenset(teams) for learner_profile_id, teams in found.items()}


def open_invitations(organization_id: uuid.UUID, at: datetime) -> list[InvitationToAddress]:
    """The invitations that are not accepted, not revoked and not expired at `at`; the newest last."""
    rows = sql.fetch(
        "SELECT i.invitation_id, i.work_email FROM people_invitation i"
        " LEFT JOIN people_employment e ON e.organization_id = i.organization_id AND e.invitation_id = i.invitation_id"
        " WHERE i.organization_id = (SELECT %(organization)s::uuid) AND e.id IS NULL AND i.work_email IS NOT NULL"
        " AND i.invited_at <= %(at)s AND i.revoked_at IS NULL AND i.erased_at IS NULL"
        " AND (i.expires_at IS NULL OR i.expires_at > %(at)s) ORDER BY i.invited_at, i.id",
        {"organization": organization_id, "at": at},
    )
    return [InvitationToAddress(*row) for row in rows]


def roles(organization_id: uuid.UUID, at: datetime) -> dict[uuid.UUID, frozenset[str]]:
    """The roles of everybody who has any."""
    rows = sql.fetch(
        "SELECT DISTINCT ON (learner_profile_id) learner_profile_id, role_ids FROM people_personroles"
        " WHERE organization_id = (SELECT %s::uuid) AND at <= %s ORDER BY learner_profile_id, at DESC, fact_id DESC",
        [organization_id, at],
    )
    return {learner_profile_id: frozenset(role_ids or ()) for learner_profile_id, role_ids in rows}
