"""The output of the decider: timelines of contents by valid time, as the history stores them.

A content holds exactly what is stored of a row: no personal data, nothing that is joined when a row is read (titles,
reminder counts), and nothing that depends on the clock (an outcome, a certificate's expiry), which `outcome` adds then.
"""

from datetime import datetime
from enum import Enum, StrEnum
from typing import NamedTuple
from uuid import UUID

from compliance.rules.timeline import Timeline
from compliance.rules.vocabulary import (
    CertificateKind,
    CertificateStatus,
    Door,
    DueBasis,
    EndedReason,
    LiveSessionFormat,
    MarkedBy,
    Requirement,
    WaiverReasonCode,
)


class RecordContent(NamedTuple):
    """One version of a training record.

    `requirement_before_end` is `required` or `optional`: the requirement now or, of an ended record, just before its
    end (the outcome of an ended record needs it). `lesson_release_id` is set where a lesson share made the record.
    """

    record_id: UUID
    learner_profile_id: UUID
    course_id: UUID
    course_release_id: UUID | None
    lesson_release_id: UUID | None
    renews_certificate_id: UUID | None
    requirement: Requirement
    requirement_before_end: Requirement
    assigned_at: datetime
    due_at: datetime | None
    due_time_zone: str
    due_basis: DueBasis
    completed_at: datetime | None
    completion_receipt_id: UUID | None
    ended_at: datetime | None
    ended_reason: EndedReason | None
    waived_at: datetime | None
    waiver_actor_id: UUID | None
    waiver_reason_code: WaiverReasonCode | None
    share_ids: tuple[UUID, ...]
    doors: tuple[Door, ...]
    certificate_id: UUID | None
    obligation_change_id: int | None


class CertificateContent(NamedTuple):
    """One version of a certificate.

    `status` depends on facts alone: `revoked`, `replaced` or `valid`; whether a valid certificate has expired is
    decided from `valid_until` when a row is read. `changed_at` and `changed_by` belong to it. The trainer's name, the
    holder's name and the check code are joined then.
    """

    certificate_id: UUID
    learner_profile_id: UUID
    course_id: UUID
    course_release_id: UUID
    course_release_version: int
    certificate_title: str
    kind: CertificateKind
    earned_at: datetime
    issued_at: datetime
    valid_until: datetime | None
    status: CertificateStatus
    changed_at: datetime | None
    changed_by: UUID | None
    supersedes_id: UUID | None
    renews_id: UUID | None
    live_session_id: UUID | None = None
    live_session_format: LiveSessionFormat | None = None
    live_session_starts_at: datetime | None = None
    live_session_ends_at: datetime | None = None
    live_session_minutes: int | None = None
    live_session_marked_by: MarkedBy | None = None
    trainer_profile_id: UUID | None = None


RecordTimeline = Timeline[RecordContent]
CertificateTimeline = Timeline[CertificateContent]


class RefusedFact(StrEnum):
    """The kinds of fact that only the decider can refuse, named as in the facts file."""

    OBLIGATION_CHANGED = "obligation_changed"
    CERTIFICATE_REVOKED = "certificate_revoked"
    CERTIFICATE_CORRECTED = "certificate_corrected"


class RefusalCode(Enum):
    """The refusals of the decider, each with its reason in plain words, without personal data."""

    NO_SUCH_RECORD = "the learner owes nothing of this course at that moment"
    RECORD_COMPLETED = "a completed record cannot be waived"
    NO_SUCH_CERTIFICATE = "the learner holds no such certificate of this course at that moment"
    ALREADY_CORRECTED = "the certificate has already been replaced by a correction"
    ALREADY_REVOKED = "the certificate has already been revoked"


class Refusal(NamedTuple):
    """A fact that has no effect because a rule refuses it. `fact_key`: obligation_change_id or certificate_id."""

    fact: RefusedFact
    fact_key: int | UUID
    at: datetime
    code: RefusalCode

    @property
    def sentence(self) -> str:
        """The reason in plain words, without personal data."""
        return self.code.value


class Decision(NamedTuple):
    """The whole answer for one (learner, course). Tuples are ordered by first `valid_from`, then id.

    `next_change_at`: the next moment at which the stored content changes without a new fact (a renewal opens), or None.
    """

    records: tuple[RecordTimeline, ...]
    certificates: tuple[CertificateTimeline, ...] = ()
    next_change_at: datetime | None = None
    refusals: tuple[Refusal, ...] = ()


NOTHING_OWED = Decision(records=())
