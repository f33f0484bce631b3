"""The parts of a course that count towards finishing it: its lessons, their pages, and the questions on them.

An outline has no texts and no media, so it is small and the same in all languages.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Question:
    """A question. `right` are the choices that make a right answer; `attempts` None: no limit."""

    id: str
    kind: str
    right: frozenset[str]
    choices: frozenset[str]
    attempts: int | None

    def is_right(self, choices: Collection[str]) -> bool:
        """Whether an answer is right: it names all right choices and no others."""
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
    """A page: all its questions in reading order, those of them that belong to its films, and its films."""

    id: str
    questions: tuple[Question, ...]
    films: tuple[Film, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson. `sha256` is its fingerprint: progress counts while it is unchanged. `required_for` None: everybody."""

    id: str
    sha256: str
    required_for: frozenset[str] | None
    pages: tuple[PageOutline, ...]


@dataclass(frozen=True)
class Outline:
    """The lessons of a course in reading order; for a lesson that was shared alone, only that lesson."""

    lessons: tuple[Lesson, ...]

    @cached_property
    def lesson_of_page(self) -> dict[str, Lesson]:
        """The lesson that each page belongs to. Identifiers of pages are unique within a course."""
        return {page.id: lesson for lesson in self.lessons for page in lesson.pages}

    @cached_property
    def films(self) -> dict[str, tuple[Lesson, PageOutline, Film]]:
        """Each film with its page and lesson."""
        return {
            film.id: (lesson, page, film) for lesson in self.lessons for page in lesson.pages for film in page.films
        }

    @cached_property
    def questions(self) -> dict[str, tuple[Lesson, PageOutline, Question]]:
        """Each question with its page and lesson. Identifiers of questions are unique within a course."""
        return {
            question.id: (lesson, page, question)
            for lesson in self.lessons
            for page in lesson.pages
            for question in page.questions
        }

    def counted(self, roles: Collection[str]) -> tuple[Lesson, ...]:
        """The lessons that a person with these roles must take: those for everyone, and those for one of the roles.

        If there are none, all lessons: otherwise the course would be finished before it is begun.
        """
        held = frozenset(roles)
        wanted = tuple(
            lesson for lesson in self.lessons if lesson.required_for is None or not held.isdisjoint(lesson.required_for)
        )
        return wanted or self.lessons
