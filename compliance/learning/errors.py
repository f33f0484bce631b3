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
