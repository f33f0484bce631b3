"""The courses that a person may take now, and their contents.

A person with a training record in force may take its course: open or completed, required or optional. The record is
read from the history as known now; whether its release was withdrawn is read from the facts, which have it earlier.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from threading import Lock
from typing import Any

import orjson

from compliance.facts.courses import queries as courses
from compliance.facts.courses.queries import Media
from compliance.facts.shares import queries as shares
from compliance.history import records
from compliance.learning import outlines
from compliance.learning.errors import NoContentError, NotAssignedError, ReleaseWithdrawnError
from compliance.learning.models import Take
from compliance.rules.instants import read_instant
from compliance.rules.taking.outline import Outline


@dataclass(frozen=True)
class Assignment:
    """What one training record requires of its person.

    `course_release_id` is the version to take: the record's, or for a lesson shared alone one that contains it (None if
    no version with content does). `withdrawn`: nobody can begin the version or continue it.
    """

    organization_id: uuid.UUID
    learner_profile_id: uuid.UUID
    record_id: uuid.UUID
    course_id: uuid.UUID
    course_release_id: uuid.UUID | None
    lesson_release_id: uuid.UUID | None
    lesson_sha256: str | None
    requirement: str
    assigned_at: datetime
    due_at: datetime | None
    is_renewal: bool
    waived_at: datetime | None
    completed_at: datetime | None
    completion_receipt_id: uuid.UUID | None
    certificate_id: uuid.UUID | None
    withdrawn: bool

    @property
    def done(self) -> bool:
        """Whether it is completed, as far as the history shows; a completion of the last seconds may be missing."""
        return self.completed_at is not None

    @property
    def to_do(self) -> bool:
        """Whether it is neither completed nor waived."""
        return self.completed_at is None and self.waived_at is None


@dataclass(frozen=True)
class Content:
    """The content of a version of a course. `words` by language; without a package `manifest` and `words` are empty.

    All requests of a process share it, so it must not be changed.
    """

    course_release_id: uuid.UUID
    content: dict[str, Any]
    manifest: dict[str, Any]
    words: dict[str, dict[str, str]]
    media: dict[str, Media]
    outline: Outline
    """The outline of the whole course."""
    size: int

    def text(self, text_id: str) -> str:
        """A text in the package's default language; without a package, its identifier."""
        languages = [*self.manifest.get("languages", ()), *self.words]
        words = next((self.words[each] for each in languages if each in self.words), {})
        return words.get(text_id, text_id)

    def prompt(self, question_id: str) -> str:
        """The text of a question, in the package's default language."""
        return self.text(self.prompts[question_id])

    @cached_property
    def prompts(self) -> dict[str, str]:
        """The text of each question."""
        return outlines.prompts(self.content)

    def of_lesson(self, lesson_sha256: str | None) -> Outline:
        """The outline of the lesson with this fingerprint, or (None) of the course.

        Raises NoContentError if the content has no such lesson.
        """
        if lesson_sha256 is None:
            return self.outline
        found = tuple(lesson for lesson in self.outline.lessons if lesson.sha256 == lesson_sha256)
        if not found:
            raise NoContentError("The version does not hold the lesson.")
        return Outline(found)


