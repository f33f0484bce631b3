"""Requests letters, and records what became of them.

A letter is requested in the transaction of its subject, so none is lost and none is sent about what was rolled back.
The worker is started after the commit; its run of each minute finds letters that it was not started for.
"""

import logging
import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from compliance.letters.models import Letter

log = logging.getLogger(__name__)

Kind = Letter.Kind
SEND_TASK = "compliance.letters.send"

NOBODY = "nobody"
"""Why a letter was not sent: its person left, was erased, has no address, or nothing remains to write about."""

KEPT = timedelta(days=90)
"""How long a letter's row stays once it is settled, so that staff can see whether it was sent."""

_AT_ONCE = 1000


class Asked(NamedTuple):
    """A letter to request. With `letter_id`, repeated requests for the same letter have no effect."""

    learner_profile_id: uuid.UUID | None = None
    invitation_id: uuid.UUID | None = None
    subject_ids: tuple[uuid.UUID, ...] = ()
    letter_id: uuid.UUID | None = None
    to_work_address: bool = False


def ask(
    organization_id: uuid.UUID,
    kind: Letter.Kind,
    *,
    now: datetime,
    learner_profile_id: uuid.UUID | None = None,
    invitation_id: uuid.UUID | None = None,
    subject_ids: Sequence[uuid.UUID] = (),
    letter_id: uuid.UUID | None = None,
    to_work_address: bool = False,
) -> None:
    """Requests one letter, to a person or an invited person. Needs the company's context.

    It is sent after the transaction is committed. With `letter_id` a letter is requested at most once.
    `to_work_address`: to the work address, if the person has one, rather than to the account's.
    """
    asked = Asked(learner_profile_id, invitation_id, tuple(subject_ids), letter_id, to_work_address)
    ask_many(organization_id, kind, [asked], now=now)


def ask_many(organization_id: uuid.UUID, kind: Letter.Kind, asked: Iterable[Asked], *, now: datetime) -> None:
    """Requests letters of one kind, as `ask` does for one, in a few statements."""
    letters = [
        Letter(
            organization_id=organization_id,
            letter_id=each.letter_id or uuid.uuid4(),
            kind=kind,
            learner_profile_id=each.learner_profile_id,
            invitation_id=each.invitation_id,
            subject_ids=list(each.subject_ids),
            to_work_address=each.to_work_address,
            made_at=now,
            due_at=now,
        )
        for each in asked
    ]
    if not letters:
        return
    Letter.objects.bulk_create(letters, batch_size=_AT_ONCE, ignore_conflicts=True)
    transaction.on_commit(lambda: send_soon(organization_id))


def send_soon(organization_id: uuid.UUID) -> None:
    """Starts the worker's run. If the broker is unavailable nothing is lost: the next run finds the same letters."""
    try:
        current_app.send_task(SEND_TASK, args=[str(organization_id)], retry=False)
    except (OperationalError, OSError):
        log.warning("learner_letters_wait", extra={"reason": "the broker is away; the next look sends them"})


def forget_settled(organization_id: uuid.UUID, now: datetime) -> int:
    """Removes letters that were settled long ago; returns how many. Needs the company's context."""
    old = Letter.objects.filter(organization_id=organization_id, settled_at__lt=now - KEPT)
    return old.delete()[0]
