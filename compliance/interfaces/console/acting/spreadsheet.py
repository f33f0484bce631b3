"""The act that imports HR's spreadsheet of people: upload, choice of columns, preview, and the worker's part."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django import forms
from django.http import HttpResponseBase
from django.utils.translation import gettext, gettext_lazy, ngettext

from compliance.facts.recording import Channel
from compliance.history.actions import capture_all
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.acting.act import Act, Acting
from compliance.interfaces.console.acting.fields import ActForm
from compliance.interfaces.console.acting.people import GROUP
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.page import Section
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.tables import answers
from compliance.provisioning.spreadsheets import columns as matching
from compliance.provisioning.spreadsheets import company
from compliance.provisioning.spreadsheets.errors import SpreadsheetError, TooLargeError
from compliance.provisioning.spreadsheets.facts import KINDS
from compliance.provisioning.spreadsheets.headings import LABELS, Field
from compliance.provisioning.spreadsheets.importing import Outcome, import_people, preview
from compliance.provisioning.spreadsheets.limits import WHILE_SOMEBODY_WAITS, WHOLE
from compliance.provisioning.spreadsheets.plan import Plan, Step
from compliance.provisioning.spreadsheets.reading import Table, read

LISTED = 20
CHANGED_MEANWHILE = gettext_lazy(
    "The company has changed since the preview. This is the plan anew: confirm it if it is still what you mean."
)
_DETAILS = {
    "person_name": gettext_lazy("Name"),
    "account_email": gettext_lazy("Account email"),
    "work_email": gettext_lazy("Work email"),
}
_SAMPLES = 2
_LONGEST_SAMPLE = 60


class _ColumnsField(forms.CharField):
    """The field that each column of the file holds, in order; empty before the columns have been displayed."""

    widget = forms.MultipleHiddenInput

    def clean(self, value: Any) -> list[str]:
        """The names of fields, empty for a column that is not used."""
        chosen = [str(each) for each in value or ()]
        if any(each and each not in set(Field) for each in chosen):
            raise forms.ValidationError(gettext("Choose what each column holds."))
        return chosen


class _NumberField(forms.IntegerField):
    """A number as people type it, with the separators with which pages display it; no number is as good as none."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> int | None:
        """The number, None for anything else: the preview then asks for it again."""
        digits = re.sub(r"[\s.,'\u2019]", "", str(value or ""))
        return int(digits) if digits.isdecimal() and len(digits) < 9 else None


class SpreadsheetForm(ActForm):
    """HR's file, and how to read it. Hidden fields are filled in beside the preview."""

    file = forms.FileField(
        label=gettext_lazy("HR's spreadsheet"),
        help_text=gettext_lazy(
            "CSV or Excel (.xlsx), with a row of headings. One column holds e-mail addresses or employee numbers;"
            " names, teams and roles are used where they are there."
        ),
    )
    leavers = forms.BooleanField(
        required=False,
        label=gettext_lazy("The file names everybody: who is not in it has left"),
        help_text=gettext_lazy(
            "Ends the employment of every employee who is in no row. Otherwise nobody leaves by the file."
        ),
    )
    columns = _ColumnsField(required=False)
    confirmed = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    leaving = _NumberField(required=False)
    only_try = forms.BooleanField(required=False, widget=forms.HiddenInput)


class ColumnChoice(NamedTuple):
    """A column of the file: its heading, samples of its content, and the field chosen for it."""

    heading: str
    samples: str
    choices: list[tuple[str, str, bool]]


@dataclass(frozen=True)
class KindOfChange:
    """One kind of change: how many people it affects, and the first of them."""

    title: str
    headings: tuple[str, ...]
    total: int
    rows: list[tuple[str, ...]]

    @property
    def cells(self) -> list[list[tuple[str, str]]]:
        """The rows, each value with its heading, which narrow screens display beside it."""
        return [list(zip(self.headings, row, strict=True)) for row in self.rows]


@dataclass
class SpreadsheetPreview(Preview):
    """What a spreadsheet would change, and how its columns were read."""

    body: str = "console/acting/spreadsheet_body.html"
    kind: str = ""
    columns: list[ColumnChoice] = field(default_factory=list)
    parts: list[KindOfChange] = field(default_factory=list)
    new_teams: list[str] = field(default_factory=list)
    listed: int = LISTED
    leavers: bool = False
    refused: str = ""
    too_large: bool = False
    fingerprint: str = ""
    chosen: list[str] = field(default_factory=list)
    type_number: int = 0
    nothing: bool = False
    wrong: int = 0

    @property
    def new_teams_named(self) -> str:
        """The names of the first of the new teams."""
        return ", ".join(self.new_teams[: self.listed])


