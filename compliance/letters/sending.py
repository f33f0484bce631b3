"""Sending letters: claimed one at a time by any number of workers, and tried again with growing pauses.

Each letter is sent at least once. Before sending, a transaction postpones it by a pause; after sending, another
transaction records the result. If the process dies between the two, the letter is due again after the pause: it may
then arrive twice, with the same Message-ID, which is better than a link, a copy or news that never arrives. Reminders
are counted as facts, so they are sent at most once, and have rows of their own (`operations`).
"""

import logging
import smtplib
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.core.mail import get_connection
from django.db.models import Case, IntegerField, Value, When

from compliance.learning import links
from compliance.letters.actions import NOBODY
from compliance.letters.composing import Enclose, compose, no_enclosure
from compliance.letters.models import Letter
from compliance.tenancy import context

log = logging.getLogger(__name__)

REFUSALS = (smtplib.SMTPException, OSError, ValueError)
"""The errors of sending. ValueError: an invalid address (a@b..org); the letters to others are sent."""

MOST_ATTEMPTS = 10
"""With pauses of 2, 4, 8, ... minutes a letter is given up after 17 hours: a mail server may be down for a night."""

MOST_IN_A_RUN = 500
"""Limits a run, so that a task ends in time; the rest is for the next run, which is started at once."""

_GIVEN_UP = "given up"
_MOST_FAILURES = 3
"""After this many failures in a row a run ends: probably the mail server is unavailable, not the letters wrong."""

_URGENCY = Case(
    When(kind__in=[Letter.Kind.LINK, Letter.Kind.STAFF_LINK, Letter.Kind.INVITATION], then=Value(0)),
    default=Value(1),
    output_field=IntegerField(),
)


class Run(NamedTuple):
    """The result of a run: letters sent, letters that could not be handed over, and whether more are due."""

    sent: int
    refused: int
    more: bool


def send_due(organization_id: uuid.UUID, clock: Callable[[], datetime], enclose: Enclose = no_enclosure) -> Run:
    """Sends a company's due letters, those first that a person is waiting for."""
    sent = refused = in_a_row = 0
    connection = get_connection(fail_silently=False)
    try:
        for _ in range(MOST_IN_A_RUN):
            letter = _claim(organization_id, clock())
            if letter is None:
                return Run(sent, refused, more=False)
            with context.company(organization_id):
                mail = compose(letter, clock(), enclose, connection)
                if mail is None:
                    _settle(letter, clock(), failure=NOBODY)
            if mail is None:
                continue
            try:
                connection.send_messages([mail])
            except ValueError as error:  # nothing was sent, and this letter never can be
                refused += 1
                _put_off(letter, clock(), type(error).__name__, for_good=True)
                continue
            except REFUSALS as error:
                refused, in_a_row = refused + 1, in_a_row + 1
                _put_off(letter, clock(), type(error).__name__)
                connection.close()
                if in_a_row == _MOST_FAILURES:
                    return Run(sent, refused, more=False)
                continue
            with context.company(organization_id):
                _settle(letter, clock(), sent=True)
            sent, in_a_row = sent + 1, 0
        return Run(sent, refused, more=True)
    finally:
        connection.close()
        if sent or refused:
            log.info(
                "learner_letters_sent",
                extra={"organization_id": str(organization_id), "letters": sent, "refused": refused},
            )


def _claim(organization_id: uuid.UUID, now: datetime) -> Letter | None:
    """The next due letter, postponed by its pause so that no other worker takes it; None if none is due."""
    while True:
        with context.company(organization_id):
            letter = (
                Letter.objects.select_for_update(skip_locked=True)
                .filter(organization_id=organization_id, due_at__lte=now)
                .order_by(_URGENCY, "due_at")
                .first()
            )
            if letter is None:
                return None
            if letter.attempts < MOST_ATTEMPTS and not _too_late(letter, now):
                letter.attempts += 1
                letter.due_at = now + timedelta(minutes=2**letter.attempts)
                letter.save(update_fields=["attempts", "due_at"])
                return letter
            _settle(letter, now, failure=letter.failure or _GIVEN_UP)


def _too_late(letter: Letter, now: datetime) -> bool:
    """Whether nobody waits for the letter any more: who requested a link and got none has requested another."""
    return letter.kind == Letter.Kind.LINK and now - letter.made_at > links.ASKED_FOR


def _put_off(letter: Letter, now: datetime, failure: str, *, for_good: bool = False) -> None:
    with context.company(letter.organization_id):
        letter.failure = failure
        if for_good or letter.attempts >= MOST_ATTEMPTS:
            _settle(letter, now, failure=failure)
        else:
            letter.save(update_fields=["failure"])
    log.warning("learner_letter_refused", extra={"kind": letter.kind, "error": failure, "attempts": letter.attempts})


def _settle(letter: Letter, now: datetime, *, sent: bool = False, failure: str = "") -> None:
    letter.due_at, letter.settled_at, letter.failure = None, now, failure
    letter.sent_at = now if sent else None
    letter.save(update_fields=["due_at", "settled_at", "sent_at", "failure"])
    if failure and failure != NOBODY:
        log.error("learner_letter_given_up", extra={"kind": letter.kind, "error": failure})
