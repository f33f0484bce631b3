"""Actions on courses and their releases (design 3): each records one fact through the one write path.

Every action takes `at`, when the fact takes effect, and raises the errors of `facts.errors` when it is refused.
"""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import Any

from compliance.facts.lines import (
    Certificate,
    CourseChanged,
    CourseCreated,
    ReleaseLesson,
    ReleasePublished,
    ReleaseWithdrawn,
)
from compliance.facts.recording.acting import act


def create_course(
    *,
    organization_id: uuid.UUID,
    title: str,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    certificate: Certificate | None = None,
    course_id: uuid.UUID | None = None,
) -> uuid.UUID:
    """Makes a course and returns its id; `certificate` is what completing it earns."""
    return act(
        CourseCreated,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        course_id=course_id or uuid.uuid4(),
        title=title,
        certificate=certificate,
    ).course_id


def rename_course(
    *,
    organization_id: uuid.UUID,
    course_id: uuid.UUID,
    title: str,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Gives a course another title; its certificate stays."""
    act(
        CourseChanged,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        course_id=course_id,
        title=title,
    )


def change_certificate(
    *,
    organization_id: uuid.UUID,
    course_id: uuid.UUID,
    title: str,
    certificate: Certificate | None,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Says what completing a course earns from `at` on, None: nothing; `title` is the course's title from then on."""
    act(
        CourseChanged,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        course_id=course_id,
        title=title,
        certificate=certificate,
    )


def publish_release(
    *,
    organization_id: uuid.UUID,
    course_id: uuid.UUID,
    version: int,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    lessons: Collection[ReleaseLesson] = (),
    content: dict[str, Any] | None = None,
    content_sha256: str | None = None,
    contents_sha256: str | None = None,
    publisher_id: uuid.UUID | None = None,
    retake: bool = False,
    course_release_id: uuid.UUID | None = None,
) -> uuid.UUID:
    """Publishes a version of a course and returns its id. A `retake` is owed again by those who completed before."""
    return act(
        ReleasePublished,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        course_id=course_id,
        course_release_id=course_release_id or uuid.uuid4(),
        version=version,
        lessons=tuple(lessons),
        content=content,
        content_sha256=content_sha256,
        contents_sha256=contents_sha256,
        publisher_id=publisher_id,
        retake=retake,
    ).course_release_id


def withdraw_release(
    *,
    organization_id: uuid.UUID,
    course_release_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Takes a published version back."""
    act(
        ReleaseWithdrawn,
        organization_id=organization_id,
        at=at,
        now=now,
        actor_id=actor_id,
        course_release_id=course_release_id,
    )
