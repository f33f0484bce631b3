"""Acts that remind people: of chosen records, or everybody who owes a course or a policy and has not done it.

Each person gets one letter with all of their chosen records, the deadlines and a link. A reminder of a course is also
a fact, recorded once the letter was handed over: one that cannot be sent is not recorded. No transaction is open
meanwhile, because a mail server may be slow; the link is committed before, so that it opens when the letter arrives.
"""

import contextlib
import dataclasses
import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.core.mail import EmailMessage
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from compliance.catalogue import REGISTERS
from compliance.facts.errors import FactsError
from compliance.facts.lines.kinds import ReminderSent
from compliance.facts.recording import act, telling
from compliance.facts.training.queries import reminded_since
from compliance.history.actions import capture_all
from compliance.history.owed import REGISTERS_OF_DUTIES, Owed, owed_of, to_do
from compliance.interfaces.console.acting import bulk, jobs, pickable
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError
from compliance.interfaces.console.acting.bulk import RECORDS_AT_MOST, REPORTED_EVERY, Many
from compliance.interfaces.console.acting.fields import form_of
from compliance.interfaces.console.acting.picker import Picked
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview, named
from compliance.interfaces.console.wording import written_moment
from compliance.letters import composing
from compliance.letters.mail_server import REFUSALS, MailServer
from compliance.letters.recipients import recipients
from compliance.tenancy import context

NOT_OWED = gettext_noop("It is not to do any more: done, waived or ended.")
NO_ADDRESS = gettext_noop("This person cannot come in now, or no address is known.")
NOT_SENT = gettext_noop("The letter could not be sent.")
LATELY = timedelta(days=1)
TITLES_LISTED = 5


class RemindMany(Many):
    """Sends reminders by mail, and records them."""

    name = "remind-many"
    tells = (ReminderSent,)
    title = gettext_lazy("Remind")
    explains = gettext_lazy(
        "Writes one letter to each person, with what is chosen of theirs, until when it is due, and a link. Reminders"
        " of courses are recorded."
    )
    permission = Permission.CHANGE_PEOPLE
    takes = tuple(each.name for each in REGISTERS.values() if each.owed)
    outcome = gettext_noop("%(done)s of %(all)s records reminded.")

    def chosen(self, acting: Acting) -> list[bulk.Owed]:
        """The chosen records, of courses and of policies."""
        return bulk.records(acting, REGISTERS_OF_DUTIES)

    def preview(self, acting: Acting) -> Preview:
        """Says to whom letters would go, without sending any."""
        found = self.chosen(acting)
        still = to_do(acting.organization_id, [each.record.record_id for each in found], acting.at)
        preview = _letters(acting, still)
        if done := len(found) - len(still):
            preview.pairs.append((_("Not to do any more"), done))
        return preview

    def each(
        self, acting: Acting, found: Sequence[bulk.Owed], refused: list[str], tell: Callable[[int], None] | None
    ) -> None:
        """Writes to each person, and adds to `refused` the reasons for records of which nobody could be reminded."""
        chosen = [(each.record.learner_profile_id, each.record.record_id) for each in found]
        _remind_all(acting, self, chosen, refused, tell)


def _letters(acting: Acting, things: Sequence[Owed]) -> Preview:
    """The preview of letters about these things: the recipients, the contents, and warnings."""
    learners = {each.learner_profile_id for each in things}
    people = recipients(acting.organization_id, learners, acting.at)
    lessons = composing.lessons_among(acting.organization_id, things)
    titles = {each.title for each in composing.to_do(acting.organization_id, things, lessons) if each.title}
    preview = Preview(people=len(people), named=named(acting.organization_id, sorted(people)))
    preview.pairs.append((_("Letters"), len(people)))
    preview.pairs.append((_("To do"), ", ".join(sorted(titles, key=str.casefold)[:TITLES_LISTED])))
    if without := len(learners - people.keys()):
        preview.pairs.append((_("Without any address"), without))
    if not people:
        preview.warnings.append(_("No letter would go: nobody of these has it to do and an address."))
    preview.warnings += _lately(acting, things)
    preview.notes.append(
        _("Each letter greets the person by name, says what is to do and until when, and has a link that signs in.")
    )
    return preview


def _lately(acting: Acting, things: Sequence[Owed]) -> list[str]:
    """A warning if some of these people were reminded of the same a short time ago."""
    courses = {each.course_id for each in things if not each.policy}
    learners = {each.learner_profile_id for each in things}
    number, last = reminded_since(acting.organization_id, learners, courses, acting.at - LATELY)
    if last is None:
        return []
    words = ngettext(
        "%(number)s of these people was reminded of this within the last day, on %(when)s.",
        "%(number)s of these people were reminded of this within the last day, the last of them on %(when)s.",
        number,
    )
    return [words % {"number": number, "when": written_moment(last, ZoneInfo(acting.organization.time_zone))}]


