"""Acts on absences: excuse a person from what falls due between two days, and void an absence."""

import uuid
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from compliance.facts.lines.kinds import AbsenceRecorded, AbsenceVoided
from compliance.facts.lines.people import LONGEST_ABSENCE
from compliance.facts.people import absences
from compliance.facts.recording import act
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done, to
from compliance.interfaces.console.acting.fields import PERSON, ActForm, Choices, Listed, day_field
from compliance.interfaces.console.page import Section
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Line, Preview
from compliance.interfaces.console.wording import state, written_day, written_moment
from compliance.rules.company_days import day_of, end_of_day
from compliance.rules.vocabulary import AbsenceReasonCode

GROUP = gettext_lazy("What people owe")


def stretch(first_day: date, last_day: date) -> str:
    """The days of an absence as people write them."""
    if first_day == last_day:
        return written_day(first_day)
    return _("%(first)s to %(last)s") % {"first": written_day(first_day), "last": written_day(last_day)}


class AbsenceForm(ActForm):
    """Who is away, from when to when, and for which reason."""

    learner_profile_id = PERSON
    first_day = day_field(gettext_lazy("From"), required=True)
    last_day = day_field(
        gettext_lazy("To"), required=True, help_text=gettext_lazy("The last day on which the person is away.")
    )
    absence_reason = forms.ChoiceField(
        label=gettext_lazy("Why they are away"),
        help_text=gettext_lazy("Nothing about health: this word is all that is kept."),
    )

    def __init__(self, *arguments: Any, **values: Any) -> None:
        super().__init__(*arguments, **values)
        reasons = self.fields["absence_reason"]
        assert isinstance(reasons, forms.ChoiceField)
        reasons.choices = [(code.value, state(code)) for code in AbsenceReasonCode]

    def clean(self) -> dict[str, Any]:
        """Refuses a last day before the first, and a period so long that a year was probably mistyped."""
        data: dict[str, Any] = super().clean() or {}
        first_day, last_day = data.get("first_day"), data.get("last_day")
        if first_day and last_day and last_day < first_day:
            self.add_error("last_day", _("The last day comes before the first."))
        elif first_day and last_day and last_day - first_day >= LONGEST_ABSENCE:
            longest = {"days": LONGEST_ABSENCE.days}
            self.add_error("last_day", _("That is more than %(days)s days. Is the year right?") % longest)
        return data


class RecordAbsence(Act):
    """Excuses a person while they are away."""

    name = "record-absence"
    title = gettext_lazy("Excuse while away")
    explains = gettext_lazy(
        "Whatever falls due while the person is away, training and policies alike, is due as many days after the"
        " absence as it would have been after its first day. That holds for what they are asked to do later, too."
    )
    permission = Permission.CHANGE_RECORDS
    form = AbsenceForm
    about = "person"
    group = GROUP
    section = Section.PEOPLE
    tells = (AbsenceRecorded,)

    def preview(self, acting: Acting) -> Preview:
        """Lists each deadline that moves, with the old and the new day."""
        found = super().preview(acting)
        deadlines = moved(found.lines, acting)
        found.pairs += deadlines
        if not deadlines and found.reaches is None:
            found.notes.append(_("Nothing that is known today falls due on these days, so no deadline moves."))
        if acting.data["last_day"] < day_of(acting.organization.time_zone, acting.at):
            found.warnings.append(_("These days are over. What was done or has ended meanwhile keeps its deadline."))
        return found

    def perform(self, acting: Acting) -> Done:
        """Records the absence."""
        absence_id, data = uuid.uuid4(), acting.data
        act(
            AbsenceRecorded,
            **acting.common,
            absence_id=absence_id,
            learner_profile_id=data["learner_profile_id"],
            **{
                "from": data["first_day"],
                "to": data["last_day"],
                "reason_code": AbsenceReasonCode(data["absence_reason"]),
            },
        )
        words = {"days": stretch(data["first_day"], data["last_day"])}
        back = {"learner_profile_id": data["learner_profile_id"], "absence_id": absence_id}
        return to(acting, _("The person is excused: %(days)s.") % words)._replace(undo=(VoidAbsence.name, back))


def _theirs(form: ActForm) -> Choices:
    """The absences, not void, of the person whom the form names."""
    person = form.identifier_of("learner_profile_id")
    found = absences.absences_of(form.organization_id, person, form.at) if person else []
    return [(str(each.absence_id), stretch(each.first_day, each.last_day)) for each in found]


class VoidForm(ActForm):
    """Which absence of which person."""

    learner_profile_id = PERSON
    absence_id = Listed(_theirs, label=gettext_lazy("Absence"))


class VoidAbsence(Act):
    """Declares an absence void."""

    name = "void-absence"
    title = gettext_lazy("Take an absence back")
    explains = gettext_lazy(
        "From now on everything is due as if the absence had never been recorded. What was done or signed meanwhile"
        " keeps its deadline. To correct the days, take it back and record it again."
    )
    permission = Permission.CHANGE_RECORDS
    form = VoidForm
    about = "absence"
    group = GROUP
    tells = (AbsenceVoided,)

    def preview(self, acting: Acting) -> Preview:
        """Lists each deadline that moves back."""
        found = super().preview(acting)
        found.pairs += moved(found.lines, acting)
        return found

    def perform(self, acting: Acting) -> Done:
        """Records that the absence is void."""
        absence_id, learner = uuid.UUID(acting.data["absence_id"]), acting.data["learner_profile_id"]
        theirs = absences.absences(acting.organization_id, [absence_id]).get(absence_id)
        if theirs is None or theirs.learner_profile_id != learner:
            raise CannotActError(_("That is no absence of this person."))
        act(AbsenceVoided, **acting.common, absence_id=absence_id)
        return to(acting, _("The absence is taken back."))


def moved(lines: list[Line], acting: Acting) -> list[tuple[str, str]]:
    """For each row whose deadline changes: its title, and the deadline before and after."""
    found = []
    for line in lines:
        for change in line.difference.changes:
            if change.name == "due_at" and change.before and change.after:
                words = {"before": _due(change.before, acting), "after": _due(change.after, acting)}
                found.append((line.course_title or "", _("due by %(after)s instead of %(before)s") % words))
    return found


def _due(instant: str, acting: Acting) -> str:
    """A deadline as people write it: the day, and the time where it is not the end of the day."""
    zone, moment = acting.organization.time_zone, datetime.fromisoformat(instant)
    day = day_of(zone, moment)
    return written_day(day) if moment == end_of_day(zone, day) else written_moment(moment, ZoneInfo(zone))


ACTS: tuple[Act, ...] = (RecordAbsence(), VoidAbsence())
