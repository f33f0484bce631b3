"""Acts on many training records at once: by selection in the register, or by a table (CSV)."""

import csv
import io
import uuid
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from compliance.errors import ComplianceError
from compliance.facts.training import actions
from compliance.history.numbers import TRAINING_RECORDS
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.acting.act import Act, ActForm, Acting, CannotActError
from compliance.interfaces.console.acting.fields import IdentifiersField, day_field, end_of
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.preview.dry_run import Preview, dry_run
from compliance.interfaces.console.who_may import Permission
from compliance.rules.vocabulary import WaiverReasonCode
from compliance.tenancy import context, sql

GROUP = "Many at once"
RECORDS_AT_MOST = 20_000
REHEARSED_AT_MOST = 25
TOLD_EVERY = 20


class Owed(NamedTuple):
    """A training record, whose it is, and the day a table gave for it."""

    record_id: uuid.UUID
    learner_profile_id: uuid.UUID
    course_id: uuid.UUID
    person_name: str | None
    work_email: str | None
    course_title: str
    due_on: date | None = None


class ManyForm(ActForm):
    """Which records."""

    record_ids = IdentifiersField(
        required=False, label="Records", help_text="Identifiers of training records. The register fills in a selection."
    )
    table = forms.FileField(
        required=False, label="Or a table (CSV)", help_text="With a heading row and a column record_id."
    )


class WaiveManyForm(ManyForm):
    """And why they are waived."""

    reason_code = forms.ChoiceField(
        label="Why they need not",
        choices=[(code.value, code.value.replace("_", " ").capitalize()) for code in WaiverReasonCode],
    )


class DeadlineManyForm(ManyForm):
    """And the day."""

    due_on = day_field(
        "Due on",
        help_text="The end of this day. A column due_on in the table goes before it. Empty: as the shares say.",
    )


class _Many(Act):
    permission = Permission.CHANGE_RECORDS
    form: ClassVar[type[ActForm]] = ManyForm
    about = "record"
    group = GROUP
    long = True
    upload = "table"
    verb: ClassVar[str]

    def one(self, acting: Acting, owed: Owed) -> None:
        """Does it to one record."""
        raise NotImplementedError

    def preview(self, acting: Acting) -> Preview:
        """Does the first few of them and takes them back."""
        found = records(acting)
        first = found[:REHEARSED_AT_MOST]
        refused: list[str] = []
        preview = dry_run(acting.organization_id, acting.at, lambda: self._each(acting, first, refused, None))
        preview.pairs = [("Records", len(found)), ("Refused by the rules", len(refused))]
        preview.notes = refused[:40]
        if len(found) > len(first):
            preview.warnings.append(f"Only the first {len(first)} records were tried beforehand.")
        return preview

    def work(self, acting: Acting, job: Job) -> str:
        """Does it to all, one transaction each; what the rules refuse is reported and left alone."""
        with context.company(acting.organization_id):
            found = records(acting)

        def tell(done: int) -> None:
            jobs.say(job, done, len(found))

        self._each(acting, found, acting.findings, tell)
        done = len(found) - len(acting.findings)
        return f"{done} of {len(found)} records {self.verb}."

    def _each(
        self, acting: Acting, found: Sequence[Owed], refused: list[str], tell: Callable[[int], None] | None
    ) -> None:
        for number, owed in enumerate(found, start=1):
            try:
                with context.company(acting.organization_id):
                    self.one(acting, owed)
            except ComplianceError as error:
                refused.append(f"Record {owed.record_id}: {error}")
            if tell is not None and (number % TOLD_EVERY == 0 or number == len(found)):
                tell(number)

    def _of(self, acting: Acting, owed: Owed) -> dict[str, Any]:
        return acting.common | {"learner_profile_id": owed.learner_profile_id, "course_id": owed.course_id}


class WaiveMany(_Many):
    """Waives many records."""

    name = "waive-many"
    title = "Waive records"
    explains = "Waives each of the chosen records for the same reason."
    form = WaiveManyForm
    verb = "waived"

    def one(self, acting: Acting, owed: Owed) -> None:
        """Waives it."""
        actions.waive(**self._of(acting, owed), reason_code=WaiverReasonCode(acting.data["reason_code"]))


class DeadlineMany(_Many):
    """Sets many deadlines."""

    name = "deadline-many"
    title = "Set deadlines"
    explains = "Gives each of the chosen records its own deadline."
    form = DeadlineManyForm
    verb = "given a deadline"

    def one(self, acting: Acting, owed: Owed) -> None:
        """Sets it."""
        day = owed.due_on or acting.data["due_on"]
        actions.set_deadline(**self._of(acting, owed), due_at=end_of(acting.organization, day))


