"""Long work of one company waits for its turn, so that workers are free for other companies."""

import json
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.tasks import send_next
from compliance.redis_client import client
from compliance.tenancy import context
from compliance.tenancy.turns import turn
from tests.companies import make_company

pytestmark = pytest.mark.django_db


@pytest.fixture
def company():
    return make_company().organization_id


def waiting(organization_id, minutes_ago=0):
    """A job that a member of staff has just confirmed."""
    with context.company(organization_id):
        return Job.objects.create(
            organization_id=organization_id, job_id=uuid.uuid4(), act="import", state=Job.State.WAITING, user_id=1,
            username="manuela", asked_at=timezone.now() - timedelta(minutes=minutes_ago),
        )  # fmt: skip


def state(job):
    with context.company(job.organization_id):
        job.refresh_from_db()
    return job.state


def sent(queue, identifier):
    """The tasks about `identifier` in a queue, which other processes of the suite share."""
    headers = [json.loads(message)["headers"] for message in client().lrange(queue, 0, -1)]
    return [each["task"] for each in headers if str(identifier) in each["argsrepr"]]


def done(job, findings):
    return "Done."


def test_a_second_piece_waits_until_the_first_has_ended_and_is_sent_then(company):
    first, second = waiting(company, 2), waiting(company, 1)
    other = waiting(make_company().organization_id)

    def work(job, findings):
        jobs.run(str(company), str(second.job_id), done)
        jobs.run(str(other.organization_id), str(other.job_id), done)
        assert (state(second), state(other)) == (Job.State.WAITING, Job.State.DONE)
        return "Done."

    jobs.run(str(company), str(first.job_id), work)
    assert (state(first), state(second)) == (Job.State.DONE, Job.State.WAITING)
    assert sent("celery", company) == [jobs.NEXT_TASK]
    send_next(str(company))
    assert sent("long", second.job_id) == [jobs.TASK]
    jobs.run(str(company), str(second.job_id), done)
    assert state(second) == Job.State.DONE


def test_what_fails_ends_its_turn(company):
    first, second = waiting(company, 2), waiting(company, 1)

    def fails(job, findings):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        jobs.run(str(company), str(first.job_id), fails)
    assert state(first) == Job.State.FAILED
    with turn(company, jobs.LONG_WORK) as mine:
        assert mine
    jobs.run(str(company), str(second.job_id), done)
    assert state(second) == Job.State.DONE
