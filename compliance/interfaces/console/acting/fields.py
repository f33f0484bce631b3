"""Fields that acts share: people, courses, teams, shares of the company, and days in its time."""

import uuid
from datetime import date, datetime
from typing import Any

from django import forms

from compliance.facts.lines import Audience, DaysAfterAdded, Deadline, FixedDeadline, NoDeadline
from compliance.history.numbers import TRAINING_RECORDS
from compliance.interfaces.console.acting.act import ActForm
from compliance.rules import company_days
from compliance.rules.vocabulary import Door, DueBasis
from compliance.tenancy import sql
from compliance.tenancy.models import Organization

IDENTIFIERS_AT_MOST = 20_000


def person_field(label: str = "Person", help_text: str = "") -> forms.UUIDField:
    """A person, by identifier; their page fills it in."""
    return forms.UUIDField(
        label=label,
        help_text=help_text or "Identifier of the person. Start from the person's page and it is filled in.",
    )


def day_field(label: str, *, required: bool = False, help_text: str = "") -> forms.DateField:
    """A day of the company."""
    return forms.DateField(
        label=label, required=required, help_text=help_text, widget=forms.DateInput(attrs={"type": "date"})
    )


def end_of(organization: Organization, day: date | None) -> datetime | None:
    """The end of a company's day."""
    return None if day is None else company_days.end_of_day(organization.time_zone, day)


class IdentifiersField(forms.CharField):
    """Several identifiers, one a line or separated by blanks or commas, as exports and registers give them."""

    def __init__(self, **values: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 6}), **values)

    def clean(self, value: Any) -> list[uuid.UUID]:
        """The identifiers, each once, in the order given."""
        words = str(super().clean(value) or "").replace(",", " ").replace(";", " ").split()
        if len(words) > IDENTIFIERS_AT_MOST:
            raise forms.ValidationError(f"At most {IDENTIFIERS_AT_MOST} at a time.")
        try:
            return list(dict.fromkeys(uuid.UUID(word) for word in words))
        except ValueError:
            wrong = next(word for word in words if not _is_identifier(word))
            raise forms.ValidationError(f"{wrong[:60]!r} is no identifier.") from None


def _is_identifier(word: str) -> bool:
    try:
        uuid.UUID(word)
    except ValueError:
        return False
    return True


def course_choices(organization: Organization, kind: str, none: str) -> list[tuple[str, str]]:
    """The company's courses or policies by title, behind `none`, the words for having chosen none."""
    rows = sql.fetch(
        "SELECT course_id, title FROM courses_course WHERE organization_id = %s AND kind = %s"
        " ORDER BY lower(title), course_id LIMIT 2000",
        [organization.organization_id, kind],
    )
    return [("", none), *((str(course_id), title) for course_id, title in rows)]


def courses_of(organization: Organization, person: str) -> set[str]:
    """The courses of which the history knows a training record of this person; none for what is no identifier."""
    if not _is_identifier(person):
        return set()
    rows = sql.fetch(
        "SELECT DISTINCT course_id::text FROM history_historyrecord"
        " WHERE organization_id = %s AND learner_profile_id = %s AND register = %s",
        [organization.organization_id, uuid.UUID(person), TRAINING_RECORDS],
    )
    return {course_id for (course_id,) in rows}


def team_choices(organization: Organization) -> list[tuple[str, str]]:
    """The company's teams by name."""
    rows = sql.fetch(
        "SELECT team_id, name FROM people_team WHERE organization_id = %s ORDER BY lower(name), team_id LIMIT 2000",
        [organization.organization_id],
    )
    return [(str(team_id), name) for team_id, name in rows]


def share_choices(organization: Organization) -> list[tuple[str, str]]:
    """The company's open shares: what is shared, and since when."""
    rows = sql.fetch(
        "SELECT s.share_id, c.title, c.kind, s.opened_at FROM shares_share s JOIN courses_course c"
        " ON c.organization_id = s.organization_id AND c.course_id = s.course_id"
        " WHERE s.organization_id = %s AND s.ended_at IS NULL ORDER BY lower(c.title), s.opened_at LIMIT 2000",
        [organization.organization_id],
    )
    return [
        ("", "Choose a share"),
        *((str(share_id), f"{title} ({kind}, since {opened:%d %b %Y})") for share_id, title, kind, opened in rows),
    ]


class DoorsField(forms.MultipleChoiceField):
    """The doors of a share or a policy."""

    def __init__(self, **values: Any) -> None:
        choices = [(door.value, f"{door.value.capitalize()}s") for door in Door]
        super().__init__(choices=choices, widget=forms.CheckboxSelectMultiple, **values)


class AudienceForm(ActForm):
    """Whom a share is for, and until when it is owed."""

    doors = DoorsField(initial=[Door.EMPLOYEE.value], label="Doors")
    audience = forms.ChoiceField(
        choices=[("everyone", "Everyone"), ("teams", "Teams"), ("people", "Some people")], label="For"
    )
    teams = forms.MultipleChoiceField(required=False, label="Teams", widget=forms.CheckboxSelectMultiple)
    people = IdentifiersField(required=False, label="People", help_text="Identifiers of people, one a line.")
    basis = forms.ChoiceField(
        label="Deadline",
        choices=[
            (DueBasis.NONE.value, "None"),
            (DueBasis.SHARE_DEADLINE.value, "On a day"),
            (DueBasis.DAYS_AFTER_ADDED.value, "Some days after each person is added"),
        ],
    )
    due_on = day_field("Due on", help_text="For a deadline on a day: the end of this day of the company.")
    days = forms.IntegerField(required=False, min_value=0, max_value=36_500, label="Days after being added")

    def prepare(self) -> None:
        """Lists the teams."""
        self.offer("teams", team_choices(self.organization))

    def clean(self) -> dict[str, Any]:
        """Whatever the chosen audience and deadline need must be there."""
        data: dict[str, Any] = super().clean() or {}
        if data.get("audience") == "teams" and not data.get("teams"):
            self.add_error("teams", "Choose at least one team.")
        if data.get("audience") == "people" and not data.get("people"):
            self.add_error("people", "Name at least one person.")
        if data.get("basis") == DueBasis.SHARE_DEADLINE and data.get("due_on") is None:
            self.add_error("due_on", "Choose the day.")
        if data.get("basis") == DueBasis.DAYS_AFTER_ADDED and data.get("days") is None:
            self.add_error("days", "Say how many days.")
        return data


def audience_of(data: dict[str, Any]) -> Audience:
    """The audience as a fact names it."""
    if data["audience"] == "teams":
        return Audience(team_ids=tuple(uuid.UUID(team) for team in data["teams"]))
    if data["audience"] == "people":
        return Audience(learner_profile_ids=tuple(data["people"]))
    return Audience(everyone=True)


def deadline_of(organization: Organization, data: dict[str, Any]) -> Deadline:
    """The deadline as a fact names it."""
    if data["basis"] == DueBasis.SHARE_DEADLINE:
        due_at = end_of(organization, data["due_on"])
        assert due_at is not None
        return FixedDeadline(due_at=due_at)
    if data["basis"] == DueBasis.DAYS_AFTER_ADDED:
        return DaysAfterAdded(days=data["days"])
    return NoDeadline()
