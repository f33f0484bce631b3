"""Accepting an invitation, by which the invited person joins the company."""

import uuid
from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from compliance.facts.lines.kinds import EmployeeJoined
from compliance.facts.people.employees import ADDRESSED
from compliance.facts.people.queries import HERE
from compliance.facts.recording.acting import act
from compliance.tenancy import sql


class InvitationState(StrEnum):
    """Whether an invitation can be accepted, and if not, why."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REVOKED = "revoked"
    EXPIRED = "expired"
    HERE_ALREADY = "here already"


class SentInvitation(NamedTuple):
    """An invitation as it is presented to a visitor who follows its link."""

    state: InvitationState
    person_name: str | None
    expires_at: datetime | None


_SENT = """
SELECT i.person_name, i.expires_at, i.revoked_at, i.erased_at,
    EXISTS (SELECT 1 FROM people_employment e
      WHERE e.organization_id = %(organization)s AND e.invitation_id = %(invitation)s),
    i.work_email
FROM people_invitation i WHERE i.organization_id = %(organization)s AND i.invitation_id = %(invitation)s
"""
_SOMEBODY_HERE = f"""
SELECT EXISTS (SELECT 1 FROM people_profile p JOIN ({HERE}) h ON h.learner_profile_id = p.learner_profile_id
WHERE p.organization_id = %(organization)s
  AND (lower(p.account_email) = lower(%(address)s) OR lower(p.work_email) = lower(%(address)s)))
"""  # noqa: S608 - constants of our own


def sent_invitation(
    organization_id: uuid.UUID, invitation_id: uuid.UUID, at: datetime, *, lock: bool = False
) -> SentInvitation | None:
    """The invitation; None if the company has none with this identifier or erased it. Needs the company's context.

    With `lock` nobody else can accept or revoke it until the transaction ends.
    """
    values = {"organization": organization_id, "invitation": invitation_id, "at": at}
    if lock:  # first and as a separate statement, so that the next one reads what an earlier transaction has changed
        sql.fetch(
            "SELECT 1 FROM people_invitation WHERE organization_id = %(organization)s"
            " AND invitation_id = %(invitation)s FOR UPDATE",
            values,
        )
    rows = sql.fetch(_SENT, values)
    if not rows or rows[0][3] is not None:
        return None
    person_name, expires_at, revoked_at, _, accepted, address = rows[0]
    if accepted:
        state = InvitationState.ACCEPTED
    elif revoked_at is not None and revoked_at <= at:
        state = InvitationState.REVOKED
    elif expires_at is not None and expires_at <= at:
        state = InvitationState.EXPIRED
    elif address and sql.fetch(_SOMEBODY_HERE, values | {"address": address})[0][0]:
        state = InvitationState.HERE_ALREADY
    else:
        state = InvitationState.OPEN
    return SentInvitation(state, person_name, expires_at)


TELLS = (EmployeeJoined,)
"""The kinds of fact that `take_in` records."""


def take_in(
    *,
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    at: datetime,
    now: datetime,
    actor_id: uuid.UUID,
    person_name: str | None = None,
    account_email: str | None = None,
    team_ids: Collection[uuid.UUID] = (),
) -> None:
    """Records that a person is an employee from `at` on, as stated by staff: a new person or a former one.

    Raises the errors of `facts.errors` if the fact is refused.
    """
    act(
        EmployeeJoined,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        person_id=uuid.uuid4(),
        learner_profile_id=learner_profile_id,
        person_name=person_name,
        account_email=account_email,
        team_ids=tuple(team_ids) or None,
    )


def known_by_address(organization_id: uuid.UUID, address: str) -> uuid.UUID | None:
    """The first person with this account's or work address, ignoring case. In the company's context."""
    found = sql.fetch(
        f"SELECT * FROM ({ADDRESSED.format(address='%(address)s')}) a ORDER BY 1 LIMIT 1",  # noqa: S608 - expressions of our own
        {"organization": organization_id, "address": address},
    )
    return found[0][0] if found else None


def accept_invitation(
    *, organization_id: uuid.UUID, invitation_id: uuid.UUID, person_name: str, at: datetime
) -> uuid.UUID:
    """Records that the invited person joins, under this name. Returns their learner_profile_id.

    The address and the teams are the invitation's, by the rule of `employee_joined`. Raises InvalidFactError for an
    invalid name, and the errors of `facts.errors` if the fact is refused.
    """
    learner_profile_id = uuid.uuid4()
    act(
        EmployeeJoined,
        organization_id=organization_id,
        at=at,
        person_id=uuid.uuid4(),
        learner_profile_id=learner_profile_id,
        person_name=person_name,
        invitation_id=invitation_id,
    )
    return learner_profile_id
