"""A person is erased while a request of theirs is in progress: it leaves nothing personal behind."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import connection

from compliance.facts.people.erasing import erase_person
from compliance.learning import preferences, sessions, taking
from compliance.learning.errors import NotHereError
from compliance.learning.models import Answer, LearnerPreference, LearnerSession
from compliance.learning.queries import Way
from compliance.tenancy import context
from tests.companies import Company, Course, Person, make_present_company
from tests.learning.courses_to_take import RIGHT, begin, lesson, page, question, teach
from tests.waiting import until_somebody_waits_for_this_transaction

LESSON = lesson("one", page("p1", question("q1")))


def erase(company: Company, person: Person) -> None:
    """Erases the person over a connection of the thread's own, which is closed afterwards."""
    try:
        erase_person(
            organization_id=company.organization_id,
            learner_profile_id=person.learner_profile_id,
            at=datetime.now(UTC),
        )
    finally:
        connection.close()


def write_all(company: Company, way: Way) -> None:
    """Writes everything personal that a learner's requests write."""
    now = datetime.now(UTC)
    taking.answer(way, "q1", RIGHT, now, number=1)
    sessions.begin(company.organization_id, way.take.learner_profile_id, "Firefox on Android", now)
    preferences.choose_language(company.organization_id, way.take.learner_profile_id, "de")


def personal(company: Company) -> list[object]:
    """The contents of the personal columns of learners' tables."""
    with context.company(company.organization_id):
        here = {"organization_id": company.organization_id}
        return [
            value
            for model, column in ((Answer, "choices"), (LearnerSession, "device"), (LearnerPreference, "language"))
            for value in model.objects.filter(**here).values_list(column, flat=True)
            if value is not None
        ]


@pytest.fixture
def company(committed: None) -> Company:
    return make_present_company()


@pytest.fixture
def anna(company: Company) -> Person:
    return company.join()


@pytest.fixture
def course(company: Company, anna: Person) -> Course:
    return teach(company, LESSON)


def test_an_erasure_waits_for_what_is_being_written_and_clears_it(
    company: Company, anna: Person, course: Course
) -> None:
    with ThreadPoolExecutor(1) as threads:
        with context.company(company.organization_id):
            write_all(company, begin(company, anna, course))
            erased = threads.submit(erase, company, anna)
            until_somebody_waits_for_this_transaction()
        erased.result(60)
    assert personal(company) == []


def test_what_comes_after_the_erasure_keeps_nothing(company: Company, anna: Person, course: Course) -> None:
    with context.company(company.organization_id):
        way = begin(company, anna, course)
    erase(company, anna)
    with pytest.raises(NotHereError), context.company(company.organization_id):
        taking.answer(way, "q1", RIGHT, datetime.now(UTC), number=1)
    with context.company(company.organization_id):
        sessions.begin(company.organization_id, anna.learner_profile_id, "Firefox on Android", datetime.now(UTC))
        preferences.choose_language(company.organization_id, anna.learner_profile_id, "de")
    assert personal(company) == []
