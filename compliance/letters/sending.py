"""Sending letters: claimed one at a time by any number of workers, and tried again with growing pauses.

Each letter is sent at least once. Before sending, a transaction postpones it by a pause; after sending, another
transaction records the result. If the process dies between the two, the letter is due again after the pause: it may
then arrive twice, with the same Message-ID, which is better than a link, a copy or news that never arrives. Reminders
are counted as facts, so they are sent at most once, and have rows of their own (`operations`).
"""

import logging
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Case, IntegerField, Value, When

from compliance.learning import links
from compliance.letters.actions import NOBODY
from compliance.letters.composing import Enclose, compose, no_enclosure
from compliance.letters.mail_server import REFUSALS, RUN_LASTS, MailServer
from compliance.letters.models import Letter
from compliance.tenancy import context

log = logging.getLogger(__name__)

MOST_ATTEMPTS = 10
"""With pauses of 2, 4, 8, ... minutes a letter is given up after 17 hours: a mail server may be down for a night."""

_GIVEN_UP = "given up"

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
    began = clock()
    sent = refused = 0
    server = MailServer()
    try:
        while clock() - began < RUN_LASTS:
            letter = None if server.away else _claim(organization_id, clock())
            if letter is None:
                return Run(sent, refused, more=False)
            with context.company(organization_id):
                mail = compose(letter, clock(), enclose)
                if mail is None:
                    _settle(letter, clock(), failure=NOBODY)
            if mail is None:
                continue
            try:
                server.hand_over(mail)
            except REFUSALS as error:
                refused += 1
                # With a ValueError alone nothing was sent, and this letter never can be. One about the mail server's
                # certificate is an OSError, too.
                _put_off(letter, clock(), type(error).__name__, for_good=not isinstance(error, OSError))
                continue
            with context.company(organization_id):
                _settle(letter, clock(), sent=True)
            sent += 1
        return Run(sent, refused, more=True)
    finally:
        server.close()
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
