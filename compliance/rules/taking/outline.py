"""What of a course counts towards finishing it: its lessons, their pages, and the questions on these.

An outline holds no words and no media, so that it is small, and the same in all languages.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Question:
    """A question. `right` are the choices that make a right answer; `attempts` None: as many as one likes."""

    id: str
    kind: str
    right: frozenset[str]
    choices: frozenset[str]
    attempts: int | None

    def is_right(self, choices: Collection[str]) -> bool:
        """Whether an answer is right: it names all right choices and no other one."""
        return frozenset(choices) == self.right

    @property
    def takes_several(self) -> bool:
        """Whether an answer may name more than one choice."""
        return self.kind == "multiple"


@dataclass(frozen=True, slots=True)
class Film:
    """A film. `id` is the scope of its style; `number` is that of its block on the page, from 1."""

    id: str
    number: int
    last_scene: str


@dataclass(frozen=True, slots=True)
class PageOutline:
    """A page, its questions in reading order, those of its films among them, and its films."""

    id: str
    questions: tuple[Question, ...]
    films: tuple[Film, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson. `sha256` is its fingerprint: progress counts as long as that is the same. `required_for` None: all."""

    id: str
    sha256: str
    required_for: frozenset[str] | None
    pages: tuple[PageOutline, ...]


@dataclass(frozen=True)
class Outline:
    """The lessons of a course in reading order; of a lesson that was shared alone, that one."""

    lessons: tuple[Lesson, ...]

    @cached_property
    def lesson_of_page(self) -> dict[str, Lesson]:
        """The lesson that each page belongs to. Ids of pages differ throughout a course."""
        return {page.id: lesson for lesson in self.lessons for page in lesson.pages}

    @cached_property
    def films(self) -> dict[str, tuple[Lesson, PageOutline, Film]]:
        """Each film with its page and lesson."""
        return {
            film.id: (lesson, page, film) for lesson in self.lessons for page in lesson.pages for film in page.films
        }

    @cached_property
    def questions(self) -> dict[str, tuple[Lesson, PageOutline, Question]]:
        """Each question with its page and lesson. Ids of questions differ throughout a course."""
        return {
            question.id: (lesson, page, question)
            for lesson in self.lessons
            for page in lesson.pages
            for question in page.questions
        }

    def counted(self, roles: Collection[str]) -> tuple[Lesson, ...]:
        """The lessons that a person with these roles must take: those for everyone, and those for one of the roles.

        Where there is none, all lessons: a course that asks nothing of somebody would be finished before it is begun.
        """
        held = frozenset(roles)
        wanted = tuple(
            lesson for lesson in self.lessons if lesson.required_for is None or not held.isdisjoint(lesson.required_for)
        )
        return wanted or self.lessons
