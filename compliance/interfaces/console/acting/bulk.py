"""Acts on many training records at once: rows chosen in a list, or a table (CSV)."""

import csv
import io
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import gettext_noop

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.errors import ComplianceError
from compliance.facts.recording import telling
from compliance.facts.training.actions import change_obligation
from compliance.history import queries
from compliance.history.actions import capture_all
from compliance.history.queries import NamedRecord
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError
from compliance.interfaces.console.acting.fields import WAIVER_REASON, IdentifiersField, day_field, end_of, form_of
from compliance.interfaces.console.acting.obligations import TELLS
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview, dry_run, named
from compliance.rules.vocabulary import ObligationChangeKind, WaiverReasonCode
from compliance.tenancy import context

GROUP = _lazy("Many at once")
RECORDS_AT_MOST = 20_000
REHEARSED_AT_MOST = 25
REPORTED_EVERY = 20
WAIVED_ALONE_AT_MOST = 25


class Owed(NamedTuple):
    """A training record, and its day in the table, if any."""

    record: NamedRecord
    due_on: date | None


_RECORDS = {
    "record_ids": IdentifiersField(required=False, label=_lazy("Chosen")),
    "table": forms.FileField(
        required=False,
        label=_lazy("Or a table (CSV)"),
        help_text=_lazy("With a heading row and a column record_id, as exports of lists have it."),
    ),
}
_DUE_ON = day_field(
    _lazy("To be done by"),
    help_text=_lazy(
        "The end of this day. A column due_on in the table goes before it. Empty: the day that was set for everybody."
    ),
)


class Many(Act):
    """An act on each of the chosen records, one transaction each."""

    permission = Permission.CHANGE_RECORDS
    form = form_of(**_RECORDS)
    about = "record"
    group = GROUP
    long = True
    upload = "table"
    takes: tuple[str, ...] = (TRAINING_RECORDS.name,)
    leads_to = "training-records"
    outcome: str

    def chosen(self, acting: Acting) -> list[Owed]:
        """The records that it acts on."""
        return records(acting)

    def one(self, acting: Acting, owed: Owed) -> None:
        """Performs the act on one record."""
        raise NotImplementedError

    def learners(self, acting: Acting) -> list[uuid.UUID]:
        """Everybody whose record was chosen, also in the table."""
        chosen = self.chosen(acting)
        return [owed.record.learner_profile_id for owed in chosen if owed.record.learner_profile_id]

    def preview(self, acting: Acting) -> Preview:
        """Performs the act on the first records and rolls it back."""
        found = self.chosen(acting)
        first = found[:REHEARSED_AT_MOST]
        refused: list[str] = []
        preview = dry_run(acting.organization_id, acting.at, lambda: self.each(acting, first, refused, None))
        learners = dict.fromkeys(owed.record.learner_profile_id for owed in found if owed.record.learner_profile_id)
        preview.people, preview.named = len(learners), named(acting.organization_id, learners)
        preview.pairs = [(_("Records"), len(found))]
        if refused:
            preview.pairs.append((_("Of these not possible"), len(refused)))
        preview.notes = [f"{number} × {reason}" for reason, number in Counter(refused).most_common(20)]
        if len(refused) == len(first):
            preview.warnings.append(_("None of these can be done: see below why."))
        if len(found) > len(first):
            words = _(
                "Only the first %(number)s were tried beforehand. What is not possible for others is left out then."
            )
            preview.warnings.append(words % {"number": len(first)})
        return preview

    def work(self, acting: Acting, job: Job) -> str:
        """Performs the act on all records, one transaction each; records that the rules refuse are reported."""
        with context.company(acting.organization_id):
            found = self.chosen(acting)

        def tell(done: int) -> None:
            jobs.say(job, done, len(found))

        self.each(acting, found, acting.findings, tell)
        capture_all(
            acting.organization_id, datetime.now(UTC)
        )  # before the job ends, so that its effect can be read then
        done = len(found) - len(acting.findings)
        return _(self.outcome) % {"done": done, "all": len(found)}

    def each(
        self, acting: Acting, found: Sequence[Owed], refused: list[str], tell: Callable[[int], None] | None
    ) -> None:
        """Performs the act on each record and adds refusals to `refused`; calls `tell` with the number done."""
        for number, owed in enumerate(found, start=1):
            try:
                with context.company(acting.organization_id), telling(acting.teller(self.kinds)):
                    self.one(acting, owed)
            except ComplianceError as error:
                refused.append(str(error))
            if tell is not None and (number % REPORTED_EVERY == 0 or number == len(found)):
                tell(number)

    def _of(self, acting: Acting, owed: Owed) -> dict[str, Any]:
        return acting.common | {
            "learner_profile_id": owed.record.learner_profile_id,
            "course_id": owed.record.course_id,
        }


