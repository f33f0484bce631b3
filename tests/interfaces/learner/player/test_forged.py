"""A forged request does not finish a course: only the server's own record of pages and answers does."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client

from compliance.facts.training.models import Completion
from compliance.learning.models import Answer, PageRead
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, make_present_company
from tests.learning.courses_to_take import film, lesson, page, question, teach, teach_again

pytestmark = pytest.mark.django_db

LESSON = lesson("one", page("p1"), page("p2", question("q1")), page("p3", film(question("q2"))))


def completions(company: Company) -> int:
    with context.company(company.organization_id):
        return Completion.objects.filter(organization_id=company.organization_id).count()


def answered(question_id: str, choice: str = "yes") -> dict[str, str]:
    return {"sent": question_id, f"answer-{question_id}": choice, f"after-{question_id}": "0"}


def test_answers_to_pages_that_were_never_opened_finish_nothing(signed_in: Callable[..., Client]) -> None:
    company = make_present_company()
    anna = company.join()
    course = teach(company, LESSON)
    client = signed_in(company.organization_id, anna.learner_profile_id)
    base = f"/learn/courses/{course.course_id}/"
    assert client.post(f"{base}p2", answered("q1")).status_code == 303
    assert client.post(f"{base}p3", answered("q2")).status_code == 303
    assert client.post(f"{base}p3", {"film": "film-p3-2", "scene": "s0"}).status_code == 303
    assert client.post(f"{base}finished/").status_code == 405
    assert "left to do" in client.get(f"{base}finished/").content.decode()
    client.get(f"{base}p2")
    client.get(f"{base}p3")
    assert completions(company) == 0  # the first page is still unread
    client.get(f"{base}p1")
    assert completions(company) == 1
    client.get(f"{base}p1")
    client.get(f"{base}finished/")
    assert completions(company) == 1


def test_an_answer_to_a_question_of_another_page_is_refused(signed_in: Callable[..., Client]) -> None:
    company = make_present_company()
    anna = company.join()
    course = teach(company, LESSON)
    client = signed_in(company.organization_id, anna.learner_profile_id)
    base = f"/learn/courses/{course.course_id}/"
    assert client.post(f"{base}p1", answered("q1")).status_code == 400
    assert client.post(f"{base}p2", answered("q1", "perhaps")).status_code == 400
    with context.company(company.organization_id):
        assert not Answer.objects.filter(organization_id=company.organization_id).exists()


def test_a_version_that_is_withdrawn_midway_counts_nothing_more_and_loses_nothing(
    signed_in: Callable[..., Client],
) -> None:
    company = make_present_company()
    anna = company.join()
    course = teach(company, LESSON)
    client = signed_in(company.organization_id, anna.learner_profile_id)
    base = f"/learn/courses/{course.course_id}/"
    client.get(f"{base}p1")
    verbs.withdraw_release(
        organization_id=company.organization_id,
        at=datetime.now(UTC),
        course_release_id=course.course_release_id,
    )
    for answer in (client.get(f"{base}p2"), client.post(f"{base}p2", answered("q1")), client.get(f"{base}finished/")):
        assert answer.status_code == 410
    with context.company(company.organization_id):
        assert PageRead.objects.filter(organization_id=company.organization_id).count() == 1
        assert not Answer.objects.filter(organization_id=company.organization_id).exists()
    teach_again(company, course, 2, LESSON)
    assert client.get(f"{base}p2").status_code == 200
    with context.company(company.organization_id):
        assert PageRead.objects.filter(organization_id=company.organization_id, page_id="p1").count() == 2


def test_whoever_leaves_midway_sends_nothing_more(signed_in: Callable[..., Client]) -> None:
    company = make_present_company()
    anna = company.join()
    course = teach(company, LESSON)
    client = signed_in(company.organization_id, anna.learner_profile_id)
    base = f"/learn/courses/{course.course_id}/"
    client.get(f"{base}p1")
    company.leave(anna, datetime.now(UTC))
    assert client.post(f"{base}p2", answered("q1")).status_code == 403
    assert client.get(f"{base}p2").status_code == 403
    with context.company(company.organization_id):
        assert not Answer.objects.filter(organization_id=company.organization_id).exists()


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_to_which_another_site_leads_is_not_read_and_begins_nothing(
    signed_in: Callable[..., Client], site: str
) -> None:
    company = make_present_company()
    anna = company.join()
    course = teach(company, lesson("one", page("p1"), page("p2")))
    client = signed_in(company.organization_id, anna.learner_profile_id)
    base = f"/learn/courses/{course.course_id}/"
    foreign, own = {"Sec-Fetch-Site": site}, {"Sec-Fetch-Site": "same-origin"}
    assert client.get(base, headers=foreign).status_code == 200  # a link in a letter leads here
    assert client.get(f"{base}p1", headers=foreign).headers["Location"] == base
    client.get(f"{base}p1", headers={"Sec-Fetch-Site": "none"})
    assert client.get(f"{base}p2", headers=foreign).status_code == 200
    client.get(f"{base}finished/", headers=foreign)
    assert completions(company) == 0
    with context.company(company.organization_id):
        reads = PageRead.objects.filter(organization_id=company.organization_id)
        assert list(reads.values_list("page_id", flat=True)) == ["p1"]
    assert f'href="{base}p2"' in client.get(f"{base}finished/", headers=own).content.decode()
    client.get(f"{base}p2", headers=own)
    assert completions(company) == 1
