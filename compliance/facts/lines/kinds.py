"""Every kind of fact: the line classes of the facts file `svc.facts/1`, a closed union by the value of `fact`.

`KINDS` lists them in the order in which they are recorded: a fact refers only to earlier kinds, so that the order of
lines in a file makes no difference. JSON Schema of the same classes: docs/schemas/facts.json.
"""

from functools import reduce
from operator import or_
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
    AbsenceRecorded,
    AbsenceVoided,
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
    "KINDS", "PERSONAL_FIELDS", "AbsenceRecorded", "AbsenceVoided", "AttendanceMarked", "Audience", "Certificate",
    "CertificateCorrected", "CertificateRevoked", "CompletionVoided", "ContactJoined", "ContactLeft", "CourseChanged",
    "CourseCompleted", "CourseCreated", "CourseShared", "DaysAfterAdded", "Deadline", "EmployeeJoined", "EmployeeLeft",
    "EmployeeResumed", "EmployeeSuspended", "FactLine", "FixedDeadline", "InvitationRevoked", "LessonShared",
    "LiveSessionHeld", "NoDeadline", "ObligationChanged", "PersonChanged", "PersonErased", "PersonInvited",
    "PolicyPublished", "PolicyShared", "PolicySigned", "ReleaseLesson", "ReleasePublished", "ReleaseWithdrawn",
    "ReminderSent", "ShareChanged", "ShareEnded", "Signature", "TeamCreated", "TeamJoined", "TeamLeft",
    "TeamRenamed", "TrainerNamed", "adapter",
]  # fmt: skip

KINDS: dict[str, type[FactLine]] = {
    line.kind(): line
    for line in (
        TeamCreated, TeamRenamed, CourseCreated, CourseChanged, PersonInvited, InvitationRevoked, EmployeeJoined,
        EmployeeLeft, EmployeeSuspended, EmployeeResumed, ContactJoined, ContactLeft, PersonChanged, TeamJoined,
        TeamLeft, AbsenceRecorded, AbsenceVoided, ReleasePublished, ReleaseWithdrawn, PolicyPublished, CourseShared,
        LessonShared, PolicyShared,
        ShareChanged, ShareEnded, CourseCompleted, CompletionVoided, TrainerNamed, LiveSessionHeld, AttendanceMarked,
        ObligationChanged, ReminderSent, CertificateCorrected, CertificateRevoked, PolicySigned, PersonErased,
    )
}  # fmt: skip

# Fields that erasure clears. A line's digest leaves them out, so that a repetition of a fact about an erased person is
# still recognised.
PERSONAL_FIELDS = frozenset(
    {
        "person_name",
        "work_email",
        "account_email",
        "role_ids",
        "absence_reason",
        "company",
        "trainer_name",
        "signature",
    }
)

adapter: TypeAdapter[FactLine] = TypeAdapter(
    Annotated[reduce(or_, KINDS.values()), Field(discriminator="fact")]  # type: ignore[arg-type]
)
"""Reads one line of any kind."""
