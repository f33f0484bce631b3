"""Reminders of owed courses and policies: one letter per person and run, and a delivery row before anything is sent.

A row is unique for record, deadline and step, and it is committed first: two workers, a repeated task or a crash never
send a reminder twice. The same transaction reads anew whether the person still owes it and can be written to, since a
run lasts minutes. A reminder that a crash leaves as `sending` may or may not have gone out; it becomes `unknown`
and is not sent again, because at most once can be promised and exactly once cannot. A letter that was sent is recorded
as one `reminder_sent` fact for each course in it, in the transaction that marks it sent. The fact is about training
records, so a policy in the letter has none.
"""

import contextlib
import logging
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.core.mail import EmailMessage

from compliance.facts.errors import FactsError
from compliance.facts.lines.training import ReminderSent
from compliance.facts.recording import record
from compliance.history.owed import Owed, due_between, owed
from compliance.interfaces.operations.models import ReminderDelivery
from compliance.letters import composing
from compliance.letters.mail_server import REFUSALS, RUN_LASTS, MailServer
from compliance.letters.recipients import recipients
from compliance.tenancy import arrays, context, sql
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization

log = logging.getLogger(__name__)

State = ReminderDelivery.State

STEPS = (-7, -1, 1, 7, 30)
"""Days from the deadline at which a person is reminded."""

LATEST = timedelta(days=3)
"""A step that was missed by more than this is skipped: an import of old deadlines sends no letters."""

MOST_ATTEMPTS = 5
TRIED_AGAIN_AFTER = timedelta(minutes=30)
"""Before this a refused letter is left to the run of the next hour, although runs may follow each other at once."""

FORGOTTEN_AFTER = timedelta(hours=1)
_NAMESPACE = uuid.UUID("5a0d7a53-59c5-5b46-8d5b-9f1c2d7a4b10")

# A difference of moments, because a cluster allows only immutable functions here: a moment plus an interval is none.
_AGAIN = f"""operations_reminderdelivery.state = 'failed' AND operations_reminderdelivery.attempts < {MOST_ATTEMPTS}
    AND {{moment}} - operations_reminderdelivery.claimed_at >= interval '{TRIED_AGAIN_AFTER.seconds} seconds'"""
_TAKEN = f"""
SELECT record_id, due_at, step_days FROM operations_reminderdelivery
WHERE organization_id = %(organization)s AND record_id = ANY(%(records)s::uuid[])
    AND NOT ({_AGAIN.format(moment="%(now)s::timestamptz")})
"""  # noqa: S608 - constants of our own
_CLAIM = f"""
INSERT INTO operations_reminderdelivery
    (organization_id, record_id, learner_profile_id, course_id, due_at, step_days, letter_id, state, claimed_at,
     attempts, failure)
SELECT %s, w.*, %s, %s, 1, '' FROM unnest(%s::uuid[], %s::uuid[], %s::uuid[], %s::timestamptz[], %s::smallint[],
    %s::uuid[]) AS w
ON CONFLICT (organization_id, record_id, due_at, step_days) DO UPDATE
    SET state = EXCLUDED.state, claimed_at = EXCLUDED.claimed_at, letter_id = EXCLUDED.letter_id,
        attempts = operations_reminderdelivery.attempts + 1
    WHERE {_AGAIN.format(moment="EXCLUDED.claimed_at")}
RETURNING id, record_id
"""  # noqa: S608 - constants of our own
# A cluster allows no parameter after the SELECT: it finds the rows first, and inserts them by another statement.


class Due(NamedTuple):
    """Something owed of which its person is to be reminded now."""

    owed: Owed
    step_days: int


class Sent(NamedTuple):
    """What a run did: letters sent, reminders in them, letters that the mail server refused; whether more are due."""

    letters: int
    reminders: int
    refused: int
    more: bool


class _Claimed(NamedTuple):
    id: int
    owed: Owed


def send_due(organization_id: uuid.UUID, clock: Callable[[], datetime]) -> Sent:
    """Sends the reminders that are due and were never claimed. Idempotent, for any number of workers at once."""
    began = clock()
    with context.company(organization_id):
        wanted = _wanted(organization_id, began)
    more = False
    sent = reminders = refused = 0
    company = organization(organization_id)
    with contextlib.closing(MailServer()) as server:
        for learner, records in wanted.items():
            if (more := clock() - began >= RUN_LASTS) or server.away:
                break
            with context.company(organization_id):
                claimed, letter = _claim(company, learner, records, clock())
            if letter is None:
                continue
            try:
                server.hand_over(letter)  # the claim is committed
            except REFUSALS as error:
                refused += 1
                _settle_refused(organization_id, claimed, clock(), type(error).__name__)
                continue
            _settle_sent(organization_id, claimed, clock())
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
    return Sent(sent, reminders, refused, more)


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


def _wanted(organization_id: uuid.UUID, now: datetime) -> dict[uuid.UUID, list[Due]]:
    """The reminders that are due and not claimed, by person, for those who are here today and have an address."""
    found = due(organization_id, now)
    if not found:
        return {}
    people = recipients(organization_id, {each.owed.learner_profile_id for each in found}, now)
    records = arrays.uuids([each.owed.record_id for each in found])
    taken = set(sql.fetch(_TAKEN, {"organization": organization_id, "records": records, "now": now}))
    wanted: dict[uuid.UUID, list[Due]] = defaultdict(list)
    for each in found:
        learner = each.owed.learner_profile_id
        if learner in people and (each.owed.record_id, each.owed.due_at, each.step_days) not in taken:
            wanted[learner].append(each)
    return wanted


def _claim(
    company: Organization, learner: uuid.UUID, records: Sequence[Due], now: datetime
) -> tuple[list[_Claimed], EmailMessage | None]:
    """Claims the reminders of one letter and composes it; None if there is nothing to write, or nobody to write to.

    Left out is what another worker has claimed before, and what is not owed any more or not by the same deadline.
    """
    organization_id = company.organization_id
    recipient = recipients(organization_id, [learner], now).get(learner)
    still = set(owed(organization_id, [each.owed.record_id for each in records], now))
    records = [each for each in records if each.owed in still]
    if recipient is None or not records:
        return [], None
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
    claimed = [_Claimed(identifier, by_record[record_id]) for identifier, record_id in rows]
    if not claimed:
        return [], None
    things = [each.owed for each in claimed]
    return claimed, composing.reminder(company, learner, recipient, things, letter_id=letter_id, now=now)


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
