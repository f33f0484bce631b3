"""One person's progress through a course, as its pages draw it: what is taken, in which language, how far they are.

A course and a lesson that was shared alone have the same pages at different addresses; `Sitting` is either.
"""

import uuid
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from compliance.contentfile.course import Lesson, Page, Reading
from compliance.facts.courses import queries as facts
from compliance.facts.people.queries import roles_of
from compliance.interfaces.learner.visit import Visit
from compliance.interfaces.player.drawing import Answered, Player
from compliance.interfaces.player.readings import is_kept, reading_of
from compliance.learning import queries
from compliance.learning.courses import Assignment, Content
from compliance.learning.queries import Way
from compliance.rules.taking.progress import PageProgress, Progress, QuestionState


@dataclass(frozen=True)
class Place:
    """The addresses of a course, or of a lesson that was shared alone."""

    course_id: uuid.UUID | None
    lesson_release_id: uuid.UUID | None

    @property
    def overview(self) -> str:
        """The address of the overview."""
        return self._address("course", "lesson")

    @property
    def finished(self) -> str:
        """The address of the last page, which shows the result."""
        return self._address("finished", "lesson-finished")

    def page(self, page_id: str) -> str:
        """The address of a page."""
        return self._address("page", "lesson-page", page_id=page_id)

    def _address(self, of_course: str, of_lesson: str, **values: Any) -> str:
        if self.lesson_release_id is not None:
            named = {"lesson_release_id": self.lesson_release_id}
            return reverse(f"learner:{of_lesson}", kwargs=named | values)
        return reverse(f"learner:{of_course}", kwargs={"course_id": self.course_id} | values)


@dataclass(frozen=True)
class Left:
    """A page that is not done yet, and what is left to do on it."""

    title: str
    address: str
    what: str


