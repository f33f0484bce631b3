"""The history's background tasks: each may run twice, and none fails for a company that does not exist."""

import uuid

import pytest

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.history import tasks
from tests.companies import make_company
from tests.history.reading import captures, rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting():
    company = make_company()
    company.share(company.course())
    company.join("Anna")
    return company


def test_a_capture_task_captures_once_however_often_it_comes(waiting):
    for _ in range(3):
        tasks.capture(str(waiting.organization_id))
    assert len(rows(waiting.organization_id, TRAINING_RECORDS.number)) == 1
    assert len(captures(waiting.organization_id)) == 2


def test_a_company_that_is_gone_fails_no_task():
    nobody = str(uuid.uuid4())
    tasks.capture(nobody)
    tasks.sweep_company(nobody)
