"""Long work: started by a confirmation, done by the worker, displayed by a page.

Its progress is in Redis, because the work itself may be one long transaction; without Redis the page displays no
numbers, and the work continues. Its result is in the job's row.
"""

import contextlib
import logging
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import redis
from celery import current_app
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext
from kombu.exceptions import OperationalError

from compliance.errors import ComplianceError
from compliance.facts.people.queries import erasures
from compliance.interfaces.console.acting import uploads
from compliance.interfaces.console.models import Job
from compliance.redis_client import client
from compliance.tenancy import context, turns

log = logging.getLogger(__name__)

_OF_STEPS = ("csrfmiddlewaretoken", "step", "reason", "job")
TASK = "compliance.console.run_job"
NEXT_TASK = "compliance.console.send_next"
LONG_WORK = "console-work"
"""The turn for long work: each company runs one piece at a time, so that it never occupies all workers."""
KEPT_SECONDS = 24 * 60 * 60
FINDINGS_AT_MOST = 200
DRAFTS_LAST = timedelta(hours=6)
PREPARED_LASTS = timedelta(days=7)
"""How long a prepared act waits for a second person."""
GIVEN_UP = timedelta(hours=5)
"""Work that has not ended after this time never will (a task's own limit is shorter)."""
PATIENCE = timedelta(minutes=5)
"""How long a job may wait before its task counts as lost."""


def sent(request: HttpRequest) -> dict[str, list[Any]]:
    """The values of an act's form, without those that its steps add."""
    return {name: values for name, values in request.POST.lists() if name not in _OF_STEPS}


def begin(job: Job, now: datetime, task: str = TASK) -> None:
    """Queues the job for the worker when the transaction commits. The task holds only identifiers."""
    job.state, job.asked_at, job.language = Job.State.WAITING, now, translation.get_language() or ""
    job.save()
    transaction.on_commit(lambda: _send(job, task))


def _send(job: Job, task: str) -> None:
    """Queues the task of a job. If the broker is unavailable, `send_waiting` queues it again later."""
    with contextlib.suppress(OperationalError, OSError):
        current_app.send_task(task, args=[str(job.organization_id), str(job.job_id)], retry=False)


def send_waiting(organization_id: uuid.UUID, now: datetime, tasks: Mapping[str, str]) -> None:
    """Queues the tasks of waiting jobs again, in case the broker lost them. Within the company's context.

    `tasks` maps acts with a task of their own to it. A job that is queued twice is done once (`claim`).
    """
    waiting = Job.objects.filter(
        organization_id=organization_id,
        state=Job.State.WAITING,
        asked_at__gt=now - GIVEN_UP,
        asked_at__lt=now - PATIENCE,
    )
    for job in waiting.only("organization_id", "job_id", "act"):
        _send(job, tasks.get(job.act, TASK))


def send_next(organization_id: uuid.UUID, tasks: Mapping[str, str]) -> None:
    """Queues the task of the job that has waited longest, if there is one. Within the company's context."""
    waiting = Job.objects.filter(organization_id=organization_id, state=Job.State.WAITING).order_by("asked_at")
    job = waiting.only("organization_id", "job_id", "act").first()
    if job is not None:
        _send(job, tasks.get(job.act, TASK))


def prepared(organization_id: uuid.UUID, now: datetime) -> "QuerySet[Job]":
    """The jobs of a company that a second person can confirm, newest first."""
    found = Job.objects.filter(
        organization_id=organization_id, state=Job.State.PREPARED, asked_at__gt=now - PREPARED_LASTS
    )
    return found.order_by("-asked_at").defer("upload", "findings")


def say(job: Job, done: int, total: int) -> None:
    """Stores the progress of the work."""
    with contextlib.suppress(redis.RedisError):
        client().set(f"console:job:{job.job_id}", f"{done} {total}", ex=KEPT_SECONDS)


