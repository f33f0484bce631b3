"""People: employees and invitations; an accepted invitation and its employee are two records."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, Field

from compliance.catalogue.declaration import Column, Register, Window
from compliance.catalogue.fields import AT_READ, CLOCK, Personal, PersonalAddress, Versioned
from compliance.rules.vocabulary import AccessState, Door, EntryType, InvitationState, InvitationStatus, Scope


class Person(Versioned):
    """An employee or an invitation; an accepted invitation and its employee are distinct rows."""

    person_id: UUID
    """Stable employee or invitation row id."""
    learner_profile_id: UUID | None
    """Retained after erasure."""
    invitation_id: UUID | None
    """Set for invitation rows."""
    entry_type: EntryType
    """Which of the two it is."""
    person_name: Personal
    """Current name; a fixed label once the person is erased."""
    work_email: PersonalAddress
    """Null when erased."""
    invited_at: AwareDatetime | None
    """When the invitation was sent."""
    joined_at: AwareDatetime | None
    """When the person joined; not an employment start date."""
    left_at: AwareDatetime | None
    """When access ended."""
    invitation_expires_at: AwareDatetime | None
    """When the invitation expires."""
    invitation_state: InvitationState | None
    """Stored invitation state."""
    invitation_status: InvitationStatus | None = Field(json_schema_extra=CLOCK)
    """Invitation state at the requested moment, including expiry. Depends on the clock."""
    access_state: AccessState
    """Whether the person may come in; `erased` means removed at the company's instruction."""
    team_ids: list[UUID]
    """The person's teams."""
    doors: list[Door]
    """Audience doors; includes `employee`."""
    records_owed: Annotated[int, AT_READ] = Field(ge=0)
    """Open required employee records at the requested moment."""
    records_completed: Annotated[int, AT_READ] = Field(ge=0)
    """Completed employee records at the requested moment."""
    no_required_records: Annotated[bool, AT_READ]
    """True when no required records are open."""


PEOPLE = Register(
    number=2,
    name="people",
    scope=Scope.PEOPLE_READ,
    row=Person,
    identity="person_id",
    columns={
        "state": "access_state",
        "begins_at": "joined_at",
        "due_at": "invitation_expires_at",
        "ends_at": "left_at",
    },
    subjects=("person", "invitation"),
    noun="people",
    title="People",
    explains="Employees and invitations of a period, as they were at its end.",
    listed=(
        Column("person_name", "Person", "person"),
        Column("work_email", "Work email"),
        Column("access_state", "State", "badge"),
        Column("joined_at", "Joined", "day"),
        Column("left_at", "Left", "day"),
        Column("invitation_status", "Invitation", "badge"),
        Column("records_owed", "To do", "number"),
        Column("records_completed", "Done", "number"),
        Column("person_id", "History", "record"),
    ),
    operation="listPeople",
    summary="People of a period",
    description="Employees and invitations that existed between `from` and `to`, as at `to`.",
    tag="people",
    window=Window.PERIOD,
    tally="access",
    of_person="employments",
)
REGISTERS = (PEOPLE,)
