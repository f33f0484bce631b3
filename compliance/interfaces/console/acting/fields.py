"""Fields and forms that acts share: the company's people, courses, teams and shares, and days in its time."""

import uuid
from collections.abc import Callable, Iterable
from datetime import date, datetime
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.template.loader import render_to_string
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext

from compliance.facts.courses import queries as courses
from compliance.facts.lines.kinds import Audience, DaysAfterAdded, Deadline, FixedDeadline, NoDeadline
from compliance.history import queries as history
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.acting import pickable
from compliance.interfaces.console.acting.picker import Picked, PickedMany
from compliance.interfaces.console.page import Words
from compliance.interfaces.console.wording import STATES, written_day
from compliance.rules import company_days
from compliance.rules.vocabulary import Door, DueBasis, WaiverReasonCode
from compliance.tenancy.models import Organization

IDENTIFIERS_AT_MOST = 20_000
OFFERED_AT_MOST = 2000
"""How many courses, teams or shares of a company a form offers."""

PEOPLE_NAMED = 20
EARLIEST_DAY, LATEST_DAY = date(1900, 1, 2), date(2999, 12, 29)
"""Days that are, in every time zone, within the years that facts accept."""
_OUTSIDE = gettext_lazy("Choose a day between the years 1900 and 2999.")
TYPED_REPEATED = 400
"""How many characters of a long text a preview repeats."""

Choices = Iterable[tuple[str, Any]]


class ActForm(forms.Form):
    """The form of an act, for a company at a moment: `Listed` fields offer what that company has."""

    not_repeated: frozenset[str] = frozenset()
    """Fields that the preview does not repeat, because it displays them in another way."""

    def __init__(self, organization: Organization, at: datetime, *arguments: Any, **values: Any) -> None:
        super().__init__(*arguments, **values)
        self.organization_id = organization.organization_id
        self.at = at
        for name, field in self.fields.items():
            if isinstance(field, Listed | ListedMany):
                field.choices = list(field.of(self))
            elif isinstance(field, Picked):
                field.begin(self.organization_id, at, None if self.is_bound else self.initial.get(name, field.initial))

    def identifier_of(self, name: str) -> uuid.UUID | None:
        """The identifier in a field before it is cleaned, for `Listed` fields whose choices depend on it.

        A picker sends what was picked and then, under the same name, its text box, which is empty in that case.
        """
        if not self.is_bound:
            return identifiers.read(self.initial.get(name))
        sent = self.data.getlist(name) if isinstance(self.data, MultiValueDict) else [self.data.get(name)]
        return next((identifiers.read(each) for each in sent if each), None)

    def picked(self) -> dict[str, list[str]]:
        """The values of picker fields to send again: identifiers, never words, which may name people."""
        return {
            name: field.sent(self.cleaned_data[name])
            for name, field in self.fields.items()
            if isinstance(field, Picked) and name in self.cleaned_data
        }

    def typed(self) -> list[tuple[str, str]]:
        """The form's input as the preview repeats it: the label and the value of each field that is not empty."""
        repeated = []
        for name, field in self.fields.items():
            value = self.cleaned_data.get(name)
            if value in (None, "", [], False) or field.widget.is_hidden or name in self.not_repeated:
                continue
            repeated.append((str(field.label or name), _words(field, value)))
        return repeated

    def refuse(self, error: Exception) -> None:
        """Adds the error above the form, as a sentence."""
        words = str(error)
        self.add_error(None, words[:1].upper() + words[1:])


def _words(field: forms.Field, value: Any) -> str:
    """The value of a field, in words."""
    if isinstance(field, Picked):
        names = [choice.label for choice in field.widget.chosen[:PEOPLE_NAMED]]
        more = len(field.widget.chosen) - len(names)
        words = ", ".join(names)
        if not more:
            return words
        return ngettext("%(names)s and %(n)s more", "%(names)s and %(n)s more", more) % {"names": words, "n": more}
    if isinstance(field, forms.MultipleChoiceField | forms.ChoiceField):
        chosen = {str(each) for each in (value if isinstance(value, list) else [value])}
        return ", ".join(words for given, words in _flat(field.choices) if given in chosen)
    if isinstance(value, date):
        return written_day(value)
    if value is True:
        return gettext("Yes")
    if isinstance(value, list):
        return ngettext("%(n)s chosen", "%(n)s chosen", len(value)) % {"n": len(value)}
    return str(getattr(value, "name", value))[:TYPED_REPEATED]


