"""Errors in what a device sends."""

from compliance.errors import ComplianceError


class UnreadableSendError(ComplianceError):
    """The body is malformed; nothing of it counts."""
