"""Writes of this room that need more than one line: completions by learners, and changes that get a number."""

import uuid
from datetime import datetime
from typing import Any

from compliance.facts.lines.kinds import CourseCompleted, ObligationChanged
from compliance.facts.recording.acting import act
from compliance.facts.recording.telling import Channel, Teller, telling
from compliance.tenancy import context, sql
from compliance.tenancy.turns import wait_for_turn


def complete_course(
    *,
    organization_id: uuid.UUID,
    completion_receipt_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    course_release_id: uuid.UUID | None = None,
    lesson_release_id: uuid.UUID | None = None,
    assessed: bool,
    now: datetime,
) -> None:
    """Records that a learner finished a release, or a lesson that was shared alone; `now` is the receipt time.

    Raises as `act` does.
    """
    with telling(Teller(Channel.LEARNER)):
        act(
            CourseCompleted,
            organization_id=organization_id,
            at=now,
            completion_receipt_id=completion_receipt_id,
            learner_profile_id=learner_profile_id,
            course_release_id=course_release_id,
            lesson_release_id=lesson_release_id,
            assessed=assessed,
        )


def record_completion(
    *,
    organization_id: uuid.UUID,
    at: datetime,
    actor_id: uuid.UUID,
    now: datetime,
    completion_receipt_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    course_release_id: uuid.UUID,
    assessed: bool,
) -> None:
    """Records that a person finished a release at `at`, as stated by staff at `now`; the origin names them.

    Raises as `act` does.
    """
    act(
        CourseCompleted,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        completion_receipt_id=completion_receipt_id,
        learner_profile_id=learner_profile_id,
        course_release_id=course_release_id,
        assessed=assessed,
    )


def change_obligation(
    *, organization_id: uuid.UUID, at: datetime, actor_id: uuid.UUID, now: datetime | None = None, **fields: Any
) -> int:
    """Waives, reinstates or sets the deadline of what a person owes for a course; returns the obligation_change_id.

    `fields` are those of the line `obligation_changed`. Raises as `act` does.
    """
    with context.company(organization_id):
        number = _next_number(organization_id)
        act(
            ObligationChanged,
            organization_id=organization_id,
            at=at,
            now=now,
            actor_id=actor_id,
            obligation_change_id=number,
            **fields,
        )
        return number


def _next_number(organization_id: uuid.UUID) -> int:
    """One more than the company's highest number; concurrent actions wait until the first has committed."""
    wait_for_turn(organization_id, "obligation change")
    [(highest,)] = sql.fetch(
        "SELECT coalesce(max(obligation_change_id), 0) FROM training_obligationchange WHERE organization_id = %s",
        (organization_id,),
    )
    return int(highest) + 1
