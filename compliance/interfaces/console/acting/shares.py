"""Acts on shares: who owes which course or policy, and until when."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from compliance.facts.lines.kinds import CourseShared, PolicyShared, ShareChanged, ShareEnded
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
from compliance.interfaces.console.acting.reached import reached
from compliance.interfaces.console.page import Words
from compliance.interfaces.console.permissions import Permission
from compliance.rules.vocabulary import Door, Requirement

REQUIREMENT = forms.ChoiceField(
    choices=[(Requirement.REQUIRED.value, _("Required")), (Requirement.OPTIONAL.value, _("Optional"))],
    label=_("Requirement"),
)


class ShareCourseForm(AudienceForm):
    """A course and its audience."""

    course_id = Picked(pickable.COURSE, label=_("Course"))
    requirement = REQUIREMENT
    field_order = ("course_id", "requirement")


class SharePolicyForm(AudienceForm):
    """A policy and its audience."""

    course_id = Picked(pickable.POLICY, label=_("Policy"))
    field_order = ("course_id",)


_FIELDS = {
    "audience": ("audience", "teams", "people"),
    "deadline": ("basis", "due_on", "days"),
    "doors": ("doors",),
    "requirement": ("requirement",),
}
"""For each part of a share, the names of the form's fields about it."""


class ChangeShareForm(AudienceForm):
    """A share, and what to change about it."""

    share_id = SHARE
    what = forms.MultipleChoiceField(
        label=_("Change"),
        choices=[
            ("audience", _("Whom it is for")),
            ("deadline", _("The deadline")),
            ("doors", _("The doors")),
            ("requirement", _("The requirement")),
        ],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Only what is ticked here changes; the rest of the form is not looked at."),
    )
    requirement = REQUIREMENT
    field_order = ("share_id", "what", "requirement")

    def clean(self) -> dict[str, Any]:
        """Requires and keeps values only for what is to be changed: the preview repeats what is kept."""
        data = super().clean()
        for part, fields in _FIELDS.items():
            if part not in data.get("what", []):
                for name in fields:
                    self.errors.pop(name, None)
                    data[name] = None
        return data


_PARTS: dict[str, Callable[[Acting], Any]] = {
    "audience": lambda acting: audience_of(acting.data),
    "deadline": lambda acting: deadline_of(acting.organization, acting.data),
    "doors": lambda acting: [Door(door) for door in acting.data["doors"]],
    "requirement": lambda acting: Requirement(acting.data["requirement"]),
}
"""For each part of a share, its new value from the form's fields."""


def _new(*parts: str) -> Callable[[Acting], dict[str, Any]]:
    return lambda acting: {
        "share_id": uuid.uuid4(),
        "course_id": acting.data["course_id"],
        **{part: _PARTS[part](acting) for part in parts},
    }


def _share_of(acting: Acting) -> dict[str, Any]:
    return {"share_id": acting.data["share_id"]}


def done_with_share(acting: Acting, share_id: uuid.UUID, message: Words, *, new: bool = True) -> Done:
    """The result of an act on a share, on its page: whom it reaches, with a warning if that is nobody.

    A change (not `new`) also touches those whom the share reached before. A new share is undone by ending it.
    """
    found = reached(acting.organization_id, share_id, acting.at)
    words = str(message)
    if found.people:
        reaches = ngettext(
            "%(done)s It reaches %(number)s person today.",
            "%(done)s It reaches %(number)s people today.",
            found.people,
        )
        words = reaches % {"done": words, "number": found.people}
    return Done(
        words,
        "share",
        {"share_id": share_id},
        warnings=tuple(found.warnings),
        reaches=found.people if new else None,
        first=tuple(found.first),
        undo=("end-share", {"share_id": str(share_id)}) if new else None,
    )


def _done_with(message: Words) -> Callable[[Acting, Any], Done]:
    def done(acting: Acting, line: CourseShared | PolicyShared | ShareChanged) -> Done:
        return done_with_share(acting, line.share_id, message, new=not isinstance(line, ShareChanged))

    return done


_OfShare = partial(Recorded, permission=Permission.CHANGE_PEOPLE, group=_("Shares"), everybody=True)

ACTS: tuple[Act, ...] = (
    _OfShare(
        name="share-course",
        tells=(CourseShared,),
        title=_("Share a course"),
        explains=_("Whoever the share reaches owes the newest published version of the course."),
        form=ShareCourseForm,
        arguments=_new("audience", "requirement", "deadline", "doors"),
        done=_done_with(_("The course is shared.")),
    ),
    _OfShare(
        name="share-policy",
        tells=(PolicyShared,),
        title=_("Share a policy"),
        explains=_("Whoever the share reaches is asked to acknowledge or sign the policy."),
        form=SharePolicyForm,
        arguments=_new("audience", "deadline", "doors"),
        done=_done_with(_("The policy is shared.")),
    ),
    _OfShare(
        name="change-share",
        tells=(ShareChanged,),
        title=_("Change a share"),
        explains=_("Changes whom an open share is for, its deadline, its doors, or whether it requires."),
        form=ChangeShareForm,
        arguments=lambda acting: _share_of(acting) | {part: _PARTS[part](acting) for part in acting.data["what"]},
        done=_done_with(_("The share is changed.")),
    ),
    _OfShare(
        name="end-share",
        tells=(ShareEnded,),
        title=_("End a share"),
        explains=_("Whoever only this share reached owes it no longer. What was completed stays."),
        form=form_of(share_id=SHARE),
        danger=True,
        arguments=_share_of,
        done=lambda acting, _line: Done(str(_("The share has ended.")), "share", _share_of(acting)),
    ),
)
