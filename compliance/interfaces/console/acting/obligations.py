"""Acts on what single people owe: waive, reinstate, deadlines."""

import uuid
from functools import partial
from typing import Any

from compliance.facts.lines import ObligationChanged
from compliance.facts.training.actions import change_obligation
from compliance.interfaces.console.acting.act import Act, Acting, Done, Recorded, to
from compliance.interfaces.console.acting.fields import COURSE_OWED, PERSON, WAIVER_REASON, day_field, end_of, form_of
from compliance.interfaces.console.who_may import Permission
from compliance.rules.vocabulary import ObligationChangeKind, WaiverReasonCode


def _change(acting: Acting, change: ObligationChangeKind) -> dict[str, Any]:
    """What is changed, who owes, and which course."""
    return {
        "change": change,
        "learner_profile_id": acting.data["learner_profile_id"],
        "course_id": uuid.UUID(acting.data["course_id"]),
    }


def _deadline_set(acting: Acting, _: Any) -> Done:
    return to(acting, "The deadline is set." if acting.data["due_on"] else "The deadline of the shares holds again.")


TELLS = (ObligationChanged,)
"""What every change of what people owe is recorded as."""

_OfObligation = partial(
    Recorded,
    tells=TELLS,
    action=change_obligation,
    permission=Permission.CHANGE_RECORDS,
    group="What people owe",
    about="person",
    page="person",
)

ACTS: tuple[Act, ...] = (
    _OfObligation(
        name="waive",
        title="Waive",
        explains="The person need not do the course. The record says who waived it, when, and why.",
        form=form_of(learner_profile_id=PERSON, course_id=COURSE_OWED, reason_code=WAIVER_REASON),
        arguments=lambda acting: (
            _change(acting, ObligationChangeKind.WAIVE) | {"reason_code": WaiverReasonCode(acting.data["reason_code"])}
        ),
        done="The record is waived.",
    ),
    _OfObligation(
        name="reinstate",
        title="Reinstate",
        explains="The person owes the course again, with the deadline it had.",
        form=form_of(learner_profile_id=PERSON, course_id=COURSE_OWED),
        arguments=lambda acting: _change(acting, ObligationChangeKind.REINSTATE),
        done="The record is owed again.",
    ),
    _OfObligation(
        name="set-deadline",
        title="Set a deadline",
        explains="This person's own deadline for the course, in place of the one of the shares.",
        form=form_of(
            learner_profile_id=PERSON,
            course_id=COURSE_OWED,
            due_on=day_field(
                "Due on", help_text="The end of this day of the company. Empty: the deadline of the shares again."
            ),
        ),
        arguments=lambda acting: (
            _change(acting, ObligationChangeKind.SET_DEADLINE)
            | {"due_at": end_of(acting.organization, acting.data["due_on"])}
        ),
        done=_deadline_set,
    ),
)
