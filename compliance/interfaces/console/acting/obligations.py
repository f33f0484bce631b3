"""Acts on what one person owes: waive, reinstate, change the deadline."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from compliance.facts.lines.kinds import ObligationChanged
from compliance.facts.training.actions import change_obligation
from compliance.interfaces.console.acting.act import Act, Acting, Done, Recorded, to
from compliance.interfaces.console.acting.fields import COURSE_OWED, PERSON, WAIVER_REASON, day_field, end_of, form_of
from compliance.interfaces.console.permissions import Permission
from compliance.rules.vocabulary import ObligationChangeKind, WaiverReasonCode


def _change(acting: Acting, change: ObligationChangeKind) -> dict[str, Any]:
    """The arguments of a change: its kind, the person and the course."""
    return {
        "change": change,
        "learner_profile_id": acting.data["learner_profile_id"],
        "course_id": uuid.UUID(acting.data["course_id"]),
    }


def _deadline_set(acting: Acting, _: Any) -> Done:
    if acting.data["due_on"]:
        return to(acting, gettext("The deadline is set."))
    return to(acting, gettext("The deadline that was set for everybody holds again."))


def _same(act: str) -> Callable[[Acting], tuple[str, dict[str, Any]]]:
    """The undo of an act about a person and a course: `act`, with the same person and course."""
    return lambda acting: (act, {name: str(acting.data[name]) for name in ("learner_profile_id", "course_id")})


TELLS = (ObligationChanged,)
"""The kind of fact that records every change of what a person owes."""

_OfObligation = partial(
    Recorded,
    tells=TELLS,
    action=change_obligation,
    permission=Permission.CHANGE_RECORDS,
    group=gettext_lazy("What people owe"),
    about="person",
    page="person",
)

ACTS: tuple[Act, ...] = (
    _OfObligation(
        name="waive",
        title=gettext_lazy("Waive"),
        explains=gettext_lazy("The person need not do the course. The record says who waived it, when, and why."),
        form=form_of(learner_profile_id=PERSON, course_id=COURSE_OWED, reason_code=WAIVER_REASON),
        arguments=lambda acting: (
            _change(acting, ObligationChangeKind.WAIVE) | {"reason_code": WaiverReasonCode(acting.data["reason_code"])}
        ),
        done=gettext_lazy("The record is waived."),
        undo=_same("reinstate"),
    ),
    _OfObligation(
        name="reinstate",
        title=gettext_lazy("Reinstate"),
        explains=gettext_lazy("The person owes the course again, with the deadline it had."),
        form=form_of(learner_profile_id=PERSON, course_id=COURSE_OWED),
        arguments=lambda acting: _change(acting, ObligationChangeKind.REINSTATE),
        done=gettext_lazy("The record is owed again."),
        undo=_same("waive"),
    ),
    _OfObligation(
        name="set-deadline",
        title=gettext_lazy("Set a deadline"),
        explains=gettext_lazy("A day of this person's own for the course, in place of the one for everybody."),
        form=form_of(
            learner_profile_id=PERSON,
            course_id=COURSE_OWED,
            due_on=day_field(
                gettext_lazy("To be done by"),
                help_text=gettext_lazy("The end of this day. Empty: the day for everybody again."),
            ),
        ),
        arguments=lambda acting: (
            _change(acting, ObligationChangeKind.SET_DEADLINE)
            | {"due_at": end_of(acting.organization, acting.data["due_on"])}
        ),
        done=_deadline_set,
    ),
)
