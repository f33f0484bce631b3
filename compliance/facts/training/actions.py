"""Actions on training and on what people owe of it (design 3): each records one fact through the one write path.

Every action takes `at`, when the fact takes effect, and raises the errors of `facts.errors` when it is refused.
"""

import uuid
from datetime import datetime

from compliance.facts.lines import (
    AttendanceMarked,
    CompletionVoided,
    CourseCompleted,
    LiveSessionHeld,
    ObligationChanged,
    ReminderSent,
    TrainerNamed,
)
from compliance.facts.recording.acting import act
from compliance.rules.vocabulary import (
    Attendance,
    LiveSessionFormat,
    MarkedBy,
    ObligationChangeKind,
    WaiverReasonCode,
)
from compliance.tenancy import context, sql


def complete_course(
    *,
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    course_release_id: uuid.UUID | None = None,
    lesson_release_id: uuid.UUID | None = None,
    assessed: bool = False,
    completion_receipt_id: uuid.UUID | None = None,
) -> uuid.UUID:
    """Receives a completion of a release, or of a lesson that was shared by itself; returns the receipt's id."""
    return act(
        CourseCompleted,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        completion_receipt_id=completion_receipt_id or uuid.uuid4(),
        learner_profile_id=learner_profile_id,
        course_release_id=course_release_id,
        lesson_release_id=lesson_release_id,
        assessed=assessed,
    ).completion_receipt_id


def void_completion(
    *,
    organization_id: uuid.UUID,
    completion_receipt_id: uuid.UUID,
    at: datetime,
    actor_id: uuid.UUID,
    now: datetime | None = None,
) -> None:
    """Declares a completion void."""
    act(
        CompletionVoided,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        completion_receipt_id=completion_receipt_id,
    )


def waive(
    *,
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    course_id: uuid.UUID,
    reason_code: WaiverReasonCode,
    at: datetime,
    actor_id: uuid.UUID,
    now: datetime | None = None,
) -> int:
    """Waives what a person owes of a course; returns the obligation_change_id. Refused once it is completed."""
    return _change(
        organization_id,
        learner_profile_id,
        course_id,
        ObligationChangeKind.WAIVE,
        at=at,
        now=now,
        actor_id=actor_id,
        reason_code=reason_code,
    )


def reinstate(
    *,
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    course_id: uuid.UUID,
    at: datetime,
    actor_id: uuid.UUID,
    now: datetime | None = None,
) -> int:
    """Takes a waiver back; returns the obligation_change_id."""
    return _change(
        organization_id,
        learner_profile_id,
        course_id,
        ObligationChangeKind.REINSTATE,
        at=at,
        now=now,
        actor_id=actor_id,
    )


def set_deadline(
    *,
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    course_id: uuid.UUID,
    due_at: datetime | None,
    at: datetime,
    actor_id: uuid.UUID,
    now: datetime | None = None,
) -> int:
    """Sets a person's own deadline; None takes it away again. Returns the obligation_change_id."""
    return _change(
        organization_id,
        learner_profile_id,
        course_id,
        ObligationChangeKind.SET_DEADLINE,
        at=at,
        now=now,
        actor_id=actor_id,
        due_at=due_at,
    )


def note_reminder(
    *,
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    course_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Notes that a person was reminded of a course."""
    act(
        ReminderSent,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        learner_profile_id=learner_profile_id,
        course_id=course_id,
    )


def name_trainer(
    *,
    organization_id: uuid.UUID,
    trainer_profile_id: uuid.UUID,
    trainer_name: str,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Sets a trainer's name."""
    act(
        TrainerNamed,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        trainer_profile_id=trainer_profile_id,
        trainer_name=trainer_name,
    )


def hold_live_session(
    *,
    organization_id: uuid.UUID,
    course_release_id: uuid.UUID,
    format: LiveSessionFormat,
    starts_at: datetime,
    ends_at: datetime,
    minutes: int,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    trainer_profile_id: uuid.UUID | None = None,
    live_session_id: uuid.UUID | None = None,
) -> uuid.UUID:
    """Notes that a release was taught in a live session; returns the session's id."""
    return act(
        LiveSessionHeld,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        live_session_id=live_session_id or uuid.uuid4(),
        course_release_id=course_release_id,
        format=format,
        starts_at=starts_at,
        ends_at=ends_at,
        minutes=minutes,
        trainer_profile_id=trainer_profile_id,
    ).live_session_id


def mark_attendance(
    *,
    organization_id: uuid.UUID,
    live_session_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    attended: Attendance,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    marked_by: MarkedBy = MarkedBy.TRAINER,
) -> None:
    """Marks a person in the register of a live session; the newest mark is the final one."""
    act(
        AttendanceMarked,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        live_session_id=live_session_id,
        learner_profile_id=learner_profile_id,
        attended=attended,
        marked_by=marked_by,
    )


def _change(
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    course_id: uuid.UUID,
    change: ObligationChangeKind,
    *,
    at: datetime,
    now: datetime | None,
    actor_id: uuid.UUID,
    reason_code: WaiverReasonCode | None = None,
    due_at: datetime | None = None,
) -> int:
    with context.company(organization_id):
        return act(
            ObligationChanged,
            organization_id=organization_id,
            at=at,
            now=now,
            actor_id=actor_id,
            obligation_change_id=_next_change_id(organization_id),
            learner_profile_id=learner_profile_id,
            course_id=course_id,
            change=change,
            reason_code=reason_code,
            due_at=due_at,
        ).obligation_change_id


def _next_change_id(organization_id: uuid.UUID) -> int:
    """One more than the company's highest; two actions at once wait for each other until the first has committed."""
    sql.fetch("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"obligation change {organization_id}",))
    [(highest,)] = sql.fetch(
        "SELECT coalesce(max(obligation_change_id), 0) FROM training_obligationchange WHERE organization_id = %s",
        (organization_id,),
    )
    return int(highest) + 1
