"""The cost of a page view does not grow with pages, questions, answers, courses, or other people's takes."""

from datetime import UTC, datetime
from typing import Any

import pytest

from compliance.learning import courses, queries, taking
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.learning.courses_to_take import begin, do_everything, lesson, page, question, teach

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("pages", [2, 40])
def test_a_page_view_takes_a_few_statements(pages: int, django_assert_num_queries: Any) -> None:
    company = make_present_company()
    anna, bert = company.join(), company.join("Bert")
    course = teach(company, lesson("one", *(page(f"p{n}", question(f"q{n}")) for n in range(pages))))
    now = datetime.now(UTC)
    with context.company(company.organization_id):
        for person in (anna, bert):
            do_everything(begin(company, person, course), now, choices=["no"])
        courses.forget_contents()
        with django_assert_num_queries(8):
            view(company, anna, course, "p1", now)
        with django_assert_num_queries(9):
            way = begin(company, anna, course)
            taking.answer(way, "q1", ["yes"], now)


def view(company: Any, person: Any, course: Any, page_id: str, now: datetime) -> None:
    way = begin(company, person, course)
    taking.read_page(way, page_id, now)
    done = queries.done_of(way)
    queries.progress_of(way, done)
    queries.last_answers(way, done)


@pytest.mark.parametrize("many", [1, 6])
def test_all_that_a_person_is_in_the_midst_of_takes_as_few(many: int, django_assert_num_queries: Any) -> None:
    company = make_present_company()
    anna = company.join()
    now = datetime.now(UTC)
    for number in range(many):
        course = teach(company, lesson("one", page("p1"), page("p2")), title=f"Course {number}")
        with context.company(company.organization_id):
            taking.read_page(begin(company, anna, course), "p1", now)
    with context.company(company.organization_id):
        with django_assert_num_queries(2):
            found = courses.assignments(company.organization_id, anna.learner_profile_id, now)
        takes = queries.takes_of(company.organization_id, anna.learner_profile_id)
        lessons = {each.record_id: each.lesson_sha256 for each in found}
        with django_assert_num_queries(3):
            how_far = queries.how_far(company.organization_id, takes, lessons, now)
    assert [(each.pages_done, each.pages_in_all) for each in how_far.values()] == [(1, 2)] * many