def _flat(choices: Any) -> list[tuple[str, str]]:
    """The values of choices with their words, including those in groups."""
    found: list[tuple[str, str]] = []
    for value, words in choices:
        found += _flat(words) if isinstance(words, list | tuple) else [(str(value), str(words))]
    return found


def form_of(**fields: forms.Field) -> type[ActForm]:
    """A form class with these fields only."""
    made: type[ActForm] = type("DeclaredForm", (ActForm,), dict(fields))
    return made


class Listed(forms.ChoiceField):
    """A choice of something in the company; `of` lists the choices, in the company's context, when the form is made."""

    def __init__(self, of: Callable[[ActForm], Choices], **values: Any) -> None:
        super().__init__(**values)
        self.of = of


class ListedMany(forms.MultipleChoiceField):
    """As `Listed`, but any number of choices."""

    def __init__(self, of: Callable[[ActForm], Choices], **values: Any) -> None:
        super().__init__(required=False, widget=forms.CheckboxSelectMultiple, **values)
        self.of = of


def course_choices(organization_id: uuid.UUID, kind: str, none: Words) -> list[tuple[str, str]]:
    """The company's courses or policies by title, after `none`, the label of the empty choice."""
    found = courses.titles(organization_id, kind, OFFERED_AT_MOST)
    return [("", str(none)), *((str(each.course_id), each.title) for each in found)]


def courses_of_kind(kind: str, none: Words) -> Callable[[ActForm], Choices]:
    """`course_choices` for a `Listed` field."""
    return lambda form: course_choices(form.organization_id, kind, none)


def _theirs_first(form: ActForm) -> Choices:
    """The courses, first those for which the form's person has a training record."""
    none, *every = course_choices(form.organization_id, "training", gettext("Choose a course"))
    person = form.identifier_of("learner_profile_id")
    recorded = {str(each) for each in history.courses_of(form.organization_id, person)} if person else set()
    theirs = [each for each in every if each[0] in recorded]
    others = [each for each in every if each[0] not in recorded]
    return (
        [none, (gettext("Courses of this person"), theirs), (gettext("Other courses"), others)]
        if theirs
        else [none, *every]
    )


class ChosenRows(forms.Widget):
    """Displays how many rows of a list were chosen, with their identifiers in a hidden value."""

    is_hidden = False

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        """All values sent under the name, as one text."""
        sent = data.getlist(name) if hasattr(data, "getlist") else [data.get(name, "")]
        return "\n".join(map(str, sent))

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """The number of rows, and the hidden value."""
        number = len(set(str(value or "").replace(",", " ").split()))
        values = {"name": name, "value": value or "", "number": number, "id": (attrs or {}).get("id", "")}
        return SafeString(render_to_string("console/acting/chosen.html", values))


class IdentifiersField(forms.CharField):
    """The identifiers of the rows chosen in a list, separated by line ends, blanks or commas."""

    def __init__(self, **values: Any) -> None:
        super().__init__(widget=ChosenRows(), **values)

    def clean(self, value: Any) -> list[uuid.UUID]:
        """The identifiers, each once, in the order given."""
        words = str(super().clean(value) or "").replace(",", " ").replace(";", " ").split()
        if len(words) > IDENTIFIERS_AT_MOST:
            raise forms.ValidationError(gettext("At most %(most)s at a time.") % {"most": IDENTIFIERS_AT_MOST})
        found: dict[uuid.UUID, None] = {}
        for word in words:
            identifier = identifiers.read(word)
            if identifier is None:
                raise forms.ValidationError(gettext("%(word)s is no identifier.") % {"word": repr(word[:60])})
            found[identifier] = None
        return list(found)


def day_field(label: Any, *, required: bool = False, **values: Any) -> forms.DateField:
    """A field for a day in the company's time, within the days that facts accept."""
    within = [MinValueValidator(EARLIEST_DAY, _OUTSIDE), MaxValueValidator(LATEST_DAY, _OUTSIDE)]
    widget = forms.DateInput(attrs={"type": "date"})
    return forms.DateField(label=label, required=required, widget=widget, validators=within, **values)


def end_of(organization: Organization, day: date | None) -> datetime | None:
    """The end of a day in the company's time; None without a day."""
    return None if day is None else company_days.end_of_day(organization.time_zone, day)


_DOORS = {
    Door.EMPLOYEE: gettext_lazy("Employees"),
    Door.PARTNER: gettext_lazy("Partners"),
    Door.CUSTOMER: gettext_lazy("Customers"),
}


