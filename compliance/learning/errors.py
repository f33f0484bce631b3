"""Errors of links, sessions and courses that are being taken."""

from datetime import datetime

from compliance.errors import ComplianceError


class LearningError(ComplianceError):
    """Root of this room's errors."""


class UnknownTokenError(LearningError):
    """The token was altered, cut off, or never issued by us."""


class LinkExpiredError(LearningError):
    """The link has expired."""

    def __init__(self, expired_at: datetime) -> None:
        super().__init__("The link has run out.")
        self.expired_at = expired_at


class LinkUsedError(LearningError):
    """The link was used as often as it may be."""


class LinkRevokedError(LearningError):
    """The link was withdrawn."""


class NotHereError(LearningError):
    """The person has left, was suspended or erased, or has not come yet."""


class NotAssignedError(LearningError):
    """Nothing requires this person to take the course, or the lesson, now."""


class ReleaseWithdrawnError(NotAssignedError):
    """The version that the person would take, or had begun, was withdrawn. What they did of it is kept."""


class NoContentError(LearningError):
    """The version has no content here: it was recorded from facts without a content file."""


class AlreadyCompletedError(LearningError):
    """The record is completed, but not by a take: by a live session, by staff, or before it was owed."""


class TakeClosedError(LearningError):
    """The take is finished or was carried to another release; nothing more counts in it."""


class UnknownPageError(LearningError):
    """The course has no such page."""


class UnknownQuestionError(LearningError):
    """The course has no such question."""


class UnknownChoiceError(LearningError):
    """The question has no such choice."""


class ChoiceNumberError(LearningError):
    """An answer without a choice, or with several where the question takes one."""


class QuestionSettledError(LearningError):
    """The question takes no more answers: it was answered rightly, or its attempts are used up."""


class InvitationAcceptedError(LearningError):
    """Somebody has already joined by the invitation."""


class InvitationRevokedError(LearningError):
    """The company has withdrawn the invitation."""


class InvitationExpiredError(LearningError):
    """The invitation has expired."""

    def __init__(self, expired_at: datetime | None) -> None:
        super().__init__("The invitation has run out.")
        self.expired_at = expired_at


class JoinedAlreadyError(LearningError):
    """The invited person has already joined in another way."""