class WaiveMany(Many):
    """Waives many records."""

    name = "waive-many"
    tells = TELLS
    title = _lazy("Waive")
    explains = _lazy("Whoever owes the chosen records need not do them, for the same reason.")
    form = form_of(**_RECORDS, reason_code=WAIVER_REASON)
    outcome = gettext_noop("%(done)s of %(all)s records waived.")
    second = True

    def needs_second(self, acting: Acting) -> bool:
        """Whether these are more records than a person reads one by one."""
        return len(records(acting)) > WAIVED_ALONE_AT_MOST

    def one(self, acting: Acting, owed: Owed) -> None:
        """Waives one training record."""
        reason = WaiverReasonCode(acting.data["reason_code"])
        change_obligation(**self._of(acting, owed), change=ObligationChangeKind.WAIVE, reason_code=reason)


class DeadlineMany(Many):
    """Sets many deadlines."""

    name = "deadline-many"
    tells = TELLS
    title = _lazy("Extend the deadline")
    explains = _lazy("Gives each of the chosen people a day of their own for the course.")
    form = form_of(**_RECORDS, due_on=_DUE_ON)
    outcome = gettext_noop("%(done)s of %(all)s records given a deadline.")

    def one(self, acting: Acting, owed: Owed) -> None:
        """Sets the deadline of one training record."""
        day = owed.due_on or acting.data["due_on"]
        due_at = end_of(acting.organization, day)
        change_obligation(**self._of(acting, owed), change=ObligationChangeKind.SET_DEADLINE, due_at=due_at)


def records(acting: Acting, registers: Sequence[int] = (TRAINING_RECORDS.number,)) -> list[Owed]:
    """The chosen records, in the order chosen. Raises CannotActError for one that these registers do not hold."""
    days = _table(acting.upload.read()) if acting.upload else {}
    wanted = list(dict.fromkeys([*acting.data["record_ids"], *days]))
    if not wanted:
        raise CannotActError(_("Choose at least one row in a list, or hand in a table."))
    _within(len(wanted))
    found: dict[uuid.UUID, NamedRecord] = {}
    for register in registers:
        found |= queries.named_records(acting.organization_id, register, wanted)
    missing = [record_id for record_id in wanted if record_id not in found]
    if missing:
        words = _("%(number)s of the chosen rows are no such records of this company.")
        raise CannotActError(words % {"number": len(missing)})
    return [Owed(found[record_id], days.get(record_id)) for record_id in wanted]


def _within(number: int) -> None:
    if number > RECORDS_AT_MOST:
        raise CannotActError(_("At most %(most)s records at a time.") % {"most": RECORDS_AT_MOST})


def _table(data: bytes) -> dict[uuid.UUID, date | None]:
    """The records of a table, and the day in its column due_on. Raises CannotActError, which names the wrong line."""
    try:
        rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig")))
        if "record_id" not in (rows.fieldnames or ()):
            raise CannotActError(_("The table has no column record_id in its first row."))
        found: dict[uuid.UUID, date | None] = {}
        for number, row in enumerate(rows, start=2):
            try:
                day = (row.get("due_on") or "").strip()
                found[uuid.UUID((row["record_id"] or "").strip())] = date.fromisoformat(day) if day else None
            except ValueError:
                words = _(
                    "Line %(number)s of the table: record_id must be an identifier, due_on a day like 2026-03-31."
                )
                raise CannotActError(words % {"number": number}) from None
            _within(len(found))  # at once, as a file holds millions of lines
    except (UnicodeDecodeError, csv.Error):
        raise CannotActError(_("The table is no CSV in UTF-8.")) from None
    return found


ACTS: tuple[Act, ...] = (WaiveMany(), DeadlineMany())
