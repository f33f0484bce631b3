"""The input of the people rule: one profile's stays, suspensions, doors and teams; or one invitation.

All instants are aware and in UTC. The order of a tuple's elements has no meaning: the rule sorts. `LearnerFacts`
(employments, team memberships, erasure) is the same type that owed learning takes.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.owed_learning.facts import LearnerFacts
from compliance.rules.vocabulary import Door


class Suspension(NamedTuple):
    """The employment `person_id` was suspended (`suspended` true) or resumed at `at`."""

    person_id: UUID
    at: datetime
    suspended: bool


class ContactStay(NamedTuple):
    """A stretch as a contact, [from_at, until), through the door of partner or customer."""

    door: Door
    from_at: datetime
    until: datetime | None = None


class PersonFacts(NamedTuple):
    """All that concerns a profile in the people register."""

    learner: LearnerFacts
    suspensions: tuple[Suspension, ...] = ()
    contacts: tuple[ContactStay, ...] = ()


class InvitationFacts(NamedTuple):
    """One invitation. `accepted_by` is the `person_id` of the employment that names it, if there is one.

    `erased_at` is when the invited person was erased; if somebody joined by the invitation, their own erasure counts.
    """

    invitation_id: UUID
    invited_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    team_ids: frozenset[UUID] = frozenset()
    accepted_by: UUID | None = None
    erased_at: datetime | None = None
