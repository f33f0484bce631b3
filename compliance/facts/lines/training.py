"""Lines about completions, changes of obligations, reminders and live sessions."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from compliance.facts.lines.fields import FactLine, Identifier, Instant, Name
from compliance.rules.vocabulary import (
    Attendance,
    LiveSessionFormat,
    MarkedBy,
    ObligationChangeKind,
    WaiverReasonCode,
)


class CourseCompleted(FactLine):
    """A person completed a release, or a lesson that was shared by itself. `at` is the server's receipt time."""

    recorders = "training.recorders"
    fact: Literal["course_completed"] = "course_completed"
    completion_receipt_id: Identifier
    learner_profile_id: Identifier
    course_release_id: Identifier | None = None
    lesson_release_id: Identifier | None = None
    assessed: bool = False

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.course_release_id is None) == (self.lesson_release_id is None):
            raise PydanticCustomError("completed", "must have exactly one of course_release_id, lesson_release_id")
        return self


class CompletionVoided(FactLine):
    """A completion was declared void."""

    recorders = "training.recorders"
    fact: Literal["completion_voided"] = "completion_voided"
    completion_receipt_id: Identifier
    actor_id: Identifier


class ObligationChanged(FactLine):
    """An administrator waived, reinstated or set the deadline of what one person owes."""

    recorders = "training.recorders"
    validator = "training.validating.validate_training"
    fact: Literal["obligation_changed"] = "obligation_changed"
    obligation_change_id: Annotated[int, Field(ge=1, le=9_223_372_036_854_775_807)]
    learner_profile_id: Identifier
    course_id: Identifier
    change: ObligationChangeKind
    reason_code: WaiverReasonCode | None = None
    due_at: Instant | None = None
    actor_id: Identifier

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.due_at is not None and self.change is not ObligationChangeKind.SET_DEADLINE:
            raise PydanticCustomError("due_at", "due_at belongs to set_deadline only")
        return self


class ReminderSent(FactLine):
    """A person was reminded of a course."""

    recorders = "training.recorders"
    fact: Literal["reminder_sent"] = "reminder_sent"
    learner_profile_id: Identifier
    course_id: Identifier


class TrainerNamed(FactLine):
    """A trainer set a name."""

    recorders = "training.live_sessions"
    fact: Literal["trainer_named"] = "trainer_named"
    trainer_profile_id: Identifier
    trainer_name: Name


class LiveSessionHeld(FactLine):
    """A release was taught in a live session."""

    recorders = "training.live_sessions"
    fact: Literal["live_session_held"] = "live_session_held"
    live_session_id: Identifier
    course_release_id: Identifier
    format: LiveSessionFormat
    starts_at: Instant
    ends_at: Instant
    minutes: Annotated[int, Field(ge=1, le=100_000)]
    trainer_profile_id: Identifier | None = None

    @model_validator(mode="after")
    def _ends_after_start(self) -> Self:
        if self.ends_at <= self.starts_at:
            raise PydanticCustomError("ends_at", "ends_at must come after starts_at")
        return self


class AttendanceMarked(FactLine):
    """A person's mark in the register of a live session; the newest is the final one."""

    recorders = "training.live_sessions"
    fact: Literal["attendance_marked"] = "attendance_marked"
    live_session_id: Identifier
    learner_profile_id: Identifier
    attended: Attendance
    marked_by: MarkedBy