class RemindMany(_Many):
    """Sends reminders by mail, and records them."""

    name = "remind-many"
    title = "Send reminders"
    explains = "Writes to each person by work email (or account email) and records the reminder in their record."
    permission = Permission.CHANGE_PEOPLE
    verb = "reminded"

    def preview(self, acting: Acting) -> Preview:
        """Says how many letters would go; none goes."""
        found = records(acting)
        still = still_to_do(acting, found)
        letters = [owed for owed in found if owed.record_id in still and owed.work_email]
        preview = Preview(
            pairs=[
                ("Letters", len(letters)),
                ("Not to do any more", len(found) - len(still)),
                ("Without any address", len(still) - len(letters)),
            ]
        )
        preview.notes = [f"To each, in plain words: {subject(found[0])}"] if found else []
        return preview

    def one(self, acting: Acting, owed: Owed) -> None:
        """Records the reminder and writes: what is refused is not sent, and what cannot be sent is recorded nowhere."""
        if not still_to_do(acting, [owed]):
            raise CannotActError("It is not to do any more: done, waived or ended.")
        if not owed.work_email:
            raise CannotActError("No address is known.")
        actions.note_reminder(**self._of(acting, owed))
        try:
            get_connection().send_messages(
                [
                    EmailMessage(
                        subject=subject(owed),
                        body=f"{subject(owed)}.\n\nPlease complete it for {acting.organization.name}.\n",
                        from_email=settings.DEFAULT_FROM_EMAIL,
                        to=[owed.work_email],
                    )
                ]
            )
        except OSError:
            raise CannotActError("The letter could not be sent.") from None


def still_to_do(acting: Acting, found: Sequence[Owed]) -> set[uuid.UUID]:
    """Those of the records that are open at the moment of acting: neither done nor waived nor ended."""
    return {
        record_id
        for (record_id,) in sql.fetch(
            "SELECT r.record_id FROM history_historyrecord r CROSS JOIN LATERAL ("
            " SELECT v.done_at, v.waived_at, v.ends_at, v.body FROM history_historyrow v"
            " WHERE v.organization_id = (SELECT %(company)s::uuid) AND v.birth = r.birth AND v.valid_from <= %(at)s"
            " ORDER BY v.valid_from DESC, v.sequence DESC LIMIT 1) v"
            " WHERE r.organization_id = (SELECT %(company)s::uuid) AND r.register = %(register)s"
            " AND r.record_id = ANY(%(records)s) AND v.body <> '' AND v.done_at IS NULL AND v.waived_at IS NULL"
            " AND v.ends_at IS NULL",
            {
                "company": acting.organization_id,
                "at": acting.at,
                "register": TRAINING_RECORDS,
                "records": [owed.record_id for owed in found],
            },
        )
    }


def subject(owed: Owed) -> str:
    """What a reminder says first."""
    return f"Still to do: {owed.course_title}"


def records(acting: Acting) -> list[Owed]:
    """The chosen records, in the order chosen. Raises CannotActError for what is no training record here."""
    days = _table(acting.upload) if acting.upload else {}
    wanted = list(dict.fromkeys([*acting.data["record_ids"], *days]))
    if not wanted:
        raise CannotActError("Choose at least one record, or hand in a table.")
    if len(wanted) > RECORDS_AT_MOST:
        raise CannotActError(f"At most {RECORDS_AT_MOST} records at a time.")
    found = {
        row[0]: Owed(*(*row, days.get(row[0])))
        for row in sql.fetch(
            "SELECT r.record_id, r.learner_profile_id, r.course_id, p.person_name,"
            " coalesce(p.work_email, p.account_email), coalesce(c.title, '') FROM history_historyrecord r"
            " LEFT JOIN people_profile p ON p.organization_id = r.organization_id"
            " AND p.learner_profile_id = r.learner_profile_id"
            " LEFT JOIN courses_course c ON c.organization_id = r.organization_id AND c.course_id = r.course_id"
            " WHERE r.organization_id = (SELECT %s::uuid) AND r.register = %s AND r.record_id = ANY(%s)",
            [acting.organization_id, TRAINING_RECORDS, wanted],
        )
    }
    missing = [record_id for record_id in wanted if record_id not in found]
    if missing:
        raise CannotActError(f"{len(missing)} of these are no training records of this company, first {missing[0]}.")
    return [found[record_id] for record_id in wanted]


def _table(data: bytes) -> dict[uuid.UUID, date | None]:
    """The records of a table, and the day in its column due_on. Raises CannotActError with the line that is wrong."""
    try:
        rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig")))
        if "record_id" not in (rows.fieldnames or ()):
            raise CannotActError("The table has no column record_id in its first row.")
        found: dict[uuid.UUID, date | None] = {}
        for number, row in enumerate(rows, start=2):
            try:
                day = (row.get("due_on") or "").strip()
                found[uuid.UUID((row["record_id"] or "").strip())] = date.fromisoformat(day) if day else None
            except ValueError:
                raise CannotActError(
                    f"Line {number} of the table: record_id must be an identifier, due_on a day like 2026-03-31."
                ) from None
    except (UnicodeDecodeError, csv.Error):
        raise CannotActError("The table is no CSV in UTF-8.") from None
    return found
