"""Tasks that keep the service going. Each is safe to repeat and to run twice at once; only tasks read the clock.

A task for all companies only sends one task per company, so that a failure affects one company only.
"""

import contextlib
import uuid
from datetime import UTC, datetime

import redis
from celery import current_app, shared_task
from django.conf import settings

from compliance.interfaces.operations import access_log, reminders, tidying, verification
from compliance.interfaces.operations.errors import BeingVerifiedError
from compliance.interfaces.pages.certificate_pdf import enclosed_certificate
from compliance.letters import news, sending
from compliance.letters.actions import SEND_TASK, send_soon
from compliance.letters.queries import companies_with_letters_due
from compliance.tenancy import lost
from compliance.tenancy.models import Organization

AWAY = (*lost.ERRORS, redis.RedisError, OSError)
RETRY = {"autoretry_for": AWAY, "retry_backoff": 5, "retry_backoff_max": 300, "retry_jitter": True, "max_retries": 5}


def now() -> datetime:
    """The present, in UTC."""
    return datetime.now(UTC)


@shared_task(name="compliance.operations.remind_all", ignore_result=True, **RETRY)
def remind_all() -> None:
    """Each hour: sends one task per company, if REMINDERS is on."""
    if settings.REMINDERS:
        _hand_out("compliance.operations.remind", expires=3600)


@shared_task(name="compliance.operations.remind", ignore_result=True, **RETRY)
def remind(organization_id: str) -> None:
    """Sends one company's reminders that are due, and gives up those that a crash left unfinished."""
    company = uuid.UUID(organization_id)
    reminders.forget_unfinished(company, now())
    if reminders.send_due(company, now).more:
        remind.apply_async((organization_id,), expires=3600)


@shared_task(name="compliance.letters.look_all", ignore_result=True)
def look_at_letters() -> None:
    """Each minute: sends one task for each company that has letters due, or news to write about."""
    waiting = companies_with_letters_due(now())
    if settings.REMINDERS:
        waiting |= news.companies_behind()
    for organization_id in waiting:
        current_app.send_task("compliance.letters.look", [str(organization_id)], expires=60)


@shared_task(name="compliance.letters.look", ignore_result=True, **RETRY)
def look_at_letters_of(organization_id: str) -> None:
    """Writes letters about the news of one company, if REMINDERS is on, and sends those that are due."""
    if settings.REMINDERS:
        news.read(uuid.UUID(organization_id), now())
    send_letters(organization_id)


@shared_task(name=SEND_TASK, ignore_result=True, **RETRY)
def send_letters(organization_id: str) -> None:
    """Sends one company's letters that are due."""
    if sending.send_due(uuid.UUID(organization_id), now, enclosed_certificate).more:
        send_soon(uuid.UUID(organization_id))


@shared_task(name="compliance.operations.verify_all", ignore_result=True, **RETRY)
def verify_all() -> None:
    """Each night: verifies the tables' protections, and sends tasks for the log, the access log and each company."""
    verification.verify_protections()
    current_app.send_task("compliance.operations.verify_log", expires=24 * 3600)
    current_app.send_task("compliance.operations.verify_access_log", expires=24 * 3600)
    _hand_out("compliance.operations.verify", expires=24 * 3600)


# Acknowledged at once: it may take longer than the broker's visibility_timeout, which would hand it out again. One that
# is lost to a crash is visible as an old verification, and the next night repeats it.
@shared_task(
    name="compliance.operations.verify",
    ignore_result=True,
    acks_late=False,
    time_limit=4 * 3600,
    soft_time_limit=4 * 3600 - 60,
    **RETRY,
)
def verify(organization_id: str) -> None:
    """Verifies one company's history, receipts and entries in the log; a fault closes it to readers and alerts."""
    with contextlib.suppress(BeingVerifiedError):
        verification.verify_company(uuid.UUID(organization_id), now)


@shared_task(
    name="compliance.operations.verify_log",
    ignore_result=True,
    acks_late=False,
    time_limit=4 * 3600,
    soft_time_limit=4 * 3600 - 60,
    **RETRY,
)
def verify_log() -> None:
    """Recomputes the published log; a fault alerts."""
    verification.verify_log()


@shared_task(
    name="compliance.operations.verify_access_log",
    ignore_result=True,
    acks_late=False,
    time_limit=4 * 3600,
    soft_time_limit=4 * 3600 - 60,
    **RETRY,
)
def verify_access_log() -> None:
    """Verifies the chains of the access log; a fault alerts."""
    access_log.verify(now())


@shared_task(name="compliance.operations.tidy", ignore_result=True, **RETRY)
def tidy() -> None:
    """Each hour: tidies expired keys and sources and ended sessions of staff, and sends one task for each company."""
    tidying.expire_keys(now())
    tidying.expire_sources(now())
    tidying.clear_sessions(now())
    _hand_out("compliance.operations.tidy_company", expires=3600)


@shared_task(name="compliance.operations.tidy_company", ignore_result=True, **RETRY)
def tidy_company(organization_id: str) -> None:
    """Removes one company's expired links, ended sessions, letters settled and webhooks tried long ago."""
    tidying.tidy_company(uuid.UUID(organization_id), now())


def _hand_out(task: str, *, expires: int) -> None:
    """Sends one task per company. It is dropped if it waits longer than `expires` seconds; the next run repeats it."""
    for organization_id in Organization.objects.values_list("organization_id", flat=True):
        current_app.send_task(task, [str(organization_id)], expires=expires)
