"""Course versions behind the training records of employees."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, Field

from compliance.catalogue.declaration import Column, Register, Window
from compliance.catalogue.fields import AT_READ, Digest, Shape
from compliance.rules.vocabulary import Scope, SourceKind


class Lesson(Shape):
    """A lesson within a course version."""

    release_id: UUID
    """The lesson's release."""
    title: Annotated[str, AT_READ] = Field(examples=["Leaving the building"])
    """Current source title."""
    version: int
    """The lesson's version."""
    content_sha256: str = Field(pattern="^([0-9a-f]{64})?$", examples=["9f" * 32])
    """Fingerprint of the lesson's content; empty in versions captured before a shared lesson had to come with one."""


class CourseVersion(Shape):
    """A published course version behind employee training records."""

    row_id: UUID
    """Stable course-release row id."""
    course_id: UUID
    """The course."""
    course_release_id: UUID | None
    """The release."""
    course_title: Annotated[str | None, AT_READ] = Field(examples=["Fire safety"])
    """From the current source course."""
    version: int | None
    """The release's version."""
    published_at: AwareDatetime | None
    """When the release was sealed."""
    publisher_id: UUID | None
    """Who published it."""
    content_sha256: Digest | None
    """Immutable content fingerprint."""
    contents_sha256: Digest | None
    """Fingerprint of the list of contained releases."""
    source_kind: SourceKind
    """What the row was made from."""
    lessons: list[Lesson]
    """The lessons in their order."""


COURSES = Register(
    number=4,
    name="courses",
    scope=Scope.TRAINING_READ,
    row=CourseVersion,
    identity="row_id",
    columns={"begins_at": "published_at"},
    subjects=("course",),
    noun="course versions",
    title="Course versions",
    explains="The published versions behind the training records, with their fingerprints.",
    listed=(
        Column("course_title", "Course"),
        Column("version", "Version", "number"),
        Column("published_at", "Published", "day"),
        Column("source_kind", "Made from", "word"),
        Column("row_id", "History", "record"),
    ),
    operation="listCourses",
    summary="Course versions",
    description="Published course versions behind employee training records, with fingerprints.",
    tag="training",
    window=Window.NOW,
    behind_records=True,
    few=True,
)
REGISTERS = (COURSES,)
