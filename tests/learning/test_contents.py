"""Contents are read once by a process, and again once missing ones are published."""

from typing import Any

import pytest

from compliance.facts.courses.models import ReleaseContent
from compliance.learning import courses
from compliance.learning.errors import NoContentError
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.learning.courses_to_take import lesson, page, question, teach

pytestmark = pytest.mark.django_db

LESSON = lesson("one", page("p1", question("q1")))


def test_a_content_is_read_once_and_anew_when_its_package_is_published(django_assert_num_queries: Any) -> None:
    company = make_present_company()
    course = teach(company, LESSON)
    organization_id, release_id = company.organization_id, course.course_release_id
    with context.company(organization_id):
        with django_assert_num_queries(2):
            first = courses.content(organization_id, release_id)
        with django_assert_num_queries(1):
            assert courses.content(organization_id, release_id) is first
        assert first.prompt("q1") == "p1.q1"  # without texts
        words = {"de": {"p1.q1": "Was zuerst?"}, "en": {"p1.q1": "What first?"}}
        ReleaseContent.objects.filter(organization_id=organization_id).update(
            manifest={"languages": ["en", "de"]}, words=words
        )
        assert courses.content(organization_id, release_id).prompt("q1") == "What first?"
        with django_assert_num_queries(0):
            courses.content(organization_id, release_id)


def test_another_company_reads_nothing_of_what_is_kept() -> None:
    company, other = make_present_company(), make_present_company("Other")
    course = teach(company, LESSON)
    with context.company(company.organization_id):
        courses.content(company.organization_id, course.course_release_id)
    with context.company(other.organization_id), pytest.raises(NoContentError):
        courses.content(other.organization_id, course.course_release_id)


def test_so_much_is_kept_and_the_last_used_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    company = make_present_company()
    made = [teach(company, lesson(f"l{number}", page(f"p{number}"))).course_release_id for number in range(3)]
    with context.company(company.organization_id):
        size = courses.content(company.organization_id, made[0]).size
        kept = courses._Contents(2 * size + 1)
        monkeypatch.setattr(courses, "_contents", kept)
        for each in (made[0], made[1], made[0], made[2]):
            courses.content(company.organization_id, each)
    held = [each for each in made if kept.get((company.organization_id, each)) is not None]
    assert held == [made[0], made[2]]