class ImportPeople(Act):
    """Imports HR's spreadsheet of people."""

    name = "import-people"
    title = gettext_lazy("People from a spreadsheet")
    explains = gettext_lazy(
        "Takes in HR's list of people: who joins, changes, moves to another team and, if you ask for it, leaves. The"
        " same file twice changes nothing the second time."
    )
    permission = Permission.CHANGE_PEOPLE
    form = SpreadsheetForm
    group = GROUP
    upload = "file"
    everybody = True
    recent = True
    long = True
    second = True
    again = True
    section = Section.PEOPLE
    leads_to = "people"
    preview_template = "console/acting/spreadsheet.html"

    def needs_second(self, acting: Acting) -> bool:
        """True, as for facts files, unless nothing is recorded."""
        return not acting.data["only_try"]

    def learners(self, acting: Acting) -> list[Any]:
        """The people whom the preview names."""
        planned = self._planned(acting)
        if planned is None:
            return []
        found = [step.person for kind in (planned.joins, planned.changes, planned.moves) for step in kind[:LISTED]]
        return [person.learner_profile_id for person in (*found, *planned.leaves[:LISTED]) if person is not None]

    def preview(self, acting: Acting) -> SpreadsheetPreview:
        """How the columns were read, and what would change. For a file too large for a request, only the columns."""
        table = self._table(acting)
        columns = self._columns(acting)
        found = SpreadsheetPreview(
            kind=table.kind, leavers=acting.data["leavers"], columns=list(_choices(table, columns)),
            chosen=[columns.get(place, "") for place in range(len(table.headings))],
        )  # fmt: skip
        try:
            planned = self._planned(acting, raising=True)
        except TooLargeError:
            found.too_large = True
            found.warnings.append(
                gettext(
                    "The file has more than %(rows)s rows, which is too much to be planned while you wait. Have the"
                    " worker try it first: it says how many people would join, change, move and leave, and which"
                    " rows are wrong."
                )
                % {"rows": f"{WHILE_SOMEBODY_WAITS.rows:,}"}
            )
            return found
        except SpreadsheetError as error:
            found.refused = str(error)
            return found
        assert planned is not None
        found.fingerprint, found.wrong = planned.fingerprint, len(planned.wrong)
        found.nothing = not planned.steps and not planned.leaves
        found.parts = list(_parts(planned))
        found.new_teams = sorted(planned.new_teams.values())
        found.warnings += planned.notes(acting.data["leavers"])
        if planned.leaves:
            found.warnings.append(
                gettext(
                    "%(leaves)s of %(employed)s employees would leave the company: they are in no row of the file, or"
                    " it says that they have left."
                )
                % {"leaves": f"{len(planned.leaves):,}", "employed": f"{planned.employed:,}"}
            )
        found.type_number = len(planned.leaves) if planned.ends_most else 0
        return found

    def objection(self, acting: Acting) -> str:
        """Refuses a plan that differs from the confirmed one, and many leavers unless their number was typed."""
        if acting.data["only_try"]:
            return ""
        try:
            planned = self._planned(acting, raising=True)
        except TooLargeError:
            return ""
        except SpreadsheetError as error:
            return str(error)
        assert planned is not None
        if planned.fingerprint != acting.data["confirmed"]:
            return str(CHANGED_MEANWHILE)
        if planned.ends_most and acting.data["leaving"] != len(planned.leaves):
            return gettext("Type the number of people who would leave, %(leaves)s, if that is meant.") % {
                "leaves": len(planned.leaves)
            }
        return ""

    def table(self, acting: Acting) -> HttpResponseBase:
        """The wrong rows, as they are in the file, with the reason in front, to be corrected and uploaded again."""
        table = self._table(acting)
        planned = self._planned(acting, raising=True)
        assert planned is not None
        reasons = {each.line: each.reason for each in planned.wrong}

        def rows() -> Iterator[list[str]]:
            for number, cells in table.rows():
                if number in reasons:
                    yield [reasons[number], str(number), *cells]

        return answers.table("wrong-rows", "xlsx", [gettext("What is wrong"), gettext("Row"), *table.headings], rows())

    def work(self, acting: Acting, job: Job) -> str:
        """Records and captures the file, or only tries it."""
        table = read(acting.upload.read() if acting.upload else b"", WHOLE)
        acting.found["table"] = table
        columns = self._columns(acting)
        if acting.data["only_try"]:
            planned = preview(acting.organization_id, table, columns, now=acting.at, leavers=acting.data["leavers"])
            acting.findings += planned.notes(acting.data["leavers"])  # before the rows, of which the first are kept
            acting.findings += _sentences(planned)
            return gettext("Tried, and nothing recorded. %(counted)s") % {"counted": _counted(planned)}
        outcome: Outcome = import_people(
            organization_id=acting.organization_id,
            table=table,
            columns=columns,
            clock=lambda: datetime.now(UTC),
            teller=acting.teller(KINDS, Channel.CONSOLE),
            leavers=acting.data["leavers"],
            confirmed=acting.data["confirmed"] or None,
            confirmed_leaves=acting.data["leaving"],
            progress=lambda done, total: jobs.say(job, done, total),
        )
        capture_all(acting.organization_id, datetime.now(UTC))
        acting.findings += _sentences(outcome.plan)
        return gettext("%(counted)s %(recorded)s facts recorded.") % {
            "counted": _counted(outcome.plan),
            "recorded": f"{outcome.recorded:,}",
        }

    def _table(self, acting: Acting) -> Table:
        """The file's table, read once."""
        if "table" not in acting.found:
            acting.found["table"] = read(acting.upload.read() if acting.upload else b"", WHILE_SOMEBODY_WAITS)
        found: Table = acting.found["table"]
        return found

    def _columns(self, acting: Acting) -> matching.Columns:
        """The fields of the columns: as chosen, else as recognised."""
        table = self._table(acting)
        chosen = acting.data["columns"]
        if len(chosen) == len(table.headings):
            return {place: Field(name) for place, name in enumerate(chosen) if name}
        return matching.recognise(table.headings, table.first, company.role_names(acting.organization_id))

    def _planned(self, acting: Acting, *, raising: bool = False) -> Plan | None:
        """The plan, made once; None if there is none, unless `raising`: then raises SpreadsheetError."""
        if "plan" not in acting.found:
            try:
                acting.found["plan"] = preview(
                    acting.organization_id,
                    self._table(acting),
                    self._columns(acting),
                    now=acting.at,
                    leavers=acting.data["leavers"],
                )
            except SpreadsheetError:
                if raising:
                    raise
                return None
        found: Plan = acting.found["plan"]
        return found


