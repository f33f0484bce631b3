"""Actions on shares (design 3): each records one fact through the one write path.

Every action takes `at`, when the fact takes effect, and raises the errors of `facts.errors` when it is refused.
"""

import uuid
from collections.abc import Collection
from datetime import datetime

from compliance.facts.lines import (
    Audience,
    CourseShared,
    Deadline,
    LessonShared,
    NoDeadline,
    PolicyShared,
    ShareChanged,
    ShareEnded,
)
from compliance.facts.recording.acting import act
from compliance.rules.vocabulary import Door, Requirement

EVERYONE = Audience(everyone=True)
EMPLOYEES = (Door.EMPLOYEE,)
NEVER = NoDeadline()


def share_course(
    *,
    organization_id: uuid.UUID,
    course_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    audience: Audience = EVERYONE,
    requirement: Requirement = Requirement.REQUIRED,
    deadline: Deadline = NEVER,
    doors: Collection[Door] = EMPLOYEES,
    share_id: uuid.UUID | None = None,
) -> uuid.UUID:
    """Shares a course and returns the share's id."""
    return act(
        CourseShared,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        share_id=share_id or uuid.uuid4(),
        course_id=course_id,
        doors=tuple(doors),
        audience=audience,
        requirement=requirement,
        deadline=deadline,
    ).share_id


def share_lesson(
    *,
    organization_id: uuid.UUID,
    course_id: uuid.UUID,
    lesson_release_id: uuid.UUID,
    title: str,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    audience: Audience = EVERYONE,
    requirement: Requirement = Requirement.REQUIRED,
    deadline: Deadline = NEVER,
    doors: Collection[Door] = EMPLOYEES,
    share_id: uuid.UUID | None = None,
) -> uuid.UUID:
    """Shares one lesson of a course by itself and returns the share's id."""
    return act(
        LessonShared,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        share_id=share_id or uuid.uuid4(),
        lesson_release_id=lesson_release_id,
        title=title,
        course_id=course_id,
        doors=tuple(doors),
        audience=audience,
        requirement=requirement,
        deadline=deadline,
    ).share_id


def share_policy(
    *,
    organization_id: uuid.UUID,
    course_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    audience: Audience = EVERYONE,
    deadline: Deadline = NEVER,
    doors: Collection[Door] = EMPLOYEES,
    share_id: uuid.UUID | None = None,
) -> uuid.UUID:
    """Shares a policy and returns the share's id."""
    return act(
        PolicyShared,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        share_id=share_id or uuid.uuid4(),
        course_id=course_id,
        doors=tuple(doors),
        audience=audience,
        deadline=deadline,
    ).share_id


def change_share(
    *,
    organization_id: uuid.UUID,
    share_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    audience: Audience | None = None,
    requirement: Requirement | None = None,
    deadline: Deadline | None = None,
    doors: Collection[Door] | None = None,
) -> None:
    """Changes a share from `at` on; what is None stays."""
    act(
        ShareChanged,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        share_id=share_id,
        doors=None if doors is None else tuple(doors),
        audience=audience,
        requirement=requirement,
        deadline=deadline,
    )


def end_share(
    *,
    organization_id: uuid.UUID,
    share_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Ends a share."""
    act(ShareEnded, organization_id=organization_id, at=at, now=now, actor_id=actor_id, share_id=share_id)
