"""Asking for letters, and settling what became of them.

A letter is asked for in the transaction of what it is about, so none is lost and none is sent about what was taken
back. The worker is asked once that is committed; the look of each minute finds what it did not hear of.
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
"""Why a letter was not sent: its person left, was erased, has no address, or there is nothing to say any more."""

KEPT = timedelta(days=90)
"""How long a letter's row stays once it is settled, so that staff can see whether one went out."""

_AT_ONCE = 1000


class Asked(NamedTuple):
    """A letter that is asked for. `letter_id` given: asking again for the same letter asks for nothing."""

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
    """Asks for one letter, to a person or to somebody invited. Needs the company's context.

    It is sent once the transaction is committed. With `letter_id` a letter that was asked for before is not asked for
    again. `to_work_address`: to the work address, if the person has one, rather than to the account's.
    """
    asked = Asked(learner_profile_id, invitation_id, tuple(subject_ids), letter_id, to_work_address)
    ask_many(organization_id, kind, [asked], now=now)


def ask_many(organization_id: uuid.UUID, kind: Letter.Kind, asked: Iterable[Asked], *, now: datetime) -> None:
    """Asks for letters of one kind, as `ask` does for one, in a few statements."""
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
    """Has the worker send what is due. A broker that is away loses nothing: the next look finds the same."""
    try:
        current_app.send_task(SEND_TASK, args=[str(organization_id)], retry=False)
    except (OperationalError, OSError):
        log.warning("learner_letters_wait", extra={"reason": "the broker is away; the next look sends them"})


def forget_settled(organization_id: uuid.UUID, now: datetime) -> int:
    """Removes letters that were settled long ago; how many. Needs the company's context."""
    old = Letter.objects.filter(organization_id=organization_id, settled_at__lt=now - KEPT)
    return old.delete()[0]
