"""Training records: what each employee owes of a course, as at a moment and over a period."""

from dataclasses import replace
from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, Field

from compliance.catalogue.declaration import Column, Register, Window
from compliance.catalogue.fields import AT_READ, CLOCK, Personal, PersonalAddress, Shape, Versioned
from compliance.rules.vocabulary import Door, DueBasis, EndedReason, Outcome, Requirement, Scope, WaiverReasonCode


class TrainingRecord(Versioned):
    """What an employee owes of one course, and with what outcome."""

    record_id: UUID
    """Stable id of the owed record: person, course and published release, or renewal cycle."""
    learner_profile_id: UUID
    """Employee profile. Retained after erasure."""
    person_name: Personal
    """Current name; a fixed label once the person is erased. Left out unless the key also holds `people:read`."""
    work_email: PersonalAddress
    """Address on the current source employee invitation. Left out unless the key also holds `people:read`."""
    course_id: UUID
    """The course."""
    course_release_id: UUID | None
    """Immutable published course version."""
    renews_certificate_id: UUID | None
    """Certificate whose renewal created this record."""
    requirement: Requirement
    """Whether it must be done."""
    assigned_at: AwareDatetime
    """When the requirement began."""
    due_at: AwareDatetime | None
    """The deadline; null means none."""
    due_time_zone: str = Field(examples=["Europe/Paris"])
    """IANA time zone name."""
    due_basis: DueBasis
    """Where the deadline comes from."""
    completed_at: AwareDatetime | None
    """Server receipt time of the completion."""
    completion_receipt_id: UUID | None
    """The completion's receipt."""
    ended_at: AwareDatetime | None
    """When the record stopped applying."""
    ended_reason: EndedReason | None
    """Why it stopped applying; `source_removed` when the person was erased."""
    waived_at: AwareDatetime | None
    """When an administrator waived the obligation."""
    waiver_actor_id: UUID | None
    """The administrator."""
    waiver_reason_code: WaiverReasonCode | None
    """The reason for the waiver."""
    outcome: Outcome = Field(json_schema_extra=CLOCK)
    """Outcome at the requested moment. Depends on the clock: it can change without a sequence change."""
    days_late: int | None = Field(json_schema_extra=CLOCK, ge=1)
    """Whole days past the deadline, rounded up. Depends on the clock."""
    reminders_sent: Annotated[int, AT_READ] = Field(ge=0)
    """Completed reminder sends known at the pinned capture."""
    share_ids: list[UUID]
    """All contributing shares."""
    doors: list[Door]
    """Audience doors; includes `employee`."""
    certificate_id: UUID | None
    """The certificate that the completion earned."""
    obligation_change_id: int | None
    """Source obligation-change id."""


class TrainingBasis(Shape):
    """What the outcome of a training record, and the course version behind it, follow from besides its fields."""

    state_before_end: Requirement
    """`requirement` or, of a record that has ended, what it required just before."""
    lesson_row_id: UUID | None
    """Where a lesson was shared alone: its row in the register of course versions, which names no release then."""


_LISTED = (
    Column("person_name", "Person", "person"),
    Column("course_id", "Course", "course"),
    Column("outcome", "State", "outcome"),
    Column("assigned_at", "Asked for", "day"),
    Column("due_at", "Due by", "day"),
    Column("completed_at", "Done", "day"),
    Column("reminders_sent", "Reminders", "number"),
    Column("record_id", "Why", "record"),
)

TRAINING_RECORDS = Register(
    number=1,
    name="training-records",
    scope=Scope.TRAINING_READ,
    row=TrainingRecord,
    identity="record_id",
    columns={
        "state": "requirement",
        "begins_at": "assigned_at",
        "due_at": "due_at",
        "done_at": "completed_at",
        "waived_at": "waived_at",
        "ends_at": "ended_at",
        "renews_certificate_id": "renews_certificate_id",
    },
    basis=TrainingBasis,
    subjects=("person_course",),
    noun="training records",
    title="Training records",
    explains="The courses that every employee is asked to do, and how far each is.",
    listed=_LISTED,
    operation="listTrainingRecords",
    summary="Training records as at a moment",
    description="Every record that an employee owes at `as_at`, with its outcome then.",
    tag="training",
    by_course=True,
    tally="outcome",
    owed="course",
    of_person="training",
)
PERIOD = replace(
    TRAINING_RECORDS,
    path="training-records/period",
    title="Training records of a period",
    explains="Every course that was asked for at any time between two days, and what had become of it by the end.",
    listed=(*_LISTED[:-1], Column("ended_at", "Ended", "day"), _LISTED[-1]),
    operation="listTrainingRecordsOfPeriod",
    summary="Training records of a period",
    description="Every record owed at any time between `from` and `to`, in the last version that stood between them,"
    " with its outcome at the end of the period or when it ended.",
    window=Window.PERIOD,
    tally="",
    of_person="",
)
REGISTERS = (TRAINING_RECORDS, PERIOD)
