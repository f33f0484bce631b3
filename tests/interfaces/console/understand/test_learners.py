"""Managers see the progress of learners, at a constant cost; an auditor sees no names where few have begun."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.facts.courses.models import Lesson, ReleaseContent
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.learning import courses, queries, taking
from compliance.learning.models import MoreAttempts
from compliance.tenancy import context
from tests.companies import Company, Course, Person, make_present_company
from tests.interfaces.console.test_acting import confirm, do, preview
from tests.learning.courses_to_take import (
    RIGHT,
    WRONG,
    begin,
    do_everything,
    lesson,
    lesson_release_id,
    page,
    question,
    take_in,
    teach,
    teach_again,
)
from tests.verbs import share_lesson

pytestmark = pytest.mark.django_db

LESSON = lesson("one", page("p1"), page("p2", question("q1", attempts=2)), page("p3", question("q2")))


@pytest.fixture
def company() -> Company:
    return make_present_company()


def some_way(company: Company, person: Person, course: Course) -> None:
    """Opens two pages, and uses up the attempts at a question."""
    now = datetime.now(UTC)
    with context.company(company.organization_id):
        way = begin(company, person, course)
        for name in ("p1", "p2"):
            taking.read_page(way, name, now)
        for _ in range(2):
            taking.answer(way, "q1", WRONG, now)


def all_the_way(company: Company, person: Person, course: Course) -> None:
    now = datetime.now(UTC)
    with context.company(company.organization_id):
        way = begin(company, person, course)
        do_everything(way, now)
        taking.finish(way, now)


def address(company: Company, course: Course) -> str:
    return f"/console/companies/{company.organization_id}/learning/{course.course_id}/"


def words(client: Any, place: str) -> str:
    answer = client.get(place)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_it_says_who_is_how_far_and_what_is_missed(company: Company, staff: Any) -> None:
    drivers = company.team("Drivers")
    anna, bert, cleo = company.join("Anna"), company.join("Bert", team_ids=(drivers,)), company.join("Cleo")
    course = teach(company, LESSON)
    some_way(company, anna, course)
    all_the_way(company, bert, course)
    client = staff(COMPLIANCE_MANAGER)
    text = words(client, address(company, course))
    assert "2 Have begun 1 Under way 1 Finished 1 of these with every question right" in text
    assert "p2.q1 2 1 2" in text  # answered by two, one wrong at first, two wrong answers
    assert re.search(r"Anna +2 of 3 pages +1 question out of attempts +Give more", text)
    assert "Bert finished every question right" in text
    assert cleo.learner_profile_id is not None
    assert "Cleo" not in text
    of_team = words(client, f"{address(company, course)}?team={drivers}")
    assert "1 Have begun 0 Under way 1 Finished" in of_team
    assert "Anna" not in of_team
    assert "Bert" not in words(client, f"{address(company, course)}?state=begun")
    assert "Fire safety 2 1" in words(client, f"/console/companies/{company.organization_id}/learning/")
    assert client.get(f"{address(company, course)}?state=odd").status_code == 422
    line = AccessLog.objects.filter(organization_id=company.organization_id, page="learners", status=200).earliest("at")
    assert {anna.learner_profile_id, bert.learner_profile_id} == set(line.learner_profile_ids)


def test_an_auditor_sees_no_names_where_fewer_than_five_have_begun(company: Company, staff: Any) -> None:
    people = [company.join(f"Person {number}") for number in range(5)]
    course = teach(company, LESSON)
    for person in people[:4]:
        some_way(company, person, course)
    few = words(staff(AUDITOR), address(company, course))
    assert "4 Have begun" in few
    assert "Person 0" not in few
    assert "p2.q1" not in few
    some_way(company, people[4], course)
    enough = words(staff(AUDITOR), address(company, course))
    assert "Person 0" in enough
    assert "Give more" not in enough


def test_whoever_takes_the_course_and_one_lesson_of_it_is_one_person(company: Company, staff: Any) -> None:
    people = [company.join(f"Person {number}") for number in range(3)]
    course = teach(company, LESSON)
    lesson_id = lesson_release_id(LESSON)
    with context.company(company.organization_id):
        stored = Lesson.objects.get(lesson_release_id=lesson_id)
    share_lesson(
        organization_id=company.organization_id, at=company.start, now=company.now, course_id=course.course_id,
        lesson_release_id=lesson_id, title=stored.title, version=stored.version, content_sha256=stored.content_sha256,
    )  # fmt: skip
    take_in(company)
    now = datetime.now(UTC)
    for person in people:
        some_way(company, person, course)
        with context.company(company.organization_id):
            alone = courses.assignment(
                company.organization_id, person.learner_profile_id, now, lesson_release_id=lesson_id
            )
            way = taking.open_take(alone, now)
            do_everything(way, now, choices=WRONG)
    text = words(staff(COMPLIANCE_MANAGER), address(company, course))
    assert "3 Have begun 3 Under way 0 Finished" in text
    assert "p2.q1 3 3" in text
    assert "Fire safety 3 0" in words(staff(OPERATOR), f"/console/companies/{company.organization_id}/learning/")
    few = words(staff(AUDITOR), address(company, course))
    assert "3 Have begun" in few
    assert "Person 0" not in few


def test_what_goes_on_in_another_version_counts_once(company: Company, staff: Any) -> None:
    anna = company.join("Anna")
    course = teach(company, LESSON)
    some_way(company, anna, course)
    teach_again(company, course, 2, LESSON, lesson("two", page("p4")))
    with context.company(company.organization_id):
        begin(company, anna, course)
    text = words(staff(COMPLIANCE_MANAGER), address(company, course))
    assert "1 Have begun 1 Under way 0 Finished" in text
    assert "2 of 4 pages" in text.replace("  ", " ")


def test_who_has_left_is_not_there(company: Company, staff: Any) -> None:
    anna = company.join("Anna")
    course = teach(company, LESSON)
    some_way(company, anna, course)
    company.leave(anna, datetime.now(UTC))
    assert "0 Have begun" in words(staff(COMPLIANCE_MANAGER), address(company, course))


def test_more_people_take_no_more_statements(company: Company, staff: Any) -> None:
    course = teach(company, LESSON)
    client = staff(COMPLIANCE_MANAGER)
    counts = []
    for many in (2, 9):
        people = [company.join(f"Person {many} {number}") for number in range(many)]
        take_in(company)
        for person in people:
            some_way(company, person, course)
        courses.forget_contents()
        with CaptureQueriesContext(connection) as asked:
            client.get(address(company, course))
        counts.append(len(asked))
    assert counts[0] == counts[1]


class TestMoreAttempts:
    def sent(self, company: Company, person: Person, course: Course) -> dict[str, str]:
        with context.company(company.organization_id):
            take_id = begin(company, person, course).take.take_id
        return {
            "learner_profile_id": str(person.learner_profile_id),
            "question": f"{take_id}/q1",
            "attempts": "2",
        }

    def test_the_person_may_answer_again(self, company: Company, staff: Any) -> None:
        anna = company.join("Anna")
        course = teach(company, LESSON)
        some_way(company, anna, course)
        client = staff(COMPLIANCE_MANAGER)
        sent = self.sent(company, anna, course)
        text, _ = preview(client, company, "more-attempts", **sent)
        assert "p2.q1" in text
        assert not MoreAttempts.objects.exists()
        do(client, company, "more-attempts", **sent)
        line = AccessLog.objects.get(organization_id=company.organization_id, act="more-attempts")
        assert line.learner_profile_ids == [anna.learner_profile_id]
        with context.company(company.organization_id):
            way = begin(company, anna, course)
            assert queries.progress_of(way).questions["q1"].attempts_left == 2
            assert taking.answer(way, "q1", RIGHT, datetime.now(UTC)).right

    def test_what_is_settled_meanwhile_is_refused(self, company: Company, staff: Any) -> None:
        anna = company.join("Anna")
        course = teach(company, LESSON)
        some_way(company, anna, course)
        client = staff(COMPLIANCE_MANAGER)
        _, sent = preview(client, company, "more-attempts", **self.sent(company, anna, course))
        with context.company(company.organization_id):
            now = datetime.now(UTC)
            way = begin(company, anna, course)
            taking.read_page(way, "p3", now)
            taking.answer(way, "q2", RIGHT, now)
            assert taking.finish(way, now) is not None
        assert confirm(client, company, "more-attempts", sent).status_code == 200  # the form again, with the reason
        assert not MoreAttempts.objects.exists()

    def test_it_is_for_those_who_change_records(self, company: Company, staff: Any) -> None:
        assert ACTS["more-attempts"].permission == ACTS["waive"].permission
        place = f"/console/companies/{company.organization_id}/act/more-attempts/"
        assert staff(OPERATOR).get(place).status_code == 403
        assert "No question with a limit is open" in staff(COMPLIANCE_MANAGER).get(place).content.decode()


def test_without_content_there_are_numbers_alone(company: Company, staff: Any) -> None:
    anna = company.join("Anna")
    course = teach(company, LESSON)
    some_way(company, anna, course)
    with context.company(company.organization_id):
        ReleaseContent.objects.filter(organization_id=company.organization_id).delete()
    courses.forget_contents()
    text = words(staff(COMPLIANCE_MANAGER), address(company, course))
    assert "its version has no content" in text
