"""The data of the player's templates: a page, and everything about it that differs between readers.

Only this module reads which choices are right, and passes it to a template only for a preview that reveals the answers:
a template cannot send to a browser what it does not have.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from compliance.contentfile.course import Film, Lesson, Page, Question, Reading
from compliance.interfaces.player.languages import Language, described, direction


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to a question so far. `number` counts them; `chosen` is the last one, None when unknown."""

    number: int = 0
    chosen: frozenset[str] | None = None
    right: bool = False
    settled: bool = False
    attempts_left: int | None = None


@dataclass(frozen=True, slots=True)
class Offered:
    """A choice as a reader sees it. `right` is known in a preview that reveals the answers, else None."""

    id: str
    text: str
    chosen: bool
    feedback: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a reader sees it.

    `state` is open, again (wrong, and not the last attempt), right, out (of attempts), or closed (none was given in
    time).
    """

    id: str
    prompt: str
    several: bool
    choices: tuple[Offered, ...]
    state: str
    number: int
    attempts_left: int | None
    feedback: str
    missing: bool

    @property
    def settled(self) -> bool:
        """Whether it takes no more answers."""
        return self.state in ("right", "out", "closed")


@dataclass(frozen=True, slots=True)
class Player:
    """A page as one reader sees it.

    `media` and `style` give the addresses of a media id ("" where its file is not kept) and of a film's style. Answers
    are sent to `send_to`: by POST where they are recorded, by GET where a page only tries them out; `carried` are
    fields that its forms send along: the version of the lesson, or the earlier answers that nothing else stores.
    `missing` are questions that were sent without a choice, `seen` the films that were played to their end, None where
    that is not counted. `closed`: no more answers are accepted.
    """

    reading: Reading
    lesson: Lesson
    page: Page
    media: Callable[[str], str]
    style: Callable[[str], str]
    send_to: str
    by_post: bool
    answered: Mapping[str, Answered] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    chosen: Mapping[str, frozenset[str]] = field(default_factory=dict)
    seen: frozenset[str] | None = None
    carried: tuple[tuple[str, str], ...] = ()
    reveal: bool = False
    closed: bool = False

    @property
    def language(self) -> Language:
        """The language that the page's words are in."""
        return described(self.reading.language)

    @property
    def ours(self) -> SafeString:
        """The attributes of an element within the page whose words are the player's own, in the reader's language."""
        language = get_language() or "en"
        if language.partition("-")[0] == self.reading.language.partition("-")[0]:
            return SafeString("")
        return format_html(' lang="{}" dir="{}"', language, direction(language))

    @property
    def films(self) -> tuple[Film, ...]:
        """The films of the page."""
        return films_of(self.page)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of the page outside of its films."""
        return tuple(block for block in self.page.blocks if isinstance(block, Question))

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """Those of them that still take an answer."""
        return tuple(each for each in self.questions if not self.closed and not self._answered(each).settled)

    @property
    def waiting(self) -> bool:
        """Whether anything of the page has still to be answered or played."""
        if self.closed:
            return False
        asked = [scene.question for film in self.films for scene in film.scenes if scene.question]
        unanswered = any(not self._answered(each).settled for each in (*self.questions, *asked))
        return unanswered or self.unplayed

    @property
    def unplayed(self) -> bool:
        """Whether a film of the page has still to be played to its end."""
        return self.seen is not None and any(film.scope not in self.seen for film in self.films)

    @property
    def faults(self) -> tuple[tuple[str, str], ...]:
        """The questions that were sent without a choice: the id of the first choice, and the prompt."""
        return tuple(
            (f"choice-{each.id}_{each.choices[0].id}", each.prompt)
            for each in questions_of(self.page)
            if each.id in self.missing
        )

    def asked(self, question: Question) -> Asked:
        """A question of the page as its reader sees it, with the feedback on their last answer."""
        answered = self._answered(question)
        if answered.right:
            state = "right"
        elif answered.settled:
            state = "out"
        elif self.closed:
            state = "closed"
        else:
            state = "again" if answered.number else "open"
        chosen = self.chosen.get(question.id, answered.chosen) or frozenset()
        return Asked(
            id=question.id,
            prompt=question.prompt,
            several=question.kind == "multiple",
            choices=tuple(
                Offered(
                    choice.id,
                    choice.text,
                    choice.id in chosen,
                    choice.feedback
                    if self.reveal or (answered.chosen is not None and choice.id in answered.chosen)
                    else "",
                    choice.correct if self.reveal else None,
                )
                for choice in question.choices
            ),
            state=state,
            number=answered.number,
            attempts_left=answered.attempts_left if answered.number else question.attempts,
            # It explains the answer, so it is left out while the reader can still try.
            feedback=question.feedback if answered.settled or self.reveal else "",
            missing=question.id in self.missing,
        )

    def _answered(self, question: Question) -> Answered:
        return self.answered.get(question.id, _NOT_YET)


def films_of(page: Page) -> tuple[Film, ...]:
    """The films of a page in reading order."""
    return tuple(block for block in page.blocks if isinstance(block, Film))


def questions_of(page: Page) -> tuple[Question, ...]:
    """All questions of a page in reading order, those of its films among them."""
    found: list[Question] = []
    for block in page.blocks:
        if isinstance(block, Question):
            found.append(block)
        elif isinstance(block, Film):
            found += [scene.question for scene in block.scenes if scene.question is not None]
    return tuple(found)


_NOT_YET = Answered()
