"""A take that another tab carries to a newer release while a request is about to finish it."""

import json
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from compliance.facts.rows import lock
from compliance.facts.training.models import Completion
from compliance.learning import sessions
from compliance.learning.models import Take
from compliance.tenancy import context
from tests.companies import Company, Course, Person, make_present_company
from tests.learning.courses_to_take import begin, do_everything, lesson, page, question, teach, teach_again
from tests.registers.recording_elsewhere import until_somebody_waits

ONE = lesson("one", page("p1"), page("p2", question("q1", attempts=3)))


@pytest.fixture
def anna_takes(committed: None) -> tuple[Company, Person, Course]:
    company = make_present_company()
    return company, company.join(), teach(company, ONE)


def finish_page(client: Client, course: Course, take_id: uuid.UUID) -> Any:
    return client.get(f"/learn/courses/{course.course_id}/finished/")


def send_from_a_device(client: Client, course: Course, take_id: uuid.UUID) -> Any:
    headers = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
    address = f"/learn/offline/{take_id}"
    return client.post(address, json.dumps({"entries": []}), content_type="application/json", headers=headers)


@pytest.mark.parametrize("ask", [finish_page, send_from_a_device])
def test_a_take_that_goes_on_in_a_newer_release_at_that_moment_is_not_finished(
    anna_takes: tuple[Company, Person, Course], ask: Callable[..., Any]
) -> None:
    company, anna, course = anna_takes
    now = datetime.now(UTC)
    with context.company(company.organization_id):
        way = begin(company, anna, course)
        do_everything(way, now)
        token = sessions.begin(company.organization_id, anna.learner_profile_id, "Firefox", now)
    client = Client()
    client.cookies["learner"] = token

    def asked() -> Any:
        try:
            return ask(client, course, way.take.take_id)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        with context.company(company.organization_id):
            lock(Take, company.organization_id, "take_id", [way.take.take_id])
            answer = threads.submit(asked)
            until_somebody_waits()  # after it has read the take, before it finishes it
            teach_again(company, course, 2, ONE, lesson("two", page("p3")))
            newer = begin(company, anna, course)
        answered = answer.result(60)
    assert newer.take.take_id != way.take.take_id
    assert answered.status_code == 200
    with context.company(company.organization_id):
        assert not Completion.objects.filter(organization_id=company.organization_id).exists()
    if ask is send_from_a_device:
        told = answered.json()
        assert (told["state"], told["changed"], told["receipt_id"]) == ("open", True, None)
