"""Trying out a course: the console's preview, and an author's own machine. Nothing is recorded.

Answers are kept only in the page's address: the fields that a learner posts are sent by GET here, together with those
of earlier answers. So reloading a page and going back both work.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.template.loader import render_to_string

from compliance.contentfile.course import Page, Question, Reading
from compliance.interfaces.player import sending
from compliance.interfaces.player.drawing import Answered, Player, questions_of
from compliance.interfaces.player.languages import Language, described

_MOST_ATTEMPTS = 1000


@dataclass(frozen=True)
class Trial:
    """A course that is tried out: the addresses of its pages, media and styles, and of the way back.

    `author`: on an author's machine, where the page reloads itself when the package changes.
    """

    reading: Reading
    overview: str
    page: Callable[[str], str]
    media: Callable[[str], str]
    style: Callable[[str], str]
    home: str = ""
    title: str = ""
    author: bool = False

    def draw_overview(self, request: HttpRequest) -> str:
        """The course's contents as HTML."""
        lessons = [
            {"lesson": lesson, "address": self._with(request, self.page(lesson.pages[0].id))}
            for lesson in self.reading.lessons
        ]
        return self._draw(request, "player/trial_overview.html", self.overview, {"lessons": lessons})

    def draw_page(self, request: HttpRequest, page_id: str) -> str | None:
        """A page as HTML, None when the course has no such page."""
        pages = [(lesson, page) for lesson in self.reading.lessons for page in lesson.pages]
        here = next((index for index, (_, page) in enumerate(pages) if page.id == page_id), None)
        if here is None:
            return None
        lesson, page = pages[here]
        answered, missing, carried = tried(page, request.GET)
        player = Player(
            self.reading,
            lesson,
            page,
            media=self.media,
            style=self.style,
            send_to=self.page(page_id),
            by_post=False,
            answered=answered,
            missing=missing,
            carried=(*carried, *self._kept(request)),
            reveal=request.GET.get("reveal") == "1",
        )
        before = self.page(pages[here - 1][1].id) if here else self.overview
        after = self.page(pages[here + 1][1].id) if here + 1 < len(pages) else self.overview
        values = {
            "player": player,
            "before": self._with(request, before),
            "after": self._with(request, after),
            "last": here + 1 == len(pages),
        }
        return self._draw(request, "player/trial_page.html", self.page(page_id), values)

    def _draw(self, request: HttpRequest, template: str, here: str, values: dict[str, Any]) -> str:
        reveal = request.GET.get("reveal") == "1"
        languages = [
            (each, self._with(request, here, language=each.tag)) for each in map(described, self.reading.languages)
        ]
        toggled = self._with(request, here, reveal="" if reveal else "1")
        return render_to_string(
            template,
            {"trial": self, "reading": self.reading, "language": self.language, "languages": languages}
            | {"reveal": reveal, "toggled": toggled, "overview": self._with(request, self.overview)}
            | values,
            request,
        )

    @property
    def language(self) -> Language:
        """The language that the course is read in."""
        return described(self.reading.language)

    def _kept(self, request: HttpRequest, **changed: str) -> tuple[tuple[str, str], ...]:
        """The parameters that every address of this trial keeps: the language, and whether answers are revealed."""
        kept = {"language": request.GET.get("language", "")[:35], "reveal": request.GET.get("reveal", "")[:1]} | changed
        return tuple((name, value) for name, value in kept.items() if value)

    def _with(self, request: HttpRequest, address: str, **changed: str) -> str:
        kept = urlencode(self._kept(request, **changed))
        return f"{address}?{kept}" if kept else address


def tried(page: Page, query: QueryDict) -> tuple[dict[str, Answered], frozenset[str], tuple[tuple[str, str], ...]]:
    """The answers that a query holds, the questions sent without a choice, and the fields to send along next time."""
    sent = set(query.getlist("sent"))
    answered: dict[str, Answered] = {}
    missing = set()
    carried: list[tuple[str, str]] = []
    for question in questions_of(page):
        chosen = sending.chosen(query, question) or frozenset()
        number = _number(query.get(f"after-{question.id}", ""))
        if question.id in sent:
            if chosen:
                number += 1
            else:
                missing.add(question.id)
        if number and chosen:
            answered[question.id] = _answered(question, chosen, number)
            if answered[question.id].settled:
                carried += [(f"answer-{question.id}", choice) for choice in sorted(chosen)]
                carried.append((f"after-{question.id}", str(number)))
    return answered, frozenset(missing), tuple(carried)


def _answered(question: Question, chosen: frozenset[str], number: int) -> Answered:
    right = chosen == {choice.id for choice in question.choices if choice.correct}
    left = None if question.attempts is None else max(0, question.attempts - number)
    return Answered(number, chosen, right, right or left == 0, left)


def _number(text: str) -> int:
    return min(int(text), _MOST_ATTEMPTS) if text.isascii() and text.isdigit() and len(text) < 9 else 0
