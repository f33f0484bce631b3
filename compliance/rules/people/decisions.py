"""The output of the people rule: timelines of contents by valid time, as the history stores them.

A content holds exactly what is stored of a row: no personal data, no counts (they are computed from the training
records in force when a row is read), and nothing that depends on the clock (an invitation's expiry), which `status`
adds then.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.timeline import Timeline
from compliance.rules.vocabulary import AccessState, Door, EntryType, InvitationState


class PersonContent(NamedTuple):
    """One version of a row of the people register; fields are the contract's.

    `access_state` of a pending invitation is `invited`; `status.access_state_at` turns it into `ended` once it has
    expired. `ended_at` is a column for the register's reads, not part of the row: when the row ended by facts (left,
    revoked, erased; for an accepted invitation, when the employee's row ended). `team_ids` and `doors` are sorted.
    """

    person_id: UUID
    learner_profile_id: UUID | None
    invitation_id: UUID | None
    entry_type: EntryType
    invited_at: datetime | None
    joined_at: datetime | None
    left_at: datetime | None
    invitation_expires_at: datetime | None
    invitation_state: InvitationState | None
    access_state: AccessState
    team_ids: tuple[UUID, ...]
    doors: tuple[Door, ...]
    ended_at: datetime | None


PersonTimeline = Timeline[PersonContent]
