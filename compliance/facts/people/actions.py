"""Actions on people (design 3): each records one fact through the one write path. Erasure: erasing.py.

Every action takes `at`, when the fact takes effect, and raises the errors of `facts.errors` when it is refused.
"""

import uuid
from collections.abc import Collection
from datetime import datetime

from compliance.facts.lines import (
    ContactJoined,
    ContactLeft,
    EmployeeJoined,
    EmployeeLeft,
    EmployeeResumed,
    EmployeeSuspended,
    InvitationRevoked,
    PersonChanged,
    PersonInvited,
    TeamCreated,
    TeamJoined,
    TeamLeft,
    TeamRenamed,
)
from compliance.facts.recording.acting import act
from compliance.rules.vocabulary import Door


def create_team(
    *,
    organization_id: uuid.UUID,
    name: str,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    team_id: uuid.UUID | None = None,
) -> uuid.UUID:
    """Makes a team and returns its id."""
    return act(
        TeamCreated,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        team_id=team_id or uuid.uuid4(),
        name=name,
    ).team_id


def rename_team(
    *,
    organization_id: uuid.UUID,
    team_id: uuid.UUID,
    name: str,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Gives a team another name."""
    act(TeamRenamed, organization_id=organization_id, at=at, now=now, actor_id=actor_id, team_id=team_id, name=name)


def invite_person(
    *,
    organization_id: uuid.UUID,
    work_email: str,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    person_name: str | None = None,
    expires_at: datetime | None = None,
    team_ids: Collection[uuid.UUID] = (),
    invitation_id: uuid.UUID | None = None,
) -> uuid.UUID:
    """Invites someone to become an employee and returns the invitation's id."""
    return act(
        PersonInvited,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        invitation_id=invitation_id or uuid.uuid4(),
        work_email=work_email,
        person_name=person_name,
        expires_at=expires_at,
        team_ids=tuple(team_ids),
    ).invitation_id


def revoke_invitation(
    *,
    organization_id: uuid.UUID,
    invitation_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Takes an invitation back."""
    act(
        InvitationRevoked,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        invitation_id=invitation_id,
    )


def join_employee(
    *,
    organization_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    learner_profile_id: uuid.UUID | None = None,
    person_id: uuid.UUID | None = None,
    person_name: str | None = None,
    account_email: str | None = None,
    invitation_id: uuid.UUID | None = None,
    team_ids: Collection[uuid.UUID] = (),
    staff_practice: bool = False,
) -> tuple[uuid.UUID, uuid.UUID]:
    """Makes a person an employee and returns (person_id of the stay, learner_profile_id).

    Without `learner_profile_id` the person is new; who comes back keeps the profile and gets a new `person_id`.
    """
    line = act(
        EmployeeJoined,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        person_id=person_id or uuid.uuid4(),
        learner_profile_id=learner_profile_id or uuid.uuid4(),
        person_name=person_name,
        account_email=account_email,
        invitation_id=invitation_id,
        team_ids=tuple(team_ids),
        staff_practice=staff_practice,
    )
    return line.person_id, line.learner_profile_id


def suspend_employee(
    *,
    organization_id: uuid.UUID,
    person_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Keeps an employee out for the time being; what they owe goes on."""
    act(EmployeeSuspended, organization_id=organization_id, at=at, now=now, actor_id=actor_id, person_id=person_id)


def resume_employee(
    *,
    organization_id: uuid.UUID,
    person_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Lets a suspended employee in again."""
    act(EmployeeResumed, organization_id=organization_id, at=at, now=now, actor_id=actor_id, person_id=person_id)


def end_employment(
    *,
    organization_id: uuid.UUID,
    person_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Ends a stay."""
    act(EmployeeLeft, organization_id=organization_id, at=at, now=now, actor_id=actor_id, person_id=person_id)


def join_contact(
    *,
    organization_id: uuid.UUID,
    door: Door,
    company: str,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    learner_profile_id: uuid.UUID | None = None,
    person_name: str | None = None,
    account_email: str | None = None,
) -> uuid.UUID:
    """Lets a partner's or customer's person in and returns their learner_profile_id."""
    return act(
        ContactJoined,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        learner_profile_id=learner_profile_id or uuid.uuid4(),
        door=door,
        company=company,
        person_name=person_name,
        account_email=account_email,
    ).learner_profile_id


def end_contact(
    *,
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    door: Door,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Ends the access of a partner's or customer's person."""
    act(
        ContactLeft,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        learner_profile_id=learner_profile_id,
        door=door,
    )


def change_person(
    *,
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    person_name: str | None = None,
    account_email: str | None = None,
    work_email: str | None = None,
) -> None:
    """Changes a person's name or addresses; what is None stays."""
    act(
        PersonChanged,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        learner_profile_id=learner_profile_id,
        person_name=person_name,
        account_email=account_email,
        work_email=work_email,
    )


def add_to_team(
    *,
    organization_id: uuid.UUID,
    team_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Takes a person into a team."""
    act(
        TeamJoined,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        team_id=team_id,
        learner_profile_id=learner_profile_id,
    )


def remove_from_team(
    *,
    organization_id: uuid.UUID,
    team_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Takes a person out of a team."""
    act(
        TeamLeft,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        team_id=team_id,
        learner_profile_id=learner_profile_id,
    )
