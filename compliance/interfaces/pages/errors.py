"""What can go wrong with personal links."""

from datetime import datetime

from compliance.errors import ComplianceError


class LinkError(ComplianceError):
    """The link was altered, cut off, or never ours."""


class LinkExpiredError(LinkError):
    """The link was ours and has run out."""

    def __init__(self, expired_at: datetime) -> None:
        super().__init__("The link has run out.")
        self.expired_at = expired_at


class LinkRevokedError(LinkError):
    """The link was ours and was withdrawn."""
