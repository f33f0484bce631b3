"""An erasure removes what the console keeps with names for a while: packs and uploads."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery import current_app

from compliance.facts.lines import kinds
from compliance.facts.people.erasing import FORGET_TASK, erase_invitation, erase_person
from compliance.facts.people.queries import erasures
from compliance.interfaces.console.evidence import tasks
from compliance.interfaces.console.evidence.models import Pack, PackPart
from compliance.interfaces.console.models import Job
from compliance.tenancy import context
from tests.facts.story import Story

pytestmark = pytest.mark.django_db


def _kept(story: Story, asked_at: datetime) -> None:
    """A pack and the upload of a draft, both from `asked_at`, after all erasures so far."""
    company: dict[str, Any] = {"organization_id": story.organization_id}
    with context.company(story.organization_id):
        company["erasures"] = erasures(story.organization_id)
        job = Job.objects.create(
            **company, act="import", user_id=1, username="staff", asked_at=asked_at, upload=b'{"person_name": "Ana"}'
        )
        Pack.objects.create(
            **company, job_id=job.job_id, first_day=asked_at, last_day=asked_at, capture_sequence=1,
            file_name="pack.zip", begun_at=asked_at, built=True,
        )  # fmt: skip
        PackPart.objects.create(organization_id=story.organization_id, job_id=job.job_id, number=0, content=b"Ana")


def _forget(*stories: Story) -> None:
    for story in stories:
        tasks.forget_of(str(story.organization_id))


def _left(story: Story) -> list[int]:
    with context.company(story.organization_id):
        return [model.objects.count() for model in (Job, Pack, PackPart)]


def test_packs_and_uploads_from_before_an_erasure_go_and_later_ones_stay() -> None:
    now = datetime.now(UTC)
    story, elsewhere = Story(now), Story(now)
    person, invitation_id = story.employee("Ana"), uuid.uuid4()
    story.tell(
        [kinds.PersonInvited(fact_id=uuid.uuid4(), at=now, invitation_id=invitation_id, work_email="a@b.example")]
    )
    for each in (story, elsewhere):
        _kept(each, now - timedelta(minutes=1))
    _forget(story, elsewhere)
    assert _left(story) == _left(elsewhere) == [1, 1, 1]
    erase_person(organization_id=story.organization_id, learner_profile_id=person, at=now)
    _forget(story, elsewhere)
    assert (_left(story), _left(elsewhere)) == ([0, 0, 0], [1, 1, 1])
    _kept(story, now + timedelta(seconds=1))
    _forget(story)
    assert _left(story) == [1, 1, 1]
    later = now + timedelta(seconds=2)
    erase_invitation(organization_id=story.organization_id, invitation_id=invitation_id, at=later)
    _forget(story)
    assert _left(story) == [0, 0, 0]


def test_drafts_go_after_hours_and_work_that_never_ended_loses_its_upload() -> None:
    now = datetime.now(UTC)
    story = Story(now)
    company = {"organization_id": story.organization_id, "act": "import", "user_id": 1, "username": "staff"}
    with context.company(story.organization_id):
        for hours, state in ((7, "draft"), (5, "draft"), (6, "running"), (1, "running")):
            Job.objects.create(**company, state=state, asked_at=now - timedelta(hours=hours), upload=b"Ana")
    _forget(story)
    with context.company(story.organization_id):
        left = [(job.state, job.upload is None) for job in Job.objects.order_by("asked_at")]
    assert left == [("running", True), ("draft", False), ("running", False)]


def test_an_erasure_asks_the_worker_to_forget_at_once(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks
) -> None:
    now = datetime.now(UTC)
    story = Story(now)
    person = story.employee("Ana")
    sent = _sent(monkeypatch)
    with django_capture_on_commit_callbacks(execute=True):
        erase_person(organization_id=story.organization_id, learner_profile_id=person, at=now)
    assert [task for task in sent if task[0] == FORGET_TASK] == [(FORGET_TASK, [str(story.organization_id)])]


def test_each_hour_every_company_gets_a_task_of_its_own(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    stories = [Story(datetime.now(UTC)) for _ in range(2)]
    sent = _sent(monkeypatch)
    tasks.forget()
    assert sorted(sent) == sorted((FORGET_TASK, [str(story.organization_id)]) for story in stories)


def test_it_runs_where_packs_are_built_and_delays_no_capture() -> None:
    queues = {current_app.amqp.router.route({}, task.name)["queue"].name for task in (tasks.forget, tasks.forget_of)}
    assert queues == {current_app.amqp.router.route({}, tasks.build.name)["queue"].name} == {"long"}


def _sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """The tasks that are sent from here on, with their arguments."""
    sent: list[tuple[str, list[str]]] = []
    monkeypatch.setattr("celery.current_app.send_task", lambda name, args=(), **_: sent.append((name, list(args))))
    return sent
