"""Acts on what single people owe: waive, reinstate, deadlines, reminders."""

import uuid
from typing import Any, ClassVar

from django import forms

from compliance.facts.training import actions
from compliance.interfaces.console.acting.act import Act, ActForm, Acting, Done
from compliance.interfaces.console.acting.fields import course_choices, courses_of, day_field, end_of, person_field
from compliance.interfaces.console.who_may import Permission
from compliance.rules.vocabulary import WaiverReasonCode

GROUP = "What people owe"


class OwedForm(ActForm):
    """A person and a course that they owe."""

    learner_profile_id = person_field()
    course_id = forms.ChoiceField(label="Course")

    def prepare(self) -> None:
        """Lists the courses, first those that the person has a record of."""
        none, *courses = course_choices(self.organization, "training", "Choose a course")
        recorded = courses_of(self.organization, self.data.get("learner_profile_id") or self.initial_person)
        theirs = [each for each in courses if each[0] in recorded]
        others = [each for each in courses if each[0] not in recorded]
        choices: list[Any] = [none, ("Courses of this person", theirs), ("Other courses", others)] if theirs else []
        self.offer("course_id", choices or [none, *courses])

    @property
    def initial_person(self) -> str:
        """Whom the address names."""
        return str(self.initial.get("learner_profile_id", ""))


class WaiveForm(OwedForm):
    """With the reason of the contract."""

    reason_code = forms.ChoiceField(
        label="Why they need not",
        choices=[(code.value, code.value.replace("_", " ").capitalize()) for code in WaiverReasonCode],
    )


class _OfRecord(Act):
    permission = Permission.CHANGE_RECORDS
    form: ClassVar[type[ActForm]] = OwedForm
    about = "person"
    group = GROUP

    def common(self, acting: Acting) -> dict[str, Any]:
        """Whose, and of which course."""
        return acting.common | {
            "learner_profile_id": acting.data["learner_profile_id"],
            "course_id": uuid.UUID(acting.data["course_id"]),
        }

    def back(self, acting: Acting, message: str) -> Done:
        """Back to the person's page."""
        return Done(message, "person", {"learner_profile_id": acting.data["learner_profile_id"]})


class Waive(_OfRecord):
    """Waives an open record."""

    name = "waive"
    title = "Waive"
    explains = "The person need not do the course. The record says who waived it, when, and why."
    form = WaiveForm

    def perform(self, acting: Acting) -> Done:
        """Records the waiver."""
        actions.waive(**self.common(acting), reason_code=WaiverReasonCode(acting.data["reason_code"]))
        return self.back(acting, "The record is waived.")


class Reinstate(_OfRecord):
    """Takes a waiver back."""

    name = "reinstate"
    title = "Reinstate"
    explains = "The person owes the course again, with the deadline it had."

    def perform(self, acting: Acting) -> Done:
        """Records it."""
        actions.reinstate(**self.common(acting))
        return self.back(acting, "The record is owed again.")


class DeadlineForm(OwedForm):
    """And the day."""

    due_on = day_field(
        "Due on", help_text="The end of this day of the company. Empty: the deadline of the shares again."
    )


class SetDeadline(_OfRecord):
    """Gives one person another deadline."""

    name = "set-deadline"
    title = "Set a deadline"
    explains = "This person's own deadline for the course, in place of the one of the shares."
    form = DeadlineForm

    def perform(self, acting: Acting) -> Done:
        """Records the deadline."""
        due_at = end_of(acting.organization, acting.data["due_on"])
        actions.set_deadline(**self.common(acting), due_at=due_at)
        return self.back(acting, "The deadline is set." if due_at else "The deadline of the shares holds again.")
