"""What can be wrong with what a device sends."""

from compliance.errors import ComplianceError


class UnreadableSendError(ComplianceError):
    """It has not the form of a send; nothing of it counts."""
