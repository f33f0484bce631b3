"""Acts on shares: who owes which course or policy, and until when."""

import uuid
from typing import Any

from django import forms

from compliance.facts.shares import actions
from compliance.interfaces.console.acting.act import Act, ActForm, Acting, Done
from compliance.interfaces.console.acting.fields import (
    AudienceForm,
    audience_of,
    course_choices,
    deadline_of,
    share_choices,
)
from compliance.interfaces.console.who_may import Permission
from compliance.rules.vocabulary import Door, Requirement

GROUP = "Shares"
REQUIREMENTS = [(Requirement.REQUIRED.value, "Required"), (Requirement.OPTIONAL.value, "Optional")]


class ShareCourseForm(AudienceForm):
    """A course and its audience."""

    course_id = forms.ChoiceField(label="Course")
    requirement = forms.ChoiceField(choices=REQUIREMENTS, label="Requirement")
    field_order = ("course_id", "requirement")

    def prepare(self) -> None:
        """Lists courses and teams."""
        super().prepare()
        choices = course_choices(self.organization, "training", "Choose a course")
        self.offer("course_id", choices)


class ShareCourse(Act):
    """Shares a course."""

    name = "share-course"
    title = "Share a course"
    explains = "Whoever the share reaches owes the newest published version of the course."
    permission = Permission.CHANGE_PEOPLE
    form = ShareCourseForm
    group = GROUP

    def perform(self, acting: Acting) -> Done:
        """Records the share."""
        actions.share_course(
            **acting.common,
            course_id=uuid.UUID(acting.data["course_id"]),
            audience=audience_of(acting.data),
            requirement=Requirement(acting.data["requirement"]),
            deadline=deadline_of(acting.organization, acting.data),
            doors=[Door(door) for door in acting.data["doors"]],
        )
        return Done("The course is shared.", "training-records")


class SharePolicyForm(AudienceForm):
    """A policy and its audience."""

    course_id = forms.ChoiceField(label="Policy")
    field_order = ("course_id",)

    def prepare(self) -> None:
        """Lists policies and teams."""
        super().prepare()
        choices = course_choices(self.organization, "policy", "Choose a policy")
        self.offer("course_id", choices)


class SharePolicy(Act):
    """Shares a policy."""

    name = "share-policy"
    title = "Share a policy"
    explains = "Whoever the share reaches is asked to acknowledge or sign the policy."
    permission = Permission.CHANGE_PEOPLE
    form = SharePolicyForm
    group = GROUP

    def perform(self, acting: Acting) -> Done:
        """Records the share."""
        actions.share_policy(
            **acting.common,
            course_id=uuid.UUID(acting.data["course_id"]),
            audience=audience_of(acting.data),
            deadline=deadline_of(acting.organization, acting.data),
            doors=[Door(door) for door in acting.data["doors"]],
        )
        return Done("The policy is shared.", "policy-records")


class ChangeShareForm(AudienceForm):
    """A share and what is to be changed of it."""

    share_id = forms.ChoiceField(label="Share")
    what = forms.MultipleChoiceField(
        label="Change",
        choices=[
            ("audience", "Whom it is for"),
            ("deadline", "The deadline"),
            ("doors", "The doors"),
            ("requirement", "The requirement"),
        ],
        widget=forms.CheckboxSelectMultiple,
        help_text="Only what is ticked here changes; the rest of the form is not looked at.",
    )
    requirement = forms.ChoiceField(choices=REQUIREMENTS, label="Requirement")
    field_order = ("share_id", "what", "requirement")

    def prepare(self) -> None:
        """Lists open shares and teams."""
        super().prepare()
        self.offer("share_id", share_choices(self.organization))

    def clean(self) -> dict[str, Any]:
        """What is not to be changed needs no value."""
        data = super().clean()
        for part, fields in (("audience", ("teams", "people")), ("deadline", ("due_on", "days"))):
            if part not in data.get("what", []):
                for name in fields:
                    self.errors.pop(name, None)
        return data


class ChangeShare(Act):
    """Changes a share."""

    name = "change-share"
    title = "Change a share"
    explains = "Changes whom an open share is for, its deadline, its doors, or whether it requires."
    permission = Permission.CHANGE_PEOPLE
    form = ChangeShareForm
    group = GROUP

    def perform(self, acting: Acting) -> Done:
        """Records the change."""
        data, changed = acting.data, set(acting.data["what"])
        actions.change_share(
            **acting.common,
            share_id=uuid.UUID(data["share_id"]),
            audience=audience_of(data) if "audience" in changed else None,
            requirement=Requirement(data["requirement"]) if "requirement" in changed else None,
            deadline=deadline_of(acting.organization, data) if "deadline" in changed else None,
            doors=[Door(door) for door in data["doors"]] if "doors" in changed else None,
        )
        return Done("The share is changed.", "training-records")


class EndShareForm(ActForm):
    """Names an open share."""

    share_id = forms.ChoiceField(label="Share")

    def prepare(self) -> None:
        """Lists open shares."""
        self.offer("share_id", share_choices(self.organization))


class EndShare(Act):
    """Ends a share."""

    name = "end-share"
    title = "End a share"
    explains = "Whoever only this share reached owes it no longer. What was completed stays."
    permission = Permission.CHANGE_PEOPLE
    form = EndShareForm
    group = GROUP
    danger = True

    def perform(self, acting: Acting) -> Done:
        """Records the end."""
        actions.end_share(**acting.common, share_id=uuid.UUID(acting.data["share_id"]))
        return Done("The share has ended.", "training-records")