class Sitting:
    """What is taken, in the reader's language. `way` is None where it was not begun."""

    def __init__(self, visit: Visit, assignment: Assignment, content: Content, way: Way | None) -> None:
        self.visit = visit
        self.assignment = assignment
        self.content = content
        self.way = way
        self.place = Place(None if assignment.lesson_release_id else assignment.course_id, assignment.lesson_release_id)
        self.reading: Reading = reading_of(visit.organization_id, content, visit.languages)
        taken = {lesson.id for lesson in content.of_lesson(assignment.lesson_sha256).lessons}
        self.lessons: tuple[Lesson, ...] = tuple(each for each in self.reading.lessons if each.id in taken)
        self.pages: tuple[tuple[Lesson, Page], ...] = tuple(
            (lesson, page) for lesson in self.lessons for page in lesson.pages
        )

    @cached_property
    def title(self) -> str:
        """The title of the course or the lesson."""
        if self.assignment.lesson_release_id is not None and self.lessons:
            return self.lessons[0].title
        if self.reading.title:
            return self.reading.title
        titles = facts.titles_of(self.visit.organization_id, [self.assignment.course_id])
        return titles.get(self.assignment.course_id, "")

    @cached_property
    def done(self) -> queries.Done | None:
        """What was done so far, read once."""
        return queries.done_of(self.way) if self.way else None

    @cached_property
    def progress(self) -> Progress | None:
        """The person's progress."""
        return queries.progress_of(self.way, self.done) if self.way else None

    @cached_property
    def counted_lessons(self) -> tuple[Lesson, ...]:
        """The lessons that the person must take."""
        outline = self.content.of_lesson(self.assignment.lesson_sha256)
        roles = (
            self.way.roles
            if self.way
            else roles_of(self.visit.organization_id, self.assignment.learner_profile_id, self.visit.now)
        )
        counted = {each.id for each in outline.counted(roles)}
        return tuple(each for each in self.lessons if each.id in counted)

    @cached_property
    def changed_lessons(self) -> tuple[Lesson, ...]:
        """The lessons that differ from the version that was begun, where a newer version replaced it midway."""
        before = queries.carried_content(self.way) if self.way else None
        if before is None:
            return ()
        known = {each.sha256 for each in before.outline.lessons}
        changed = {each.id for each in self.content.outline.lessons if each.sha256 not in known}
        return tuple(each for each in self.lessons if each.id in changed)

    @property
    def is_finished(self) -> bool:
        """Whether a completion is recorded."""
        return self.way is not None and self.way.finished

    @property
    def minutes(self) -> int:
        """The minutes of all lessons that state how long they take."""
        return sum(lesson.minutes or 0 for lesson in self.lessons)

    def index_of(self, page_id: str) -> int | None:
        """The position of a page among the pages, None when it is not one of them."""
        return next((index for index, (_, page) in enumerate(self.pages) if page.id == page_id), None)

    @property
    def next_address(self) -> str:
        """The address of "Begin" and "Continue": the first page that is left, or the last page when none is."""
        if self.progress is None:
            return self.place.page(self.counted_lessons[0].pages[0].id)
        next_page = self.progress.next_page_id
        return self.place.finished if next_page is None else self.place.page(next_page)

    def beside(self, index: int) -> tuple[int | None, int | None]:
        """The pages before and after one. Lessons that need not be taken are skipped, except the page's own lesson."""
        within = [*self.counted_lessons, self.pages[index][0]]
        found = [number for number, (lesson, _) in enumerate(self.pages) if lesson in within]
        here = found.index(index)
        return (found[here - 1] if here else None), (found[here + 1] if here + 1 < len(found) else None)

    def counted_place(self, index: int) -> tuple[int, int]:
        """The page's number and the number of pages: among those that count, or within a lesson that does not count."""
        lesson, page = self.pages[index]
        counted = self.counted_lessons if lesson in self.counted_lessons else (lesson,)
        ids = [each.id for one in counted for each in one.pages]
        return ids.index(page.id) + 1, len(ids)

    def player(self, index: int, **more: Any) -> Player:
        """A page with all that is needed to draw it."""
        lesson, page = self.pages[index]
        progress = self.progress.pages.get(page.id) if self.progress else None
        return Player(
            self.reading,
            lesson,
            page,
            media=self._media,
            style=self._style,
            send_to=self.place.page(page.id),
            by_post=True,
            answered=self._answered(progress),
            seen=progress.films_seen if progress else frozenset(),
            carried=(("lesson", self.content.outline.lesson_of_page[page.id].sha256),),
            closed=self.is_finished,
            **more,
        )

    def left(self) -> list[Left]:
        """The pages that the person still has to do something on, in reading order."""
        if self.progress is None:
            return []
        titles = {page.id: page.title for _, page in self.pages}
        return [
            Left(titles[page.id], self.place.page(page.id), _what_is_left(page))
            for page in self.progress.counted_pages
            if not page.done
        ]

    def _answered(self, page: PageProgress | None) -> dict[str, Answered]:
        if page is None or self.way is None:
            return {}
        last = queries.last_answers(self.way, self.done)
        found = {}
        for question in page.questions:
            if question.answers:
                answer = last.get(question.id)
                found[question.id] = Answered(
                    number=question.answers,
                    chosen=answer.choices if answer else None,
                    right=question.state is QuestionState.RIGHT,
                    settled=question.settled,
                    attempts_left=question.attempts_left,
                )
        return found

    def _media(self, media_id: str) -> str:
        if not is_kept(self.content, media_id):
            return ""
        release = self.content.course_release_id
        return reverse("learner:media", kwargs={"course_release_id": release, "media_id": media_id})

    def _style(self, scope: str) -> str:
        release = self.content.course_release_id
        return reverse("learner:style", kwargs={"course_release_id": release, "scope": scope})


def _what_is_left(page: PageProgress) -> str:
    if not page.read:
        return gettext("Not opened yet")
    questions = sum(not question.settled for question in page.questions)
    if questions:
        return ngettext("%(number)s question is open", "%(number)s questions are open", questions) % {
            "number": questions
        }
    return gettext("The film was not played to its end")
