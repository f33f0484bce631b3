"""A person's progress in a course: pages read, questions settled, what comes next, whether it is finished.

A question is settled when its last counted answer is right, or when its attempts are used up. A person has finished
when they have opened every page of every lesson that counts for them, seen its films to the end, and settled every
question in it.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from compliance.rules.taking.outline import Outline, Question


class QuestionState(StrEnum):
    """The state of a question by its counted answers."""

    OPEN = "open"
    RIGHT = "right"
    OUT_OF_ATTEMPTS = "out_of_attempts"


class Answered(NamedTuple):
    """A counted answer: `number` counts the answers to a question from 1."""

    lesson_sha256: str
    question_id: str
    number: int
    right: bool


@dataclass(frozen=True, slots=True)
class QuestionProgress:
    """The progress of a question. `attempts_left` None: no limit; 0 once it is settled."""

    id: str
    state: QuestionState
    answers: int
    attempts_left: int | None

    @property
    def settled(self) -> bool:
        """Whether the question takes no more answers."""
        return self.state is not QuestionState.OPEN


@dataclass(frozen=True, slots=True)
class PageProgress:
    """The progress of a page. `read`: it was opened; `films_seen` and `films_left` are identifiers of its films."""

    id: str
    read: bool
    questions: tuple[QuestionProgress, ...]
    films_seen: frozenset[str] = frozenset()
    films_left: frozenset[str] = frozenset()

    @property
    def done(self) -> bool:
        """Whether it was opened, its films were seen and all its questions are settled."""
        return self.read and not self.films_left and all(question.settled for question in self.questions)


@dataclass(frozen=True, slots=True)
class LessonProgress:
    """The progress of a lesson. `counted`: the person must take it."""

    id: str
    counted: bool
    pages: tuple[PageProgress, ...]

    @property
    def begun(self) -> bool:
        """Whether any of its pages was opened."""
        return any(page.read for page in self.pages)

    @property
    def done(self) -> bool:
        """Whether all its pages are done."""
        return all(page.done for page in self.pages)


@dataclass(frozen=True)
class Progress:
    """The progress of one person in a course."""

    lessons: tuple[LessonProgress, ...]

    @property
    def counted_pages(self) -> list[PageProgress]:
        """The pages that the person must read, in reading order."""
        return [page for lesson in self.lessons if lesson.counted for page in lesson.pages]

    @cached_property
    def pages_done(self) -> int:
        """How many of the pages that count are done."""
        return sum(page.done for page in self.counted_pages)

    @cached_property
    def pages_in_all(self) -> int:
        """How many pages count."""
        return len(self.counted_pages)

    @property
    def finished(self) -> bool:
        """Whether everything that finishing requires is done."""
        return self.pages_done == self.pages_in_all

    @property
    def assessed(self) -> bool:
        """Whether every question of the lessons that count is answered rightly; False if there are no questions."""
        asked = [question for page in self.counted_pages for question in page.questions]
        return bool(asked) and all(question.state is QuestionState.RIGHT for question in asked)

    @cached_property
    def next_page_id(self) -> str | None:
        """The first page in reading order that still has to be done; None when nothing is left."""
        return next((page.id for page in self.counted_pages if not page.done), None)

    @cached_property
    def questions(self) -> dict[str, QuestionProgress]:
        """All questions, by id."""
        return {
            question.id: question for lesson in self.lessons for page in lesson.pages for question in page.questions
        }

    @cached_property
    def pages(self) -> dict[str, PageProgress]:
        """All pages, by id."""
        return {page.id: page for lesson in self.lessons for page in lesson.pages}


def question_progress(question: Question, answers: int, last_right: bool, more_attempts: int) -> QuestionProgress:
    """The progress of a question after `answers` counted answers, the last of which was right or not."""
    if answers and last_right:
        return QuestionProgress(question.id, QuestionState.RIGHT, answers, 0)
    if question.attempts is None:
        return QuestionProgress(question.id, QuestionState.OPEN, answers, None)
    left = max(question.attempts + more_attempts - answers, 0)
    state = QuestionState.OPEN if left else QuestionState.OUT_OF_ATTEMPTS
    return QuestionProgress(question.id, state, answers, left)


def progress(
    outline: Outline,
    roles: Collection[str],
    pages_read: Collection[tuple[str, str]],
    answers: Iterable[Answered],
    more_attempts: Mapping[str, int],
    films_seen: Collection[tuple[str, str]] = (),
) -> Progress:
    """The progress of a person with these roles.

    `pages_read` are pairs of lesson fingerprint and page, `films_seen` of lesson fingerprint and film; `more_attempts`
    are the attempts given beyond a question's own, by question. Entries that belong to no lesson of the outline, or to
    another content of a lesson, are ignored.
    """
    read, seen = frozenset(pages_read), frozenset(films_seen)
    last: dict[tuple[str, str], Answered] = {}
    counts: dict[tuple[str, str], int] = {}
    for answer in answers:
        key = (answer.lesson_sha256, answer.question_id)
        counts[key] = counts.get(key, 0) + 1
        if key not in last or last[key].number < answer.number:
            last[key] = answer
    counted = {lesson.id for lesson in outline.counted(roles)}
    return Progress(
        tuple(
            LessonProgress(
                lesson.id,
                lesson.id in counted,
                tuple(
                    PageProgress(
                        page.id,
                        (lesson.sha256, page.id) in read,
                        tuple(
                            question_progress(
                                question,
                                counts.get((lesson.sha256, question.id), 0),
                                (lesson.sha256, question.id) in last and last[lesson.sha256, question.id].right,
                                more_attempts.get(question.id, 0),
                            )
                            for question in page.questions
                        ),
                        frozenset(film.id for film in page.films if (lesson.sha256, film.id) in seen),
                        frozenset(film.id for film in page.films if (lesson.sha256, film.id) not in seen),
                    )
                    for page in lesson.pages
                ),
            )
            for lesson in outline.lessons
        )
    )
