"""Facts recorded one at a time, as the console records them: a verb for each kind of fact, with short defaults.

Each verb takes what `act` takes and the line's fields. Identifiers that are not given are made and returned.
"""

import uuid
from typing import Any

from compliance.facts import lines
from compliance.facts.recording import act
from compliance.facts.training.actions import change_obligation
from compliance.rules.vocabulary import Door, MarkedBy, ObligationChangeKind, Requirement


class Verb:
    """Records a fact of `kind`; returns what it made of `identifiers`: one alone, several as a tuple."""

    def __init__(self, kind: type[lines.FactLine], *identifiers: str, **defaults: Any) -> None:
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
    "audience": lines.Audience(everyone=True),
    "deadline": lines.NoDeadline(),
}
_COURSE = _AUDIENCE | {"requirement": Requirement.REQUIRED}

create_team = Verb(lines.TeamCreated, "team_id")
rename_team = Verb(lines.TeamRenamed)
add_to_team = Verb(lines.TeamJoined)
remove_from_team = Verb(lines.TeamLeft)
invite_person = Verb(lines.PersonInvited, "invitation_id")
revoke_invitation = Verb(lines.InvitationRevoked)
join_employee = Verb(lines.EmployeeJoined, "person_id", "learner_profile_id")
suspend_employee = Verb(lines.EmployeeSuspended)
resume_employee = Verb(lines.EmployeeResumed)
end_employment = Verb(lines.EmployeeLeft)
join_contact = Verb(lines.ContactJoined)
change_person = Verb(lines.PersonChanged)
create_course = Verb(lines.CourseCreated, "course_id")
change_course = Verb(lines.CourseChanged)
publish_release = Verb(lines.ReleasePublished, "course_release_id", lessons=())
withdraw_release = Verb(lines.ReleaseWithdrawn)
publish_policy = Verb(lines.PolicyPublished)
share_course = Verb(lines.CourseShared, "share_id", **_COURSE)
share_lesson = Verb(lines.LessonShared, "share_id", **_COURSE)
share_policy = Verb(lines.PolicyShared, "share_id", **_AUDIENCE)
change_share = Verb(lines.ShareChanged)
end_share = Verb(lines.ShareEnded)
complete_course = Verb(lines.CourseCompleted, "completion_receipt_id")
void_completion = Verb(lines.CompletionVoided)
revoke_certificate = Verb(lines.CertificateRevoked)
note_reminder = Verb(lines.ReminderSent)
hold_live_session = Verb(lines.LiveSessionHeld, "live_session_id")
mark_attendance = Verb(lines.AttendanceMarked, marked_by=MarkedBy.TRAINER)


def waive(**fields: Any) -> int:
    """Waives what a person owes; returns the change's number."""
    return change_obligation(**fields, change=ObligationChangeKind.WAIVE)


def reinstate(**fields: Any) -> int:
    """Takes a waiver back; returns the change's number."""
    return change_obligation(**fields, change=ObligationChangeKind.REINSTATE)


def set_deadline(**fields: Any) -> int:
    """Sets a person's own deadline; returns the change's number."""
    return change_obligation(**fields, change=ObligationChangeKind.SET_DEADLINE)
