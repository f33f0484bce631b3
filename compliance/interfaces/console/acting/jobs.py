"""Long work: begun by a confirmation, done by the worker, watched by a page (issue 8, part 3).

How far it is stands in Redis, because the work itself may be one long transaction; without Redis the page shows no
number, and the work goes on. What came of it stands in the job.
"""

import contextlib
import uuid
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import redis
from celery import current_app
from django.conf import settings
from django.db import transaction

from compliance.facts.people.queries import last_erasure
from compliance.interfaces.console.models import Job
from compliance.tenancy import context

TASK = "compliance.console.run_job"
KEPT_SECONDS = 24 * 60 * 60
FINDINGS_AT_MOST = 200
DRAFTS_LAST = timedelta(hours=6)
GIVEN_UP = timedelta(hours=5)
"""Work that has not ended by then never will (a task's own limit is shorter)."""


@lru_cache(maxsize=1)
def store() -> "redis.Redis":
    """Where it stands how far work is."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)


def begin(job: Job, told: dict[str, Any], now: datetime) -> None:
    """Lets the worker have the draft, once the transaction is committed. The task names only identifiers."""
    job.state, job.told, job.asked_at = Job.State.WAITING, told, now
    job.save()
    organization_id, job_id = str(job.organization_id), str(job.job_id)

    def send() -> None:
        current_app.send_task(TASK, args=[organization_id, job_id])

    transaction.on_commit(send)


def say(job: Job, done: int, total: int) -> None:
    """Tells how far the work is."""
    with contextlib.suppress(redis.RedisError):
        store().set(f"console:job:{job.job_id}", f"{done} {total}", ex=KEPT_SECONDS)


def progress(job: Job) -> tuple[int, int]:
    """How much is done, of how much; zeros when that is not known."""
    with contextlib.suppress(redis.RedisError, ValueError):
        told = store().get(f"console:job:{job.job_id}")
        if isinstance(told, bytes):
            done, total = told.decode().split()
            return int(done), int(total)
    return 0, 0


def claim(organization_id: uuid.UUID, job_id: uuid.UUID) -> Job | None:
    """Takes the job to work on it; None when it is taken, done or gone, so a task that comes twice works once."""
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


def finish(job: Job, state: str, message: str, findings: list[str]) -> None:
    """Writes down how it ended, and forgets the upload: it may hold personal data."""
    done, total = progress(job)
    with context.company(job.organization_id):
        job.state, job.message, job.findings = state, message[:500], findings[:FINDINGS_AT_MOST]
        job.finished_at, job.upload, job.told = datetime.now(UTC), None, {}
        job.done, job.total = done, total
        job.save()


def forget_uploads(organization_id: uuid.UUID, now: datetime) -> int:
    """Removes drafts that nobody confirmed, once too old or older than an erasure, and empties work that never ended.

    Within the company's context; how many drafts went. An upload may hold anybody's personal data.
    """
    mine = Job.objects.filter(organization_id=organization_id)
    erased_at = last_erasure(organization_id)
    latest = now - DRAFTS_LAST if erased_at is None else max(now - DRAFTS_LAST, erased_at)
    mine.filter(state__in=(Job.State.WAITING, Job.State.RUNNING), asked_at__lt=now - GIVEN_UP).update(
        upload=None, told={}
    )
    return mine.filter(state=Job.State.DRAFT, asked_at__lte=latest).delete()[0]
