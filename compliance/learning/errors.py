"""What can go wrong with links, sessions and courses that are being taken."""

from datetime import datetime

from compliance.errors import ComplianceError


class LearningError(ComplianceError):
    """Root of this room's errors."""


class UnknownTokenError(LearningError):
    """The token was altered, cut off, or never ours."""


class LinkExpiredError(LearningError):
    """The link was ours and has run out."""

    def __init__(self, expired_at: datetime) -> None:
        super().__init__("The link has run out.")
        self.expired_at = expired_at


class LinkUsedError(LearningError):
    """The link was ours and was used as often as it may be."""


class LinkRevokedError(LearningError):
    """The link was ours and was withdrawn."""


class NotHereError(LearningError):
    """The person has left, was suspended or erased, or has not come yet."""


class NotAssignedError(LearningError):
    """Nothing asks this person to take the course, or the lesson, now."""


class ReleaseWithdrawnError(NotAssignedError):
    """The version that the person would take, or had begun, was withdrawn. What they did of it is kept."""


class NoContentError(LearningError):
    """The version has no content to be taken here: it was recorded from a list of facts alone."""


class AlreadyCompletedError(LearningError):
    """The record is completed, and not by a take: by a live session, by staff, or before it was owed."""


class TakeClosedError(LearningError):
    """The take is finished, or goes on in another release; it counts nothing more."""


class UnknownPageError(LearningError):
    """The course has no such page."""


class UnknownQuestionError(LearningError):
    """The course has no such question."""


class UnknownChoiceError(LearningError):
    """The question has no such choice."""


class ChoiceNumberError(LearningError):
    """An answer without a choice, or with several where the question takes one."""


class QuestionSettledError(LearningError):
    """The question is answered rightly, or its attempts are used up; it takes no more answers."""


class InvitationAcceptedError(LearningError):
    """Somebody has joined by the invitation already."""


class InvitationRevokedError(LearningError):
    """The company has withdrawn the invitation."""


class InvitationExpiredError(LearningError):
    """The invitation has run out."""

    def __init__(self, expired_at: datetime | None) -> None:
        super().__init__("The invitation has run out.")
        self.expired_at = expired_at


class JoinedAlreadyError(LearningError):
    """Whoever was invited is here already, by another way."""
