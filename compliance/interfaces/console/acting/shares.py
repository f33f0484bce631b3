"""Acts on shares: who owes which course or policy, and until when."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms

from compliance.catalogue import owed
from compliance.facts.lines import CourseShared, PolicyShared, ShareChanged, ShareEnded
from compliance.interfaces.console.acting import pickable
from compliance.interfaces.console.acting.act import Act, Acting, Done, Recorded
from compliance.interfaces.console.acting.fields import (
    SHARE,
    AudienceForm,
    audience_of,
    deadline_of,
    form_of,
)
from compliance.interfaces.console.acting.picker import Picked
from compliance.interfaces.console.acting.reach import reached
from compliance.interfaces.console.who_may import Permission
from compliance.rules.vocabulary import Door, Requirement

REQUIREMENT = forms.ChoiceField(
    choices=[(Requirement.REQUIRED.value, "Required"), (Requirement.OPTIONAL.value, "Optional")], label="Requirement"
)


class ShareCourseForm(AudienceForm):
    """A course and its audience."""

    course_id = Picked(pickable.COURSE, label="Course")
    requirement = REQUIREMENT
    field_order = ("course_id", "requirement")


class SharePolicyForm(AudienceForm):
    """A policy and its audience."""

    course_id = Picked(pickable.POLICY, label="Policy")
    field_order = ("course_id",)


class ChangeShareForm(AudienceForm):
    """A share and what is to be changed of it."""

    share_id = SHARE
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
    requirement = REQUIREMENT
    field_order = ("share_id", "what", "requirement")

    def clean(self) -> dict[str, Any]:
        """What is not to be changed needs no value."""
        data = super().clean()
        for part, fields in (("audience", ("teams", "people")), ("deadline", ("due_on", "days"))):
            if part not in data.get("what", []):
                for name in fields:
                    self.errors.pop(name, None)
        return data


_PARTS: dict[str, Callable[[Acting], Any]] = {
    "audience": lambda acting: audience_of(acting.data),
    "deadline": lambda acting: deadline_of(acting.organization, acting.data),
    "doors": lambda acting: [Door(door) for door in acting.data["doors"]],
    "requirement": lambda acting: Requirement(acting.data["requirement"]),
}
"""What a form says of a share, by the part of it."""


def _new(*parts: str) -> Callable[[Acting], dict[str, Any]]:
    return lambda acting: {
        "share_id": uuid.uuid4(),
        "course_id": acting.data["course_id"],
        **{part: _PARTS[part](acting) for part in parts},
    }


def _share_of(acting: Acting) -> dict[str, Any]:
    return {"share_id": acting.data["share_id"]}


def _reaching(message: str, page: str) -> Callable[[Acting, Any], Done]:
    """What came of a share: whom it reaches, and loudly when that is nobody."""

    def done(acting: Acting, line: CourseShared | PolicyShared | ShareChanged) -> Done:
        people, warnings = reached(acting.organization_id, line.share_id, acting.at)
        words = f"{message}. It reaches {people:,} {'person' if people == 1 else 'people'} today."
        reaches = (
            None if isinstance(line, ShareChanged) else people
        )  # a change also touches those whom the share reached before
        return Done(words if people else f"{message}.", page, warnings=tuple(warnings), reaches=reaches)

    return done


_OfShare = partial(Recorded, permission=Permission.CHANGE_PEOPLE, group="Shares", page=owed("course").page)

ACTS: tuple[Act, ...] = (
    _OfShare(
        name="share-course",
        tells=(CourseShared,),
        title="Share a course",
        explains="Whoever the share reaches owes the newest published version of the course.",
        form=ShareCourseForm,
        arguments=_new("audience", "requirement", "deadline", "doors"),
        done=_reaching("The course is shared", owed("course").page),
    ),
    _OfShare(
        name="share-policy",
        tells=(PolicyShared,),
        title="Share a policy",
        explains="Whoever the share reaches is asked to acknowledge or sign the policy.",
        form=SharePolicyForm,
        arguments=_new("audience", "deadline", "doors"),
        done=_reaching("The policy is shared", owed("policy").page),
    ),
    _OfShare(
        name="change-share",
        tells=(ShareChanged,),
        title="Change a share",
        explains="Changes whom an open share is for, its deadline, its doors, or whether it requires.",
        form=ChangeShareForm,
        arguments=lambda acting: _share_of(acting) | {part: _PARTS[part](acting) for part in acting.data["what"]},
        done=_reaching("The share is changed", owed("course").page),
    ),
    _OfShare(
        name="end-share",
        tells=(ShareEnded,),
        title="End a share",
        explains="Whoever only this share reached owes it no longer. What was completed stays.",
        form=form_of(share_id=SHARE),
        danger=True,
        arguments=_share_of,
        done="The share has ended.",
    ),
)