def _remind_all(
    acting: Acting,
    by: Act,
    chosen: Sequence[tuple[uuid.UUID | None, uuid.UUID]],
    refused: list[str],
    tell: Callable[[int], None] | None,
) -> None:
    """Writes to each person about their chosen records."""
    by_person: dict[uuid.UUID | None, list[uuid.UUID]] = defaultdict(list)
    for learner, record_id in chosen:
        by_person[learner].append(record_id)
    done = 0
    with contextlib.closing(MailServer()) as server:
        for number, records in enumerate(by_person.values(), start=1):
            # The work lasts long: whoever has finished or left since it began gets no letter.
            present = dataclasses.replace(acting, at=datetime.now(UTC))
            refused.extend(reason for _record_id, reason in _remind(present, by, records, server))
            done += len(records)
            if tell is not None and (number % REPORTED_EVERY == 0 or done == len(chosen)):
                tell(done)


def _remind(
    acting: Acting, by: Act, records: Collection[uuid.UUID], server: MailServer
) -> Iterator[tuple[uuid.UUID, str]]:
    """Reminds the person of these records. Yields the records of which it did not, each with the reason."""
    with context.company(acting.organization_id):
        things = to_do(acting.organization_id, records, acting.at)
    still = {each.record_id for each in things}
    yield from ((record_id, _(NOT_OWED)) for record_id in records if record_id not in still)
    if not things:
        return
    try:
        if server.away:
            raise CannotActError(_(NOT_SENT))
        with context.company(acting.organization_id):
            letter = _letter(acting, things)
        try:
            server.hand_over(letter)
        except REFUSALS:
            raise CannotActError(_(NOT_SENT)) from None
        with context.company(acting.organization_id), telling(acting.teller(by.kinds)):
            for course_id in {each.course_id for each in things if not each.policy}:
                act(ReminderSent, **acting.common, learner_profile_id=things[0].learner_profile_id, course_id=course_id)
    except (CannotActError, FactsError) as error:
        yield from ((each.record_id, str(error)) for each in things)


def _letter(acting: Acting, things: Sequence[Owed]) -> EmailMessage:
    """The letter to the person who owes these things. Raises CannotActError if nobody can be written to."""
    learner = things[0].learner_profile_id
    recipient = recipients(acting.organization_id, [learner], acting.at).get(learner)
    if recipient is None:
        raise CannotActError(_(NO_ADDRESS))
    return composing.reminder(acting.organization, learner, recipient, things, letter_id=uuid.uuid4(), now=acting.at)


class RemindOfCourse(Act):
    """Reminds everybody who owes a course or a policy and has not done it."""

    name = "remind-course"
    tells = (ReminderSent,)
    title = gettext_lazy("Remind of a course or policy")
    explains = gettext_lazy(
        "Writes to everybody who owes it and has not done it, with a link and until when it is due. Reminders of"
        " courses are recorded."
    )
    permission = Permission.CHANGE_PEOPLE
    form = form_of(course_id=Picked(pickable.COURSE_OR_POLICY, label=gettext_lazy("Course or policy")))
    about = "course"
    group = gettext_lazy("Many at once")
    long = True
    leads_to = Many.leads_to

    def learners(self, acting: Acting) -> list[uuid.UUID]:
        """Everybody who owes it."""
        return [each.learner_profile_id for each in self._owed(acting, acting.at)]

    def preview(self, acting: Acting) -> Preview:
        """Says to whom letters would go, without sending any."""
        found = self._owed(acting, acting.at)
        if not found:
            raise CannotActError(_("Nobody owes this now and has not done it."))
        return _letters(acting, found)

    def work(self, acting: Acting, job: Job) -> str:
        """Writes to all, and reports how many reminders failed."""
        with context.company(acting.organization_id):
            found = self._owed(acting, acting.at)

        def tell(done: int) -> None:
            jobs.say(job, done, len(found))

        chosen = [(each.learner_profile_id, each.record_id) for each in found]
        _remind_all(acting, self, chosen, acting.findings, tell)
        capture_all(acting.organization_id, datetime.now(UTC))
        return _(RemindMany.outcome) % {"done": len(found) - len(acting.findings), "all": len(found)}

    def _owed(self, acting: Acting, now: datetime) -> list[Owed]:
        """The undone records of it. Raises CannotActError if there are too many for one run of the worker."""
        found = owed_of(acting.organization_id, acting.data["course_id"], now)
        if len(found) > RECORDS_AT_MOST:
            raise CannotActError(_("At most %(most)s records at a time.") % {"most": RECORDS_AT_MOST})
        return found


ACTS: tuple[Act, ...] = (RemindMany(), RemindOfCourse())