class DoorsField(forms.MultipleChoiceField):
    """The doors of a share or a policy."""

    def __init__(self, **values: Any) -> None:
        choices = [(door.value, _DOORS[door]) for door in Door]
        super().__init__(choices=choices, widget=forms.CheckboxSelectMultiple, **values)


class PersonField(Picked):
    """A person, by name or email, prefilled by pages about a person. Holds the `learner_profile_id`."""

    def __init__(self, **values: Any) -> None:
        super().__init__(pickable.PERSON, **({"label": gettext_lazy("Person")} | values))


class PeopleField(PickedMany):
    """Any number of people, by name or email. Holds the list of their `learner_profile_id`."""

    def __init__(self, **values: Any) -> None:
        super().__init__(pickable.PERSON, **({"label": gettext_lazy("People")} | values))


class TeamField(Picked):
    """A team, by name. Holds its `team_id`."""

    def __init__(self, **values: Any) -> None:
        super().__init__(pickable.TEAM, **({"label": gettext_lazy("Team")} | values))


class TeamsField(PickedMany):
    """Any number of teams, by name. Holds the list of their `team_id`."""

    def __init__(self, **values: Any) -> None:
        super().__init__(pickable.TEAM, **({"label": gettext_lazy("Teams")} | values))


PERSON = PersonField()
TEAM = TeamField()
TEAMS = TeamsField(required=False)
SHARE = Picked(pickable.SHARE, label=gettext_lazy("Share"))
COURSE_OWED = Listed(_theirs_first, label=gettext_lazy("Course"))
WAIVER_REASON = forms.ChoiceField(
    label=gettext_lazy("Why they need not"),
    choices=[(code.value, STATES[code.value]) for code in WaiverReasonCode],
)

PersonForm = form_of(learner_profile_id=PERSON)


class AudienceForm(ActForm):
    """Whom a share is for, and until when it is owed."""

    doors = DoorsField(initial=[Door.EMPLOYEE.value], label=gettext_lazy("Who come as"))
    audience = forms.ChoiceField(
        choices=[
            ("everyone", gettext_lazy("Everyone")),
            ("teams", gettext_lazy("Teams")),
            ("people", gettext_lazy("Some people")),
        ],
        label=gettext_lazy("For"),
    )
    teams = TEAMS
    people = PeopleField(required=False)
    basis = forms.ChoiceField(
        label=gettext_lazy("Deadline"),
        choices=[
            (DueBasis.NONE.value, gettext_lazy("None")),
            (DueBasis.SHARE_DEADLINE.value, gettext_lazy("On a day")),
            (DueBasis.DAYS_AFTER_ADDED.value, gettext_lazy("Some days after each person is added")),
        ],
    )
    due_on = day_field(gettext_lazy("Due on"), help_text=gettext_lazy("For a deadline on a day: the end of this day."))
    days = forms.IntegerField(
        required=False, min_value=0, max_value=36_500, label=gettext_lazy("Days after being added")
    )

    def clean(self) -> dict[str, Any]:
        """Refuses missing values that the chosen audience and deadline need."""
        data: dict[str, Any] = super().clean() or {}
        for chosen, name, words in (
            (data.get("audience") == "teams", "teams", gettext("Choose at least one team.")),
            (data.get("audience") == "people", "people", gettext("Name at least one person.")),
            (data.get("basis") == DueBasis.SHARE_DEADLINE, "due_on", gettext("Choose the day.")),
            (data.get("basis") == DueBasis.DAYS_AFTER_ADDED, "days", gettext("Say how many days.")),
        ):
            if chosen and data.get(name) in (None, []):
                self.add_error(name, words)
            elif not chosen and name in data:  # typed before another choice was made, so it does not count
                data[name] = [] if isinstance(data[name], list) else None
        return data


def audience_of(data: dict[str, Any]) -> Audience:
    """The audience in the form of facts."""
    if data["audience"] == "teams":
        return Audience(team_ids=tuple(data["teams"]))
    if data["audience"] == "people":
        return Audience(learner_profile_ids=tuple(data["people"]))
    return Audience(everyone=True)


def deadline_of(organization: Organization, data: dict[str, Any]) -> Deadline:
    """The deadline in the form of facts."""
    if data["basis"] == DueBasis.SHARE_DEADLINE:
        due_at = end_of(organization, data["due_on"])
        assert due_at is not None
        return FixedDeadline(due_at=due_at)
    if data["basis"] == DueBasis.DAYS_AFTER_ADDED:
        return DaysAfterAdded(days=data["days"])
    return NoDeadline()
