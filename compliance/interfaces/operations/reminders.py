"""Reminders of open required training: one letter to a person a run, a delivery row before anything is sent.

A row is unique for record, deadline and step, and it is committed first: two workers, a repeated task or a crash never
send a reminder twice. What a crash leaves as `sending` may or may not have gone out; it becomes `unknown` and is
left alone, since never twice is promised and always once cannot be. A letter that was sent is recorded as one
`reminder_sent` fact for each course in it, in the transaction that marks it sent.
"""

import logging
import smtplib
import uuid
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.template.loader import render_to_string

from compliance.facts.courses.queries import titles_of
from compliance.facts.errors import FactsError
from compliance.facts.lines.training import ReminderSent
from compliance.facts.people.queries import shown_people
from compliance.facts.recording import record
from compliance.history.records import active_employees, open_between
from compliance.interfaces.operations.models import ReminderDelivery
from compliance.tenancy import context, sql
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization

log = logging.getLogger(__name__)

State = ReminderDelivery.State

STEPS = (-7, -1, 1, 7, 30)
"""Days from the deadline at which a person is reminded."""

LATEST = timedelta(days=3)
"""A step that was missed by more is not made up for: an import of old deadlines writes to nobody."""

MOST_ATTEMPTS = 5
FORGOTTEN_AFTER = timedelta(hours=1)
_NAMESPACE = uuid.UUID("5a0d7a53-59c5-5b46-8d5b-9f1c2d7a4b10")

_CLAIM = """
INSERT INTO operations_reminderdelivery
    (organization_id, record_id, learner_profile_id, course_id, due_at, step_days, letter_id, state, claimed_at,
     attempts, failure)
SELECT %s, w.*, %s, %s, 1, '' FROM unnest(%s::uuid[], %s::uuid[], %s::uuid[], %s::timestamptz[], %s::smallint[],
    %s::uuid[]) AS w
ON CONFLICT (organization_id, record_id, due_at, step_days) DO UPDATE
    SET state = EXCLUDED.state, claimed_at = EXCLUDED.claimed_at, letter_id = EXCLUDED.letter_id,
        attempts = operations_reminderdelivery.attempts + 1
    WHERE operations_reminderdelivery.state = 'failed' AND operations_reminderdelivery.attempts < %s
RETURNING id, learner_profile_id, course_id, due_at, letter_id
"""


class Due(NamedTuple):
    """A record whose person is to be reminded now."""

    record_id: uuid.UUID
    learner_profile_id: uuid.UUID
    course_id: uuid.UUID
    due_at: datetime
    step_days: int


class Sent(NamedTuple):
    """What a run did: letters sent, reminders in them, and letters that the mail server refused."""

    letters: int
    reminders: int
    refused: int


class _Claimed(NamedTuple):
    id: int
    learner_profile_id: uuid.UUID
    course_id: uuid.UUID
    due_at: datetime
    letter_id: uuid.UUID


def send_due(organization_id: uuid.UUID, now: datetime) -> Sent:
    """Sends what is due and was never claimed. Idempotent, for any number of workers at once."""
    with context.company(organization_id):
        wanted, addresses = _wanted(organization_id, now)
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
        try:
            _letter(company, addresses[learner], claimed, connection).send()
        # ValueError: an address that no letter can bear (a@b..org). The others of the run get theirs.
        except (smtplib.SMTPException, OSError, ValueError) as error:
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
    """Open required records that stand at a step of their way to the deadline. Needs the company's context."""
    earliest = now - timedelta(days=max(STEPS)) - LATEST
    found = []
    for record_id, learner, course, due_at in open_between(
        organization_id, now, earliest, now - timedelta(days=min(STEPS))
    ):
        reached = [step for step in STEPS if timedelta(0) <= now - (due_at + timedelta(days=step)) < LATEST]
        if reached:
            found.append(Due(record_id, learner, course, due_at, max(reached)))
    return found


def forget_unfinished(organization_id: uuid.UUID, now: datetime) -> int:
    """Marks what a crash left as `sending` as `unknown`; it is never sent again. Returns how many there were."""
    with context.company(organization_id):
        count = ReminderDelivery.objects.filter(
            organization_id=organization_id, state=State.SENDING, claimed_at__lt=now - FORGOTTEN_AFTER
        ).update(state=State.UNKNOWN, settled_at=now)
    if count:
        log.error("reminders_unknown", extra={"organization_id": str(organization_id), "reminders": count})
    return count


def _wanted(organization_id: uuid.UUID, now: datetime) -> tuple[dict[uuid.UUID, list[Due]], dict[uuid.UUID, str]]:
    """What is due for whom, and the addresses of those who work here today and have one."""
    found = due(organization_id, now)
    if not found:
        return {}, {}
    here = active_employees(organization_id, {each.learner_profile_id for each in found}, now)
    addresses = {
        learner: address
        for learner, person in shown_people(organization_id, here).items()
        if not person.erased and (address := person.account_email or person.work_email)
    }
    wanted: dict[uuid.UUID, list[Due]] = defaultdict(list)
    for each in found:
        if each.learner_profile_id in addresses:
            wanted[each.learner_profile_id].append(each)
    return wanted, addresses


def _claim(organization_id: uuid.UUID, records: Sequence[Due], now: datetime) -> list[_Claimed]:
    """Takes the reminders of one letter; those that someone has taken before stay theirs."""
    letter_id = uuid.uuid4()
    columns = [list(column) for column in zip(*((*each, letter_id) for each in records), strict=True)]
    rows = sql.fetch(_CLAIM, [organization_id, State.SENDING.value, now, *columns, MOST_ATTEMPTS])
    return [_Claimed._make(row) for row in rows]


def _letter(company: Organization, address: str, claimed: Sequence[_Claimed], connection: Any) -> EmailMessage:
    with context.company(company.organization_id):
        titles = titles_of(company.organization_id, {each.course_id for each in claimed})
    zone = ZoneInfo(company.time_zone)
    courses = [
        {"title": titles.get(each.course_id, "a course"), "due": f"{each.due_at.astimezone(zone):%-d %B %Y, %H:%M}"}
        for each in sorted(claimed, key=lambda each: (each.due_at, each.course_id))
    ]
    return EmailMessage(
        subject=f"{company.name}: {len(courses)} training reminder{'s' if len(courses) > 1 else ''}",
        body=render_to_string("operations/reminder.txt", {"company": company, "courses": courses}),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[address],
        # The same letter has the same id, whatever happens on the way: a mail server may tell a double by it.
        headers={"Message-ID": f"<{claimed[0].letter_id}@reminders.invalid>"},
        connection=connection,
    )


def _settle_sent(organization_id: uuid.UUID, claimed: Sequence[_Claimed], now: datetime) -> None:
    facts = [
        ReminderSent(
            fact_id=uuid.uuid5(_NAMESPACE, f"{organization_id}/{each.id}"),
            at=now,
            learner_profile_id=each.learner_profile_id,
            course_id=each.course_id,
        )
        for each in claimed
    ]
    try:
        with context.company(organization_id):
            _mark(organization_id, claimed, State.SENT, now)
            record(organization_id, facts, now=now)
    except FactsError as error:
        # Erased while the letter was on its way: such a person accepts no fact, but the letter was sent.
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
