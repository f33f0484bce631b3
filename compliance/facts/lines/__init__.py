"""The lines of the facts file `svc.facts/1` as strict pydantic classes (design 3): a closed union told apart by `fact`.

`KINDS` lists every kind in the order in which they are recorded: whatever a fact refers to stands in an earlier kind,
so that the order of lines in a file decides nothing. JSON Schema of the same classes: docs/schemas/facts.json.
"""

from typing import Annotated

from pydantic import Field, TypeAdapter

from compliance.facts.lines.certificates import CertificateCorrected, CertificateRevoked
from compliance.facts.lines.courses import (
    Certificate,
    CourseChanged,
    CourseCreated,
    ReleaseLesson,
    ReleasePublished,
    ReleaseWithdrawn,
)
from compliance.facts.lines.fields import FactLine
from compliance.facts.lines.people import (
    ContactJoined,
    ContactLeft,
    EmployeeJoined,
    EmployeeLeft,
    EmployeeResumed,
    EmployeeSuspended,
    InvitationRevoked,
    PersonChanged,
    PersonErased,
    PersonInvited,
    TeamCreated,
    TeamJoined,
    TeamLeft,
    TeamRenamed,
)
from compliance.facts.lines.policies import PolicyPublished, PolicySigned, Signature
from compliance.facts.lines.shares import (
    Audience,
    CourseShared,
    DaysAfterAdded,
    Deadline,
    FixedDeadline,
    LessonShared,
    NoDeadline,
    PolicyShared,
    ShareChanged,
    ShareEnded,
)
from compliance.facts.lines.training import (
    AttendanceMarked,
    CompletionVoided,
    CourseCompleted,
    LiveSessionHeld,
    ObligationChanged,
    ReminderSent,
    TrainerNamed,
)

__all__ = [
    "KINDS", "PERSONAL_FIELDS", "AnyLine", "AttendanceMarked", "Audience", "Certificate", "CertificateCorrected",
    "CertificateRevoked", "CompletionVoided", "ContactJoined", "ContactLeft", "CourseChanged", "CourseCompleted",
    "CourseCreated", "CourseShared", "DaysAfterAdded", "Deadline", "EmployeeJoined", "EmployeeLeft",
    "EmployeeResumed", "EmployeeSuspended", "FactLine", "FixedDeadline", "InvitationRevoked", "LessonShared",
    "LiveSessionHeld", "NoDeadline", "ObligationChanged", "PersonChanged", "PersonErased", "PersonInvited",
    "PolicyPublished", "PolicyShared", "PolicySigned", "ReleaseLesson", "ReleasePublished", "ReleaseWithdrawn",
    "ReminderSent", "ShareChanged", "ShareEnded", "Signature", "TeamCreated", "TeamJoined", "TeamLeft",
    "TeamRenamed", "TrainerNamed", "adapter",
]  # fmt: skip

KINDS: dict[str, type[FactLine]] = {
    "team_created": TeamCreated,
    "team_renamed": TeamRenamed,
    "course_created": CourseCreated,
    "course_changed": CourseChanged,
    "person_invited": PersonInvited,
    "invitation_revoked": InvitationRevoked,
    "employee_joined": EmployeeJoined,
    "employee_left": EmployeeLeft,
    "employee_suspended": EmployeeSuspended,
    "employee_resumed": EmployeeResumed,
    "contact_joined": ContactJoined,
    "contact_left": ContactLeft,
    "person_changed": PersonChanged,
    "team_joined": TeamJoined,
    "team_left": TeamLeft,
    "release_published": ReleasePublished,
    "release_withdrawn": ReleaseWithdrawn,
    "policy_published": PolicyPublished,
    "course_shared": CourseShared,
    "lesson_shared": LessonShared,
    "policy_shared": PolicyShared,
    "share_changed": ShareChanged,
    "share_ended": ShareEnded,
    "course_completed": CourseCompleted,
    "completion_voided": CompletionVoided,
    "trainer_named": TrainerNamed,
    "live_session_held": LiveSessionHeld,
    "attendance_marked": AttendanceMarked,
    "obligation_changed": ObligationChanged,
    "reminder_sent": ReminderSent,
    "certificate_corrected": CertificateCorrected,
    "certificate_revoked": CertificateRevoked,
    "policy_signed": PolicySigned,
    "person_erased": PersonErased,
}

# Fields that erasure clears: a line's digest leaves them out, so that a repetition of a fact about an erased person is
# still known (design 3).
PERSONAL_FIELDS = frozenset({"person_name", "work_email", "account_email", "company", "trainer_name", "signature"})

AnyLine = Annotated[
    TeamCreated
    | TeamRenamed
    | CourseCreated
    | CourseChanged
    | PersonInvited
    | InvitationRevoked
    | EmployeeJoined
    | EmployeeLeft
    | EmployeeSuspended
    | EmployeeResumed
    | ContactJoined
    | ContactLeft
    | PersonChanged
    | TeamJoined
    | TeamLeft
    | ReleasePublished
    | ReleaseWithdrawn
    | PolicyPublished
    | CourseShared
    | LessonShared
    | PolicyShared
    | ShareChanged
    | ShareEnded
    | CourseCompleted
    | CompletionVoided
    | TrainerNamed
    | LiveSessionHeld
    | AttendanceMarked
    | ObligationChanged
    | ReminderSent
    | CertificateCorrected
    | CertificateRevoked
    | PolicySigned
    | PersonErased,
    Field(discriminator="fact"),
]

adapter: TypeAdapter[AnyLine] = TypeAdapter(AnyLine)
