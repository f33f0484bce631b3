"""Reminders of owed courses and policies: one letter per person and run, and a delivery row before anything is sent.

A row is unique for record, deadline and step, and it is committed first: two workers, a repeated task or a crash never
send a reminder twice. A reminder that a crash leaves as `sending` may or may not have gone out; it becomes `unknown`
and is not sent again, because at most once can be promised and exactly once cannot. A letter that was sent is recorded
as one `reminder_sent` fact for each course in it, in the transaction that marks it sent. The fact is about training
records, so a policy in the letter has none.
"""

import logging
import uuid
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.core.mail import get_connection

from compliance.facts.errors import FactsError
from compliance.facts.lines.training import ReminderSent
from compliance.facts.recording import record
from compliance.history.owed import Owed, due_between
from compliance.interfaces.operations.models import ReminderDelivery
from compliance.letters import composing
from compliance.letters.recipients import Recipient, recipients
from compliance.letters.sending import REFUSALS
from compliance.tenancy import context, sql
from compliance.tenancy.queries import organization

log = logging.getLogger(__name__)

State = ReminderDelivery.State

STEPS = (-7, -1, 1, 7, 30)
"""Days from the deadline at which a person is reminded."""

LATEST = timedelta(days=3)
"""A step that was missed by more than this is skipped: an import of old deadlines sends no letters."""

MOST_ATTEMPTS = 5
FORGOTTEN_AFTER = timedelta(hours=1)
_NAMESPACE = uuid.UUID("5a0d7a53-59c5-5b46-8d5b-9f1c2d7a4b10")

_CLAIM = f"""
INSERT INTO operations_reminderdelivery
    (organization_id, record_id, learner_profile_id, course_id, due_at, step_days, letter_id, state, claimed_at,
     attempts, failure)
SELECT %s, w.*, %s, %s, 1, '' FROM unnest(%s::uuid[], %s::uuid[], %s::uuid[], %s::timestamptz[], %s::smallint[],
    %s::uuid[]) AS w
ON CONFLICT (organization_id, record_id, due_at, step_days) DO UPDATE
    SET state = EXCLUDED.state, claimed_at = EXCLUDED.claimed_at, letter_id = EXCLUDED.letter_id,
        attempts = operations_reminderdelivery.attempts + 1
    WHERE operations_reminderdelivery.state = 'failed' AND operations_reminderdelivery.attempts < {MOST_ATTEMPTS}
RETURNING id, letter_id, record_id
"""  # noqa: S608 - constants of our own
# A cluster allows no parameter after the SELECT: it finds the rows first, and inserts them by another statement.


class Due(NamedTuple):
    """Something owed of which its person is to be reminded now."""

    owed: Owed
    step_days: int


class Sent(NamedTuple):
    """What a run did: letters sent, reminders in them, and letters that the mail server refused."""

    letters: int
    reminders: int
    refused: int


class _Claimed(NamedTuple):
    id: int
    letter_id: uuid.UUID
    owed: Owed


def send_due(organization_id: uuid.UUID, now: datetime) -> Sent:
    """Sends the reminders that are due and were never claimed. Idempotent, for any number of workers at once."""
    with context.company(organization_id):
        wanted, people = _wanted(organization_id, now)
    if not wanted:
        return Sent(0, 0, 0)
    sent = reminders = refused = 0
    company = organization(organization_id)
    connection = get_connection(fail_silently=False)
    for learner, records in wanted.items():
        with context.company(organization_id):
            claimed = _claim(organization_id, records, now)  # committed before the letter leaves
        if not claimed:
            continue
        with context.company(organization_id):
            letter = composing.reminder(
                company,
                learner,
                people[learner],
                [each.owed for each in claimed],
                letter_id=claimed[0].letter_id,
                now=now,
                connection=connection,
            )
        try:
            letter.send()
        except REFUSALS as error:
            refused += 1
            _settle_refused(organization_id, claimed, now, type(error).__name__)
            continue
        _settle_sent(organization_id, claimed, now)
        sent += 1
        reminders += len(claimed)
    if sent or refused:
        log.info(
            "reminders_sent",
            extra={
                "organization_id": str(organization_id),
                "letters": sent,
                "reminders": reminders,
                "refused": refused,
            },
        )
    return Sent(sent, reminders, refused)


