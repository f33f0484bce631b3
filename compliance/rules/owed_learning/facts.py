"""The input of the decider: the facts of one course, of one learner, and of what that learner did in that course.

Named tuples, because millions of them are built: they are quick to make, compared by value and immutable. All instants
are aware and in UTC. The order of a tuple's elements has no meaning: the decider sorts. Facts that take effect after
the present (five minutes at most) are ordinary facts.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.absences import Absence
from compliance.rules.vocabulary import (
    Attendance,
    CertificateKind,
    Door,
    DueBasis,
    LiveSessionFormat,
    MarkedBy,
    ObligationChangeKind,
    Requirement,
    WaiverReasonCode,
)


class Release(NamedTuple):
    """A published version of a course. A `retake` is owed again by those who completed an earlier release."""

    course_release_id: UUID
    version: int
    published_at: datetime
    withdrawn_at: datetime | None = None
    retake: bool = False


class Deadline(NamedTuple):
    """A share's deadline: `share_deadline` with `due_at`, `days_after_added` with `days`, or `none`."""

    basis: DueBasis = DueBasis.NONE
    due_at: datetime | None = None
    days: int | None = None


class ShareStep(NamedTuple):
    """Everything a share states from `at` until its next step (a `share_changed` is folded into a complete step)."""

    at: datetime
    doors: frozenset[Door]
    requirement: Requirement
    deadline: Deadline = Deadline()
    everyone: bool = False
    team_ids: frozenset[UUID] = frozenset()
    learner_profile_ids: frozenset[UUID] = frozenset()


class Share(NamedTuple):
    """A share of the course, or of one lesson of it (`lesson_release_id`). It opens with its earliest step."""

    share_id: UUID
    steps: tuple[ShareStep, ...]
    ended_at: datetime | None = None
    lesson_release_id: UUID | None = None


class CertificateEdition(NamedTuple):
    """The certificate that completing the course earns from `at` on. An `assessed` one needs an assessed completion.

    `kind` None: nothing is earned from `at` on. `valid_months` None: no end. `renew_days_before` None: no renewal opens
    by the clock.
    """

    at: datetime
    title: str
    kind: CertificateKind | None
    valid_months: int | None = None
    renew_days_before: int | None = None


class CourseFacts(NamedTuple):
    """All facts of a course that are the same for every learner; `prepare` them once for all its learners."""

    course_id: UUID
    releases: tuple[Release, ...] = ()
    shares: tuple[Share, ...] = ()
    editions: tuple[CertificateEdition, ...] = ()


class Employment(NamedTuple):
    """A stretch as an employee, [joined_at, left_at). Suspension is not included: it neither ends nor pauses owing."""

    person_id: UUID
    joined_at: datetime
    left_at: datetime | None = None
    staff_practice: bool = False


class Membership(NamedTuple):
    """A stretch in a team, [from_at, until)."""

    team_id: UUID
    from_at: datetime
    until: datetime | None = None


class LearnerFacts(NamedTuple):
    """All facts of a learner that are the same for every course."""

    learner_profile_id: UUID
    employments: tuple[Employment, ...] = ()
    memberships: tuple[Membership, ...] = ()
    erased_at: datetime | None = None
    absences: tuple[Absence, ...] = ()


class Completion(NamedTuple):
    """A completion receipt for a release of the course, or for one lesson (then it settles a lesson share's record)."""

    completion_receipt_id: UUID
    at: datetime
    course_release_id: UUID | None = None
    lesson_release_id: UUID | None = None
    assessed: bool = False
    voided_at: datetime | None = None
    voided_by: UUID | None = None


class ObligationChange(NamedTuple):
    """What an administrator did to the learner's obligation in the course. Same `at`: the lower id comes first."""

    obligation_change_id: int
    at: datetime
    change: ObligationChangeKind
    reason_code: WaiverReasonCode | None = None
    due_at: datetime | None = None
    actor_id: UUID | None = None


class AttendanceMark(NamedTuple):
    """A mark in a session's register; the newest is the final one."""

    at: datetime
    attended: Attendance
    marked_by: MarkedBy


class SessionAttendance(NamedTuple):
    """A live session of a release, with the marks that this learner got."""

    live_session_id: UUID
    course_release_id: UUID
    format: LiveSessionFormat
    starts_at: datetime
    ends_at: datetime
    minutes: int
    trainer_profile_id: UUID | None = None
    marks: tuple[AttendanceMark, ...] = ()


class CertificateRevocation(NamedTuple):
    """An administrator revokes a certificate."""

    certificate_id: UUID
    at: datetime
    actor_id: UUID


class CertificateCorrection(NamedTuple):
    """`certificate_id` replaces `supersedes_id`; it attests the same completion."""

    certificate_id: UUID
    supersedes_id: UUID
    at: datetime
    actor_id: UUID


class DoingFacts(NamedTuple):
    """What one learner did in one course, and what was done to their obligation and certificates in it."""

    completions: tuple[Completion, ...] = ()
    changes: tuple[ObligationChange, ...] = ()
    attendances: tuple[SessionAttendance, ...] = ()
    revocations: tuple[CertificateRevocation, ...] = ()
    corrections: tuple[CertificateCorrection, ...] = ()


NOTHING_DONE = DoingFacts()
