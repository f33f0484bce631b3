"""Whatever a person does, in any order and through new releases, the result agrees with the slow implementation."""

import random
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from compliance.facts.training.models import Completion
from compliance.learning import queries, taking
from compliance.learning.errors import QuestionSettledError, TakeClosedError
from compliance.learning.queries import Way
from compliance.rules.taking.progress import Answered
from compliance.tenancy import context
from tests.companies import Company, make_present_company
from tests.learning.courses_to_take import RIGHT, WRONG, begin, film, lesson, page, question, teach, teach_again
from tests.rules.taking.slow_progress import SlowProgress

pytestmark = pytest.mark.django_db


class Known:
    """What the slow implementation remembers of what was done."""

    def __init__(self) -> None:
        self.pages: set[tuple[str, str]] = set()
        self.films: set[tuple[str, str]] = set()
        self.answers: list[Answered] = []
        self.more: dict[str, int] = {}

    def slow(self, way: Way) -> SlowProgress:
        return SlowProgress(way.outline, set(way.roles), self.pages, self.answers, self.more, self.films)

    def carry(self, before: Way, after: Way) -> None:
        """Keeps what belongs to unchanged lessons."""
        same = {each.sha256 for each in before.outline.lessons} & {each.sha256 for each in after.outline.lessons}
        self.pages = {each for each in self.pages if each[0] in same}
        self.films = {each for each in self.films if each[0] in same}
        self.answers = [each for each in self.answers if each.lesson_sha256 in same]
        kept = {name for name, (one, _, _) in after.outline.questions.items() if one.sha256 in same}
        self.more = {name: number for name, number in self.more.items() if name in kept}


def lessons(chance: random.Random) -> list[dict[str, Any]]:
    """A version: some lessons as in every version, some with another text."""
    texts = [chance.choice(("text", "other")) for _ in range(3)]
    return [
        lesson("one", page("p1", question("q1", attempts=2), text=texts[0]), page("p2")),
        lesson("two", page("p3", film(question("q2", attempts=1)), text=texts[1])),
        lesson("three", page("p4", question("q3"), text=texts[2]), roles=["driver"]),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_it_counts_as_the_words_say(seed: int) -> None:
    chance = random.Random(seed)
    company = make_present_company()
    anna = company.join(role_ids=("driver",) if seed % 2 else ())
    course = teach(company, *lessons(chance))
    known, version = Known(), 1
    with context.company(company.organization_id):
        way = begin(company, anna, course)
    for _ in range(40):
        if chance.random() < 0.05 and not way.finished:
            version += 1
            teach_again(company, course, version, *lessons(chance))
            with context.company(company.organization_id):
                after = begin(company, anna, course)
            known.carry(way, after)
            way = after
        with context.company(company.organization_id):
            step(chance, company, way, known)
            way = begin(company, anna, course)
            compare(company, way, known)
        if way.finished:
            break
    else:
        with context.company(company.organization_id):
            assert taking.finish(way, datetime.now(UTC)) is None


def step(chance: random.Random, company: Company, way: Way, known: Known) -> None:
    """One random action of a person or a manager."""
    now = datetime.now(UTC)
    one = chance.choice(way.outline.lessons)
    shown = chance.choice(one.pages)
    what = chance.random()
    if what < 0.35:
        taking.read_page(way, shown.id, now)
        known.pages.add((one.sha256, shown.id))
    elif what < 0.5:
        for each in shown.films:
            taking.see_film(way, each.id, each.last_scene, now)
            known.films.add((one.sha256, each.id))
    elif what < 0.8:
        for asked in shown.questions:
            answer(chance.random() < 0.4, way, known, one, asked)
    elif what < 0.9:
        name = chance.choice(sorted(way.outline.questions))
        taking.give_attempts(company.organization_id, way.take.take_id, name, 1, actor_id=uuid.uuid4(), now=now)
        known.more[name] = known.more.get(name, 0) + 1
    finished = known.slow(way).finished()
    assert (taking.finish(way, now) is not None) == finished


def answer(right: bool, way: Way, known: Known, one: Any, asked: Any) -> None:
    """An answer, sent twice: it counts once, and not at all if the question is settled."""
    number = len(known.slow(way).counted_answers(one, asked)) + 1
    choices = RIGHT if right else WRONG
    if known.slow(way).state(one, asked) != "open":
        with pytest.raises(QuestionSettledError):
            taking.answer(way, asked.id, choices, datetime.now(UTC), number=number)
        return
    first = taking.answer(way, asked.id, choices, datetime.now(UTC), number=number)
    again = taking.answer(way, asked.id, choices, datetime.now(UTC), number=number)
    known.answers.append(Answered(one.sha256, asked.id, number, right))
    assert (first.right, first.number, first.repeated, again.repeated) == (right, number, False, True)
    assert first.attempts_left == again.attempts_left == known.slow(way).left(one, asked)


def compare(company: Company, way: Way, known: Known) -> None:
    """Stored pages, questions and completion agree with the slow implementation."""
    slow, found = known.slow(way), queries.progress_of(way)
    assert (found.finished, found.next_page_id, found.assessed) == (slow.finished(), slow.next_page(), slow.assessed())
    completions = Completion.objects.filter(organization_id=company.organization_id)
    assert [each.assessed for each in completions] == ([slow.assessed()] if way.finished else [])
    if way.finished:
        with pytest.raises(TakeClosedError):
            taking.answer(way, "q1", RIGHT, datetime.now(UTC), number=99)