def due(organization_id: uuid.UUID, now: datetime) -> list[Due]:
    """Everything owed that is at a step before or after its deadline. Needs the company's context."""
    earliest = now - timedelta(days=max(STEPS)) - LATEST
    found = []
    for each in due_between(organization_id, now, earliest, now - timedelta(days=min(STEPS))):
        assert each.due_at is not None  # it lies between two moments
        reached = [step for step in STEPS if timedelta(0) <= now - (each.due_at + timedelta(days=step)) < LATEST]
        if reached:
            found.append(Due(each, max(reached)))
    return found


def forget_unfinished(organization_id: uuid.UUID, now: datetime) -> int:
    """Marks reminders that a crash left as `sending` as `unknown`; they are never sent again. Returns their number."""
    with context.company(organization_id):
        count = ReminderDelivery.objects.filter(
            organization_id=organization_id, state=State.SENDING, claimed_at__lt=now - FORGOTTEN_AFTER
        ).update(state=State.UNKNOWN, settled_at=now)
    if count:
        log.error("reminders_unknown", extra={"organization_id": str(organization_id), "reminders": count})
    return count


def _wanted(organization_id: uuid.UUID, now: datetime) -> tuple[dict[uuid.UUID, list[Due]], dict[uuid.UUID, Recipient]]:
    """The reminders that are due, by person, and how to write to those who are here today and have an address."""
    found = due(organization_id, now)
    if not found:
        return {}, {}
    people = recipients(organization_id, {each.owed.learner_profile_id for each in found}, now)
    wanted: dict[uuid.UUID, list[Due]] = defaultdict(list)
    for each in found:
        if each.owed.learner_profile_id in people:
            wanted[each.owed.learner_profile_id].append(each)
    return wanted, people


def _claim(organization_id: uuid.UUID, records: Sequence[Due], now: datetime) -> list[_Claimed]:
    """Claims the reminders of one letter, but for those that another worker has claimed before."""
    letter_id = uuid.uuid4()
    by_record = {each.owed.record_id: each.owed for each in records}
    columns = [
        list(column)
        for column in zip(
            *(
                (
                    each.owed.record_id,
                    each.owed.learner_profile_id,
                    each.owed.course_id,
                    each.owed.due_at,
                    each.step_days,
                    letter_id,
                )
                for each in records
            ),
            strict=True,
        )
    ]
    rows = sql.fetch(_CLAIM, [organization_id, State.SENDING.value, now, *columns])
    return [_Claimed(identifier, letter, by_record[record_id]) for identifier, letter, record_id in rows]


def _settle_sent(organization_id: uuid.UUID, claimed: Sequence[_Claimed], now: datetime) -> None:
    facts = [
        ReminderSent(
            fact_id=uuid.uuid5(_NAMESPACE, f"{organization_id}/{each.id}"),
            at=now,
            learner_profile_id=each.owed.learner_profile_id,
            course_id=each.owed.course_id,
        )
        for each in claimed
        if not each.owed.policy
    ]
    try:
        with context.company(organization_id):
            _mark(organization_id, claimed, State.SENT, now)
            record(organization_id, facts, now=now)
    except FactsError as error:
        # The person was erased while the letter was sent: no fact can be recorded about them, but the letter was sent.
        with context.company(organization_id):
            _mark(organization_id, claimed, State.SENT, now, type(error).__name__)


def _settle_refused(organization_id: uuid.UUID, claimed: Sequence[_Claimed], now: datetime, failure: str) -> None:
    with context.company(organization_id):
        _mark(organization_id, claimed, State.FAILED, now, failure)
    log.warning("reminder_refused", extra={"organization_id": str(organization_id), "error": failure})


def _mark(
    organization_id: uuid.UUID, claimed: Sequence[_Claimed], state: str, now: datetime, failure: str = ""
) -> None:
    ReminderDelivery.objects.filter(organization_id=organization_id, id__in=[each.id for each in claimed]).update(
        state=state, settled_at=now, failure=failure
    )
