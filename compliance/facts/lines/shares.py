"""Lines about shares: which course, policy or lesson is owed by whom, and by when."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from compliance.facts.lines.fields import (
    Doors,
    FactLine,
    FileObject,
    Identifier,
    Identifiers,
    Instant,
    Sha256,
    Title,
    VersionNumber,
)
from compliance.rules.vocabulary import DueBasis, Requirement

ShareRequirement = Literal[Requirement.REQUIRED, Requirement.OPTIONAL]


class Audience(FileObject):
    """Exactly one of: everyone of the shared doors, teams, or people by name."""

    everyone: Literal[True] | None = None
    team_ids: Annotated[Identifiers, Field(min_length=1)] | None = None
    learner_profile_ids: Annotated[Identifiers, Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _says_one(self) -> Self:
        if sum(each is not None for each in (self.everyone, self.team_ids, self.learner_profile_ids)) != 1:
            raise PydanticCustomError("audience", "must have exactly one of everyone, team_ids, learner_profile_ids")
        return self


class FixedDeadline(FileObject):
    """Due at one moment for everybody."""

    basis: Literal[DueBasis.SHARE_DEADLINE] = DueBasis.SHARE_DEADLINE
    due_at: Instant


class DaysAfterAdded(FileObject):
    """Due at the end of the company's day, `days` after the person was added."""

    basis: Literal[DueBasis.DAYS_AFTER_ADDED] = DueBasis.DAYS_AFTER_ADDED
    days: Annotated[int, Field(ge=0, le=36_500)]


class NoDeadline(FileObject):
    """The share sets no deadline."""

    basis: Literal[DueBasis.NONE] = DueBasis.NONE


Deadline = Annotated[FixedDeadline | DaysAfterAdded | NoDeadline, Field(discriminator="basis")]


class CourseShared(FactLine):
    """A course was shared."""

    recorders = "shares.recorders"
    fact: Literal["course_shared"] = "course_shared"
    share_id: Identifier
    course_id: Identifier
    doors: Doors
    audience: Audience
    requirement: ShareRequirement
    deadline: Deadline


class LessonShared(FactLine):
    """One lesson of a course was shared by itself.

    `version` and `content_sha256` are those of the lesson's release. They must be stated unless a release of a course
    of the company has the lesson.
    """

    recorders = "shares.recorders"
    fact: Literal["lesson_shared"] = "lesson_shared"
    share_id: Identifier
    lesson_release_id: Identifier
    title: Title
    version: VersionNumber | None = None
    content_sha256: Sha256 | None = None
    course_id: Identifier
    doors: Doors
    audience: Audience
    requirement: ShareRequirement
    deadline: Deadline


class PolicyShared(FactLine):
    """A policy was shared."""

    recorders = "shares.recorders"
    fact: Literal["policy_shared"] = "policy_shared"
    share_id: Identifier
    course_id: Identifier
    doors: Doors
    audience: Audience
    deadline: Deadline


class ShareChanged(FactLine):
    """A share of any kind changed; what is absent stays."""

    recorders = "shares.recorders"
    fact: Literal["share_changed"] = "share_changed"
    share_id: Identifier
    doors: Doors | None = None
    audience: Audience | None = None
    requirement: ShareRequirement | None = None
    deadline: Deadline | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.doors is None and self.audience is None and self.requirement is None and self.deadline is None:
            raise PydanticCustomError("empty", "changes nothing: give doors, audience, requirement or deadline")
        return self


class ShareEnded(FactLine):
    """A share of any kind ended."""

    recorders = "shares.recorders"
    fact: Literal["share_ended"] = "share_ended"
    share_id: Identifier
