"""The value sets of the contract and those that it leaves open, one enumeration each, and the version of the decider.

Every other room uses these, so that a row, a filter, a form and a test never spell a value differently.
"""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Logic:
    """The version of the shared decider and the day on which it took effect (`snapshot.logic`)."""

    version: int
    date: date


LOGIC_DATES = {1: date(2026, 11, 22), 2: date(2026, 11, 22), 3: date(2026, 11, 23), 4: date(2026, 11, 30)}
"""The day on which each version of the decider took effect. A snapshot states the version that decided its rows."""

LOGIC = Logic(version=4, date=LOGIC_DATES[4])
"""The version of the running code."""


class Scope(StrEnum):
    """What an API key may be granted."""

    TRAINING_READ = "training:read"
    CERTIFICATES_READ = "certificates:read"
    PEOPLE_READ = "people:read"
    ACKNOWLEDGEMENTS_READ = "acknowledgements:read"


class Cause(StrEnum):
    """Why a row version was written."""

    FIRST = "first"
    CHANGE = "change"
    SWEEP = "sweep"


class Door(StrEnum):
    """The audience through which a person is reached."""

    EMPLOYEE = "employee"
    PARTNER = "partner"
    CUSTOMER = "customer"


class Requirement(StrEnum):
    """Whether a training record must be done. A share is `required` or `optional` only."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NO_LONGER_REQUIRED = "no_longer_required"
    SUPERSEDED = "superseded"


class Outcome(StrEnum):
    """What a training record amounts to at a moment."""

    COMPLETED_ON_TIME = "completed_on_time"
    COMPLETED_LATE = "completed_late"
    COMPLETED_BEFORE_REQUIREMENT = "completed_before_requirement"
    NOT_DUE_YET = "not_due_yet"
    OVERDUE = "overdue"
    MISSED = "missed"
    EXCUSED = "excused"
    WAIVED = "waived"
    OPTIONAL_NOT_DONE = "optional_not_done"


class DueBasis(StrEnum):
    """Where the deadline of a training record comes from."""

    SHARE_DEADLINE = "share_deadline"
    DAYS_AFTER_ADDED = "days_after_added"
    RENEWAL = "renewal"
    OVERRIDE = "override"
    NONE = "none"


class EndedReason(StrEnum):
    """Why a training record stopped applying."""

    SOURCE_REMOVED = "source_removed"
    PERSON_LEFT = "person_left"
    AUDIENCE_CHANGED = "audience_changed"
    SHARE_ENDED = "share_ended"
    COURSE_WITHDRAWN = "course_withdrawn"
    RELEASE_SUPERSEDED = "release_superseded"


class ObligationChangeKind(StrEnum):
    """What an administrator did to one person's obligation."""

    WAIVE = "waive"
    REINSTATE = "reinstate"
    SET_DEADLINE = "set_deadline"


class WaiverReasonCode(StrEnum):
    """The fixed reasons for a waiver."""

    EQUIVALENT_TRAINING = "equivalent_training"
    EXTERNAL_CERTIFICATE = "external_certificate"
    NOT_APPLICABLE_TO_ROLE = "not_applicable_to_role"
    LEAVE_OF_ABSENCE = "leave_of_absence"
    MEDICAL = "medical"
    ADMINISTRATIVE = "administrative"
    ENTERED_IN_ERROR = "entered_in_error"


class AbsenceReasonCode(StrEnum):
    """Why a person is away, in so few words that none tells of health; no rule looks at it."""

    LEAVE = "leave"
    PARENTAL_LEAVE = "parental_leave"
    LONG_ABSENCE = "long_absence"
    OTHER = "other"


class EntryType(StrEnum):
    """The two kinds of row of the people register."""

    EMPLOYEE = "employee"
    INVITATION = "invitation"


ERASED_PERSON = "Erased person"
"""Displayed in place of the name of a person who was erased at the company's instruction."""


class AccessState(StrEnum):
    """Whether a person of the people register may come in."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    ENDED = "ended"
    ERASED = "erased"
    INVITED = "invited"
    STAFF_PRACTICE = "staff_practice"


class InvitationState(StrEnum):
    """What is stored of an invitation: nothing here depends on the clock."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REVOKED = "revoked"


class InvitationStatus(StrEnum):
    """The state of an invitation at a moment, including expiry."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REVOKED = "revoked"
    EXPIRED = "expired"


class CertificateKind(StrEnum):
    """Whether the certificate attests presence or a passed assessment."""

    COMPLETION = "completion"
    ASSESSED = "assessed"


class CertificateStatus(StrEnum):
    """The state of a certificate at a moment; the first that holds: revoked, replaced, expired, valid."""

    VALID = "valid"
    EXPIRED = "expired"
    REVOKED = "revoked"
    REPLACED = "replaced"


class LiveSessionFormat(StrEnum):
    """Where a live session was held."""

    ONLINE = "online"
    ON_SITE = "on_site"


class Attendance(StrEnum):
    """A mark in the register of a live session; only `full` completes the course."""

    FULL = "full"
    PARTIAL = "partial"
    ABSENT = "absent"


class MarkedBy(StrEnum):
    """Who made a mark: the trainer, or the service after an ask."""

    TRAINER = "trainer"
    SVC = "svc"


class SourceKind(StrEnum):
    """What a row of the courses register is made from."""

    COURSE_RELEASE = "course_release"
    RELEASE_UNAVAILABLE = "release_unavailable"
    LESSON_SHARE_WITHOUT_COURSE_RELEASE = "lesson_share_without_course_release"


class PolicyAct(StrEnum):
    """What a policy version asks of people."""

    ACKNOWLEDGE = "acknowledge"
    SIGN = "sign"


class ReceiptAct(StrEnum):
    """What a person did."""

    ACKNOWLEDGED = "acknowledged"
    SIGNED = "signed"


class ChangeKind(StrEnum):
    """How a policy version relates to the one before it."""

    FIRST = "first"
    ASK_AGAIN = "ask_again"
    EDITORIAL = "editorial"


class PolicyRecordState(StrEnum):
    """The state of a policy record at a moment."""

    SIGNED = "signed"
    TO_DO = "to_do"
    OVERDUE = "overdue"