def _choices(table: Table, columns: matching.Columns) -> Iterator[ColumnChoice]:
    for place, heading in enumerate(table.headings):
        held = dict.fromkeys(cells[place] for _, cells in table.first if place < len(cells) and cells[place].strip())
        samples = ", ".join(" ".join(each.split())[:_LONGEST_SAMPLE] for each in [*held][:_SAMPLES])
        taken = columns.get(place)
        choices = [("", gettext("Not used"), taken is None)]
        choices += [(each.value, LABELS[each], each is taken) for each in Field]
        yield ColumnChoice(heading or gettext("Column %(place)s") % {"place": place + 1}, samples, choices)


def _parts(planned: Plan) -> Iterator[KindOfChange]:
    """The kinds of change in the plan, with the first people of each."""
    joins, changes, moves = planned.joins, planned.changes, planned.moves
    first = [
        (step.displayed_name, step.email, _teams(step.enters + step.stays_in), _how(step)) for step in joins[:LISTED]
    ]
    known = any(how for *_, how in first)
    headings = (gettext("Person"), gettext("Email address"), gettext("Teams"), gettext("How"))
    yield KindOfChange(
        gettext("Join"), headings if known else headings[:3], len(joins), [row if known else row[:3] for row in first]
    )
    yield KindOfChange(
        gettext("Change"),
        (gettext("Person"), gettext("What changes")),
        len(changes),
        [(step.displayed_name, _what(step)) for step in changes[:LISTED]],
    )
    yield KindOfChange(
        gettext("Move"), (gettext("Person"), gettext("Out of"), gettext("Into")), len(moves),
        [(step.displayed_name, _teams(step.leaves), _teams(step.enters)) for step in moves[:LISTED]],
    )  # fmt: skip
    yield KindOfChange(
        gettext("Leave"), (gettext("Person"), gettext("Email address")), len(planned.leaves),
        [(each.person_name or gettext("No name"), each.work_email or each.account_email or "")
         for each in planned.leaves[:LISTED]],
    )  # fmt: skip
    yield KindOfChange(
        gettext("Wrong rows, which are left out"), (gettext("Row"), gettext("What is wrong")), len(planned.wrong),
        [(str(each.line), each.reason) for each in planned.wrong[:LISTED]],
    )  # fmt: skip


def _teams(refs: tuple[Any, ...]) -> str:
    return ", ".join(ref.name for ref in refs)


def _how(step: Step) -> str:
    if step.invitation is not None:
        return gettext("accepts the invitation")
    return "" if step.person is None else gettext("comes back, or was known by another door")


def _what(step: Step) -> str:
    found = [
        f"{_DETAILS[name]}: {each.before or gettext('none')} → {each.after}" for name, each in step.details.items()
    ]
    if step.roles is not None:
        none = gettext("none")
        roles = (", ".join(sorted(step.roles_before)) or none, ", ".join(step.roles) or none)
        found.append(gettext("Roles: %(before)s → %(after)s") % {"before": roles[0], "after": roles[1]})
    return "; ".join(found)


def _sentences(planned: Plan) -> list[str]:
    return [gettext("Row %(line)s: %(reason)s") % {"line": each.line, "reason": each.reason} for each in planned.wrong]


def _counted(planned: Plan) -> str:
    count = planned.counts
    wrong = len(planned.wrong)
    people = gettext(
        "%(joins)s join, %(changes)s change, %(moves)s move, %(leaves)s leave, %(unchanged)s are as before."
    ) % {name: f"{count[name]:,}" for name in ("joins", "changes", "moves", "leaves", "unchanged")}
    rows = ngettext("%(number)s row is wrong.", "%(number)s rows are wrong.", wrong) % {"number": f"{wrong:,}"}
    return f"{people} {rows}"


ACTS: tuple[Act, ...] = (ImportPeople(),)