class _Contents:
    """A cache of the contents that this process read last, up to a number of bytes of JSON. Releases never change."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._kept: dict[tuple[uuid.UUID, uuid.UUID], Content] = {}
        self._lock = Lock()

    def get(self, key: tuple[uuid.UUID, uuid.UUID]) -> Content | None:
        with self._lock:
            found = self._kept.pop(key, None)
            if found is not None:
                self._kept[key] = found
            return found

    def keep(self, key: tuple[uuid.UUID, uuid.UUID], content: Content) -> None:
        with self._lock:
            self._kept[key] = content
            while sum(each.size for each in self._kept.values()) > self._most and len(self._kept) > 1:
                self._kept.pop(next(iter(self._kept)))

    def forget(self) -> None:
        with self._lock:
            self._kept.clear()


KEPT_BYTES = 16 * 1024 * 1024
"""The amount of JSON that is kept parsed, in about four times as much memory. The last content is always kept."""

_contents = _Contents(KEPT_BYTES)
forget_contents = _contents.forget
"""Empties the cache: for tests, in which companies with the same identifier come and go."""


def assignment(
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    now: datetime,
    *,
    course_id: uuid.UUID | None = None,
    lesson_release_id: uuid.UUID | None = None,
) -> Assignment:
    """What the person may take at `now` of a course, or of a lesson that was shared alone; give one of the two.

    Of several records of a course the one to do is chosen (the release's before the renewal's), then a waived one, then
    the one completed last. Raises NotAssignedError, and ReleaseWithdrawnError if the version was withdrawn.
    """
    found = assignments(organization_id, learner_profile_id, now, course_id, lesson_release_id)
    if not found:
        if course_id is not None and _begun_of_withdrawn(organization_id, learner_profile_id, course_id, now):
            raise ReleaseWithdrawnError("The version that the person had begun was withdrawn.")
        raise NotAssignedError("Nothing asks this person to take it.")
    chosen = min(found, key=_order)
    if chosen.withdrawn and not chosen.done:
        raise ReleaseWithdrawnError("The version was withdrawn.")
    return chosen


def assignments(
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    now: datetime,
    course_id: uuid.UUID | None = None,
    lesson_release_id: uuid.UUID | None = None,
) -> list[Assignment]:
    """All that training records require of the person at `now`, in the order in which the records began.

    Only those of one course or lesson, if it is given. At most four statements."""
    wanted_course = course_id
    lessons: dict[uuid.UUID, courses.LessonState] = {}
    if lesson_release_id is not None:
        lessons = courses.lesson_states(organization_id, [lesson_release_id], now)
        if lesson_release_id not in lessons:
            return []
        wanted_course = lessons[lesson_release_id].course_id
    owed = records.training_of(organization_id, learner_profile_id, now, wanted_course)
    share_ids = [each.lesson_share_id for each in owed if each.lesson_share_id is not None]
    lesson_of = shares.lessons_of(organization_id, share_ids) if share_ids else {}
    unread = set(lesson_of.values()).difference(lessons)
    if unread and course_id is None and lesson_release_id is None:
        lessons = courses.lesson_states(organization_id, unread, now)
    bodies = [(each, orjson.loads(each.body)) for each in owed]
    releases = courses.release_states(
        organization_id, {uuid.UUID(body["course_release_id"]) for _, body in bodies if body["course_release_id"]}
    )
    found = []
    for each, body in bodies:
        lesson_id = lesson_of.get(each.lesson_share_id) if each.lesson_share_id else None
        if lesson_id != lesson_release_id and (course_id is not None or lesson_release_id is not None):
            continue
        release_id = _identifier(body["course_release_id"])
        state = releases.get(release_id) if release_id else None
        lesson = lessons.get(lesson_id) if lesson_id else None
        found.append(
            Assignment(
                organization_id=organization_id,
                learner_profile_id=learner_profile_id,
                record_id=each.record_id,
                course_id=each.course_id,
                course_release_id=lesson.course_release_id if lesson else release_id,
                lesson_release_id=lesson_id,
                lesson_sha256=lesson.content_sha256 if lesson else None,
                requirement=body["requirement"],
                assigned_at=read_instant(body["assigned_at"]),
                due_at=_moment(body["due_at"]),
                is_renewal=body["renews_certificate_id"] is not None,
                waived_at=_moment(body["waived_at"]),
                completed_at=_moment(body["completed_at"]),
                completion_receipt_id=_identifier(body["completion_receipt_id"]),
                certificate_id=_identifier(body["certificate_id"]),
                withdrawn=state is not None and state.withdrawn_at is not None and state.withdrawn_at <= now,
            )
        )
    return found


def content(organization_id: uuid.UUID, course_release_id: uuid.UUID | None) -> Content:
    """The content of a version. Raises NoContentError."""
    if course_release_id is None:
        raise NoContentError("No version holds it.")
    found = contents(organization_id, [course_release_id]).get(course_release_id)
    if found is None:
        raise NoContentError("The version has no content.")
    return found


def contents(organization_id: uuid.UUID, course_release_ids: list[uuid.UUID]) -> dict[uuid.UUID, Content]:
    """The contents of those of the versions that have any; two statements for all that are not in the cache.

    For contents without a package, one more reads whether the package was published since, which adds its words.
    """
    found = {each: kept for each in course_release_ids if (kept := _contents.get((organization_id, each))) is not None}
    unpackaged = [each for each, kept in found.items() if not kept.manifest]
    for each in courses.packaged(organization_id, unpackaged) if unpackaged else ():
        del found[each]
    missing = [each for each in course_release_ids if each not in found]
    if missing:
        for release_id, read in courses.package_contents(organization_id, missing).items():
            made = orjson.loads(read.content)
            found[release_id] = Content(
                course_release_id=release_id,
                content=made,
                manifest=orjson.loads(read.manifest) if read.manifest else {},
                words=orjson.loads(read.words) if read.words else {},
                media={each.media_id: each for each in read.media},
                outline=outlines.outline(made),
                size=len(read.content) + len(read.manifest or "") + len(read.words or ""),
            )
            _contents.keep((organization_id, release_id), found[release_id])
    return found


def _begun_of_withdrawn(
    organization_id: uuid.UUID, learner_profile_id: uuid.UUID, course_id: uuid.UUID, now: datetime
) -> bool:
    """Whether the person has begun a version that was withdrawn: the record may have ended since."""
    begun = Take.objects.filter(
        organization_id=organization_id,
        learner_profile_id=learner_profile_id,
        course_id=course_id,
        lesson_release_id=None,
        finished_at=None,
        carried_at=None,
    )
    release_ids = list(begun.values_list("course_release_id", flat=True))
    states = courses.release_states(organization_id, release_ids) if release_ids else {}
    return any(each.withdrawn_at is not None and each.withdrawn_at <= now for each in states.values())


def _order(each: Assignment) -> tuple[int, bool, float]:
    rank = 0 if each.to_do else 1 if not each.done else 2
    return rank, each.is_renewal, -(each.completed_at or each.assigned_at).timestamp()


def _moment(text: str | None) -> datetime | None:
    return read_instant(text) if text is not None else None


def _identifier(text: str | None) -> uuid.UUID | None:
    return uuid.UUID(text) if text is not None else None
