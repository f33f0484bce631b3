"""Twenty requests at the same moment: one answer each, no attempt beyond the limit, one take, one completion."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from compliance.facts.training.models import Completion
from compliance.learning import taking
from compliance.learning.errors import QuestionSettledError
from compliance.learning.models import Answer, Take
from compliance.learning.queries import Way
from compliance.tenancy import context
from tests.companies import Company, Course, Person, make_present_company
from tests.learning.courses_to_take import (
    RIGHT,
    WRONG,
    begin,
    do_everything,
    lesson,
    page,
    question,
    teach,
    teach_again,
)
from tests.registers.recording_elsewhere import until_somebody_waits

THREADS = 20


@pytest.fixture
def anna_takes(committed: None) -> tuple[Company, Person, Course]:
    company = make_present_company()
    anna = company.join()
    return company, anna, teach(company, lesson("one", page("p1"), page("p2", question("q1", attempts=3))))


def together(company: Company, act: Callable[[int], Any]) -> list[Any]:
    """The results of `act` in twenty threads that begin at once, each with a connection of its own."""
    barrier = Barrier(THREADS, timeout=60)

    def one(number: int) -> Any:
        connection.ensure_connection()
        barrier.wait()
        try:
            with context.company(company.organization_id):
                return act(number)
        except QuestionSettledError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(one, range(THREADS)))


def opened(company: Company, anna: Person, course: Course) -> Way:
    with context.company(company.organization_id):
        return begin(company, anna, course)


def test_one_take_is_begun(anna_takes: tuple[Company, Person, Course]) -> None:
    company, anna, course = anna_takes
    found = together(company, lambda _: begin(company, anna, course).take.take_id)
    assert len(set(found)) == 1
    with context.company(company.organization_id):
        assert Take.objects.filter(organization_id=company.organization_id).count() == 1


def test_the_same_form_counts_once(anna_takes: tuple[Company, Person, Course]) -> None:
    company, anna, course = anna_takes
    way = opened(company, anna, course)
    now = datetime.now(UTC)
    found = together(company, lambda _: taking.answer(way, "q1", WRONG, now, number=1))
    assert sorted(each.repeated for each in found) == [False] + [True] * (THREADS - 1)
    assert {each.attempts_left for each in found} == {2}


def test_no_attempt_goes_beyond_the_limit(anna_takes: tuple[Company, Person, Course]) -> None:
    company, anna, course = anna_takes
    way = opened(company, anna, course)
    now = datetime.now(UTC)
    found = together(company, lambda number: taking.answer(way, "q1", WRONG, now))
    assert sum(isinstance(each, QuestionSettledError) for each in found) == THREADS - 3
    with context.company(company.organization_id):
        numbers = Answer.objects.filter(organization_id=company.organization_id).values_list("number", flat=True)
        assert sorted(numbers) == [1, 2, 3]


def test_one_completion_with_one_receipt(anna_takes: tuple[Company, Person, Course]) -> None:
    company, anna, course = anna_takes
    way = opened(company, anna, course)
    now = datetime.now(UTC)

    def last_answer_and_finish(number: int) -> uuid.UUID | None:
        own = begin(company, anna, course)
        taking.read_page(own, "p1", now)
        taking.read_page(own, "p2", now)
        taking.answer(own, "q1", RIGHT, now, number=1)
        return taking.finish(own, now)

    found = together(company, last_answer_and_finish)
    assert set(found) == {uuid.uuid5(company.organization_id, f"take/{way.take.take_id}")}
    with context.company(company.organization_id):
        (completion,) = Completion.objects.filter(organization_id=company.organization_id)
    assert completion.assessed


def test_a_take_that_another_tab_finishes_at_that_moment_is_not_carried_to_a_newer_release(
    anna_takes: tuple[Company, Person, Course],
) -> None:
    company, anna, course = anna_takes
    way = opened(company, anna, course)
    now = datetime.now(UTC)
    with context.company(company.organization_id):
        do_everything(way, now)
    teach_again(company, course, 2, lesson("one", page("p1"), page("p2", question("q1", attempts=3))))

    def open_and_finish_newer_release() -> uuid.UUID | None:
        try:
            with context.company(company.organization_id):
                return taking.finish(begin(company, anna, course), now)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        with context.company(company.organization_id):
            receipt_id = taking.finish(way, now)
            other_tab = threads.submit(open_and_finish_newer_release)
            until_somebody_waits()
        assert other_tab.result(60) is None  # nothing was done in the newer release
    with context.company(company.organization_id):
        (completion,) = Completion.objects.filter(organization_id=company.organization_id)
        take = Take.objects.get(organization_id=company.organization_id, take_id=way.take.take_id)
    assert completion.completion_receipt_id == receipt_id
    assert (take.finished_at, take.carried_at) == (now, None)
