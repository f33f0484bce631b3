"""Facts recorded one at a time, as the console records them: a verb for each kind of fact, with short defaults.

Each verb takes the arguments of `act` and the line's fields. Identifiers that are not given are made and returned.
"""

import uuid
from typing import Any

from compliance.facts.lines import kinds
from compliance.facts.recording import act
from compliance.facts.training.actions import change_obligation
from compliance.rules.vocabulary import Door, MarkedBy, ObligationChangeKind, Requirement


class Verb:
    """Records a fact of `kind`; returns the identifiers that it made: one alone, several as a tuple."""

    def __init__(self, kind: type[kinds.FactLine], *identifiers: str, **defaults: Any) -> None:
        self.kind = kind
        self.identifiers = identifiers
        self.defaults = defaults

    def __call__(self, **fields: Any) -> Any:
        made = {name: uuid.uuid4() for name in self.identifiers if fields.get(name) is None}
        line = act(self.kind, **self.defaults | fields | made)
        found = tuple(getattr(line, name) for name in self.identifiers)
        return found[0] if len(found) == 1 else found


_AUDIENCE: dict[str, Any] = {
    "doors": (Door.EMPLOYEE,),
    "audience": kinds.Audience(everyone=True),
    "deadline": kinds.NoDeadline(),
}
_COURSE = _AUDIENCE | {"requirement": Requirement.REQUIRED}

create_team = Verb(kinds.TeamCreated, "team_id")
rename_team = Verb(kinds.TeamRenamed)
add_to_team = Verb(kinds.TeamJoined)
remove_from_team = Verb(kinds.TeamLeft)
invite_person = Verb(kinds.PersonInvited, "invitation_id")
revoke_invitation = Verb(kinds.InvitationRevoked)
join_employee = Verb(kinds.EmployeeJoined, "person_id", "learner_profile_id")
suspend_employee = Verb(kinds.EmployeeSuspended)
resume_employee = Verb(kinds.EmployeeResumed)
end_employment = Verb(kinds.EmployeeLeft)
join_contact = Verb(kinds.ContactJoined)
change_person = Verb(kinds.PersonChanged)
create_course = Verb(kinds.CourseCreated, "course_id")
change_course = Verb(kinds.CourseChanged)
publish_release = Verb(kinds.ReleasePublished, "course_release_id", lessons=())
withdraw_release = Verb(kinds.ReleaseWithdrawn)
publish_policy = Verb(kinds.PolicyPublished)
share_course = Verb(kinds.CourseShared, "share_id", **_COURSE)
share_lesson = Verb(kinds.LessonShared, "share_id", **_COURSE)
share_policy = Verb(kinds.PolicyShared, "share_id", **_AUDIENCE)
change_share = Verb(kinds.ShareChanged)
end_share = Verb(kinds.ShareEnded)
complete_course = Verb(kinds.CourseCompleted, "completion_receipt_id")
void_completion = Verb(kinds.CompletionVoided)
revoke_certificate = Verb(kinds.CertificateRevoked)
note_reminder = Verb(kinds.ReminderSent)
hold_live_session = Verb(kinds.LiveSessionHeld, "live_session_id")
mark_attendance = Verb(kinds.AttendanceMarked, marked_by=MarkedBy.TRAINER)


def waive(**fields: Any) -> int:
    """Waives what a person owes; returns the change's number."""
    return change_obligation(**fields, change=ObligationChangeKind.WAIVE)


def reinstate(**fields: Any) -> int:
    """Withdraws a waiver; returns the change's number."""
    return change_obligation(**fields, change=ObligationChangeKind.REINSTATE)


def set_deadline(**fields: Any) -> int:
    """Sets a person's own deadline; returns the change's number."""
    return change_obligation(**fields, change=ObligationChangeKind.SET_DEADLINE)
