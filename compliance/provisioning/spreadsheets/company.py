"""Loads what planning needs of the company, in a constant number of statements, and stores what imports leave behind.

Needs the company's context.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime

from compliance.facts.courses import queries as courses
from compliance.facts.people import queries, resolving, roster
from compliance.provisioning.models import EmployeeNumber, FileTeam
from compliance.provisioning.spreadsheets.known import Known, KnownPerson, OpenInvitation
from compliance.provisioning.spreadsheets.text import name_key
from compliance.tenancy import sql


def known(organization_id: uuid.UUID, at: datetime, *, with_roles: bool) -> Known:
    """The company at `at`; with roles only where the file has some."""
    numbers = dict(
        EmployeeNumber.objects.filter(organization_id=organization_id, employee_number__isnull=False).values_list(
            "learner_profile_id", "employee_number"
        )
    )
    people = {
        person.learner_profile_id: KnownPerson(*person, numbers.get(person.learner_profile_id))
        for person in roster.people(organization_id, at)
    }
    return Known(
        people=people,
        teams=queries.team_names(organization_id),
        memberships=roster.memberships(organization_id, at),
        roles=roster.roles(organization_id, at) if with_roles else {},
        invitations=[OpenInvitation(*each) for each in roster.open_invitations(organization_id, at)],
        file_teams=frozenset(
            FileTeam.objects.filter(organization_id=organization_id).values_list("team_id", flat=True)
        ),
    )


def role_names(organization_id: uuid.UUID) -> dict[str, str]:
    """The roles that courses name, by the `name_key` of the course's title and of the role itself."""
    found = courses.roles(organization_id)
    return {name_key(role.title): role.role_id for role in found} | {role.role_id: role.role_id for role in found}


def keep_numbers(organization_id: uuid.UUID, numbers: Sequence[tuple[uuid.UUID, str]]) -> None:
    """Stores each person's last employee number, except of erased people. Locks the profiles against an erasure."""
    living = resolving.profiles(organization_id, [profile_id for profile_id, _ in numbers], resolving.WRITING)
    sql.insert(
        "provisioning_employeenumber",
        {"organization_id": "uuid", "learner_profile_id": "uuid", "employee_number": "text"},
        [(organization_id, profile_id, number) for profile_id, number in numbers if living.get(profile_id) is False],
        ending="ON CONFLICT (organization_id, learner_profile_id) DO UPDATE"
        " SET employee_number = excluded.employee_number",
    )


def keep_teams(organization_id: uuid.UUID, team_ids: Sequence[uuid.UUID]) -> None:
    """Records that spreadsheets name these teams."""
    sql.insert(
        "provisioning_fileteam",
        {"organization_id": "uuid", "team_id": "uuid"},
        [(organization_id, team_id) for team_id in team_ids],
        ending="ON CONFLICT (organization_id, team_id) DO NOTHING",
    )
