"""Counts of rows that take too long for a request: the worker counts them.

How many rows a register had at a chosen moment, as known at a capture, never changes. So the number is kept in Redis
for a week, under a key made of the whole question. Without Redis the page has no number.
"""

import contextlib
import hashlib
import uuid
from datetime import datetime

import redis
from celery import current_app
from kombu.exceptions import OperationalError

from compliance.interfaces.console.moments import company_of, pin_of
from compliance.redis_client import client
from compliance.registers import pages
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Question
from compliance.tenancy import context, queries, sql

TASK = "compliance.console.count"
KEPT_SECONDS = 7 * 24 * 3600
ASKED_SECONDS = 600
"""The worker is asked at most once in this time, however often the page is opened."""

_ASKED = b"-"


def arguments(question: Question, register: str, word: str) -> list[str]:
    """The arguments of the worker's task: identifiers and moments only."""
    return [
        str(question.company.organization_id),
        register,
        word,
        str(question.pin.capture_sequence),
        question.moment.isoformat(),
        "" if question.start is None else question.start.isoformat(),
        "" if question.course is None else str(question.course),
    ]


def number(question: Question, register: str, word: str) -> int | None:
    """How many rows there are; None until the worker has counted them. The first call starts the count."""
    asked = arguments(question, register, word)
    with contextlib.suppress(redis.RedisError, OperationalError, OSError):
        name = _name(question, asked)
        found = client().get(name)
        if isinstance(found, bytes) and found != _ASKED:
            return int(found)
        if client().set(name, _ASKED, nx=True, ex=ASKED_SECONDS):
            try:
                current_app.send_task(TASK, args=asked, expires=ASKED_SECONDS, retry=False)
            except (OperationalError, OSError):
                client().delete(name)  # no worker was asked: the next call asks again
                raise
    return None


def count(organization_id: str, register: str, word: str, known: str, moment: str, start: str, course: str) -> None:
    """Counts the rows of the question in `arguments`, and keeps the number."""
    organization = queries.organization(uuid.UUID(organization_id))
    with context.company(organization.organization_id):
        sql.execute(f"SET LOCAL statement_timeout = {ASKED_SECONDS * 1000}")
        pin, _, _ = pin_of(organization.organization_id, known)
        question = Question(
            company_of(organization),
            pin,
            datetime.fromisoformat(moment),
            datetime.fromisoformat(start) if start else None,
            uuid.UUID(course) if course else None,
        )
        rows = pages.count(LISTINGS[register].filtered(word), question)
    client().set(_name(question, arguments(question, register, word)), rows, ex=KEPT_SECONDS)


def _name(question: Question, asked: list[str]) -> str:
    # The key has the chain hash, because a restored backup may have another capture of the same number.
    return "console:count:" + hashlib.sha256("\n".join([question.pin.chain_hash, *asked]).encode()).hexdigest()