def progress(job: Job) -> tuple[int, int]:
    """How much is done, and of how much; zeros if unknown."""
    with contextlib.suppress(redis.RedisError, ValueError):
        stored = client().get(f"console:job:{job.job_id}")
        if isinstance(stored, bytes):
            done, total = stored.decode().split()
            return int(done), int(total)
    return 0, 0


def claim(organization_id: uuid.UUID, job_id: uuid.UUID) -> Job | None:
    """Marks the job as running; None if it is running, done or removed, so that a task delivered twice works once."""
    with context.company(organization_id):
        job = (
            Job.objects.select_for_update()
            .filter(organization_id=organization_id, job_id=job_id, state=Job.State.WAITING)
            .first()
        )
        if job is not None:
            job.state, job.started_at = Job.State.RUNNING, datetime.now(UTC)
            job.save()
        return job


def run(organization_id: str, job_id: str, work: Callable[[Job, list[str]], str]) -> None:
    """Does the work of a job in the worker, once, and stores its result: the sentence that `work` returns, in the
    language of the page on which it was begun.

    `work` adds further findings to its list. While other long work of the company is running, the job waits: the end of
    that work queues the next job, behind tasks that other companies queued meanwhile.
    """
    with turns.turn(uuid.UUID(organization_id), LONG_WORK) as mine:
        if mine:
            _run(uuid.UUID(organization_id), uuid.UUID(job_id), work)
    if mine:
        with contextlib.suppress(OperationalError, OSError):
            current_app.send_task(NEXT_TASK, args=[organization_id], retry=False)


def _run(organization_id: uuid.UUID, job_id: uuid.UUID, work: Callable[[Job, list[str]], str]) -> None:
    job = claim(organization_id, job_id)
    if job is None:
        return
    with translation.override(job.language or "en"):
        _do(job, work)


def _do(job: Job, work: Callable[[Job, list[str]], str]) -> None:
    findings: list[str] = []
    try:
        message = work(job, findings)
    except ComplianceError as error:
        _finish(job, Job.State.FAILED, str(error), findings)
    except Exception:
        # End the job, so that its page does not wait for ever; the log has the details.
        log.exception("console_job_failed", extra={"job_id": str(job.job_id), "act": job.act})
        _finish(job, Job.State.FAILED, gettext("It stopped with a fault of the service. The log knows more."), [])
        raise
    else:
        _finish(job, Job.State.DONE, message, findings)


def _finish(job: Job, state: str, message: str, findings: list[str]) -> None:
    job.done, job.total = progress(job)
    job.findings = findings[:FINDINGS_AT_MOST]
    with context.company(job.organization_id):
        job.end(state, message, datetime.now(UTC))


def forget_uploads(organization_id: uuid.UUID, now: datetime) -> int:
    """Removes unconfirmed drafts that are too old or from before an erasure, and clears work that never ended.

    Within the company's context. Returns how many drafts were removed. An upload may hold anybody's personal data.
    """
    mine = Job.objects.filter(organization_id=organization_id)
    outlived = ~Q(erasures=erasures(organization_id))
    never_ended = mine.filter(state__in=(Job.State.WAITING, Job.State.RUNNING), asked_at__lt=now - GIVEN_UP)
    uploads.forget(never_ended, organization_id)
    never_ended.update(**Job.NOTHING)
    over = Q(asked_at__lte=now - PREPARED_LASTS) | (outlived & uploads.HAS_UPLOAD)
    unconfirmed = mine.filter(over, state=Job.State.PREPARED)
    uploads.forget(unconfirmed, organization_id)
    unconfirmed.update(
        state=Job.State.FAILED, finished_at=now, message=gettext("Nobody confirmed it in time."), **Job.NOTHING
    )
    return remove(mine.filter(outlived | Q(asked_at__lte=now - DRAFTS_LAST), state=Job.State.DRAFT), organization_id)


def remove(drafts: "QuerySet[Job]", organization_id: uuid.UUID) -> int:
    """Removes drafts and their files, within the company's context. Returns how many."""
    uploads.forget(drafts, organization_id)
    return drafts.delete()[0]
