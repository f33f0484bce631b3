"""What the people rule answers: timelines of contents by valid time, as the history stores them.

A content holds exactly what is stored of a row: nothing personal, no counts (they are taken at read from the training
records in force), nothing that the clock decides (an invitation's expiry); those come from `status` at read.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.timeline import Timeline
from compliance.rules.vocabulary import AccessState, Door, EntryType, InvitationState


class PersonContent(NamedTuple):
    """One version of a row of the people register; fields are the contract's.

    `access_state` of a pending invitation is `invited`; `status.access_state_at` turns it into `ended` once it
    expired. `ended_at` is a column for the register's reads, not part of the row: when the row stopped to exist by
    facts (left, revoked, erased; of an accepted invitation, when the employee did). `team_ids` and `doors` are sorted.
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
