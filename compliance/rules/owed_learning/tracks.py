"""Who is covered, and which release is current, moment by moment (docs/rules.md#coverage)."""

from datetime import datetime
from uuid import UUID

from compliance.rules.company_days import LAST_INSTANT as END
from compliance.rules.owed_learning.completions import Done
from compliance.rules.owed_learning.coverage import OpenShare, PreparedCourse, Stay, stays
from compliance.rules.owed_learning.facts import LearnerFacts
from compliance.rules.vocabulary import EndedReason

LESSON = 0
"""The index of a lesson share's only release, which is always current."""


class Track:
    """One of the things that can be owed side by side: the course, or a lesson that is shared by itself."""

    __slots__ = (
        "course",
        "covered",
        "current",
        "first_required",
        "lesson_release_id",
        "moments",
        "required",
        "run_start",
        "staying",
        "stays",
        "was_staying",
    )

    def __init__(
        self,
        course: PreparedCourse,
        lesson_release_id: UUID | None,
        shares: list[OpenShare],
        learner: LearnerFacts,
        employed: list[tuple[datetime, datetime]],
    ) -> None:
        self.course = course
        self.lesson_release_id = lesson_release_id
        self.stays = stays(shares, learner, employed)
        self.moments = {stay.start for stay in self.stays} | {stay.end for stay in self.stays if stay.end != END}
        if lesson_release_id is None:
            self.moments.update(course.moments)
        self.rewind()

    def rewind(self) -> None:
        """Reset to before the first moment."""
        self.covered = self.required = False
        self.current: int | None = None
        self.run_start: datetime | None = None
        self.first_required: datetime | None = None
        self.staying: list[Stay] = []
        self.was_staying: list[Stay] = []

    def move(self, moment: datetime) -> None:
        """Advance to `moment`."""
        if self.covered:
            self.was_staying = self.staying
        self.staying = [stay for stay in self.stays if stay.start <= moment < stay.end]
        if self.lesson_release_id is not None:
            self.current = LESSON
        else:
            change = self.course.current_at(moment)
            self.current = change.release if change else None
            self.run_start = change.run_start if change else None
        was_covered = self.covered
        self.covered = bool(self.staying) and self.current is not None
        self.required = self.covered and any(stay.stage.required for stay in self.staying)
        if self.covered and not was_covered:
            self.first_required = None
        if self.required and self.first_required is None:
            self.first_required = moment

    def covered_at(self, moment: datetime) -> bool:
        """Whether the learner is covered at another moment."""
        change = self.course.current_at(moment)
        return (
            change is not None
            and change.release is not None
            and any(stay.start <= moment < stay.end for stay in self.stays)
        )

    def counts(self, done: Done) -> bool:
        """Whether a completion would settle the current release: done since the last retake, by order of release."""
        if self.current is None:
            return False
        if self.lesson_release_id is not None:
            return done.lesson_release_id == self.lesson_release_id
        index = self.release_index(done)
        return index is not None and self.course.last_retake[self.current] <= index <= self.current

    def release_index(self, done: Done) -> int | None:
        """The place of the completed release among the course's."""
        return self.course.index_of.get(done.course_release_id) if done.course_release_id is not None else None

    def uncovered_reason(self, moment: datetime) -> EndedReason:
        """The reason why an employee is no longer covered."""
        if not self.staying:
            ended = (stay.stage.share.ended_at for stay in self.was_staying)
            if all(ended_at is not None and ended_at <= moment for ended_at in ended):
                return EndedReason.SHARE_ENDED
            return EndedReason.AUDIENCE_CHANGED
        return EndedReason.COURSE_WITHDRAWN
