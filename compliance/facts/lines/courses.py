"""Lines about courses, their releases and what certificates of a course say."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from compliance.facts.lines.fields import FactLine, FileObject, Identifier, Sha256, Title, VersionNumber
from compliance.rules.vocabulary import CertificateKind


class Certificate(FileObject):
    """What completing a course earns; without `valid_months` for good, without `renew_days_before` no renewal opens."""

    title: Title
    kind: CertificateKind
    valid_months: Annotated[int, Field(ge=1, le=1200)] | None = None
    renew_days_before: Annotated[int, Field(ge=0, le=3650)] | None = None


class CourseCreated(FactLine):
    """A course came into being."""

    recorders = "courses.recorders"
    fact: Literal["course_created"] = "course_created"
    course_id: Identifier
    title: Title
    certificate: Certificate | None = None


class CourseChanged(FactLine):
    """A course got another title; `certificate` says what it earns from `at` on, null: nothing; absent: as before."""

    recorders = "courses.recorders"
    fact: Literal["course_changed"] = "course_changed"
    course_id: Identifier
    title: Title
    certificate: Certificate | None = None


class ReleaseLesson(FileObject):
    """A lesson as a release contains it."""

    release_id: Identifier
    title: Title
    version: VersionNumber
    content_sha256: Sha256


class ReleasePublished(FactLine):
    """A version of a course was published; a `retake` is owed again by those who completed an earlier one."""

    recorders = "courses.recorders"
    fact: Literal["release_published"] = "release_published"
    course_id: Identifier
    course_release_id: Identifier
    version: VersionNumber
    lessons: Annotated[tuple[ReleaseLesson, ...], Field(max_length=1000)]
    content: dict[str, Any] | None = None
    content_sha256: Sha256 | None = None
    contents_sha256: Sha256 | None = None
    publisher_id: Identifier | None = None
    retake: bool = False

    @model_validator(mode="after")
    def _lessons_differ(self) -> Self:
        if len({lesson.release_id for lesson in self.lessons}) != len(self.lessons):
            raise PydanticCustomError("lessons", "names the same lesson release twice")
        return self


class ReleaseWithdrawn(FactLine):
    """A published version was taken back."""

    recorders = "courses.recorders"
    fact: Literal["release_withdrawn"] = "release_withdrawn"
    course_release_id: Identifier
