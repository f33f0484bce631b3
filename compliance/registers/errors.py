"""What can go wrong when a register is read."""

from compliance.errors import ComplianceError


class RegisterError(ComplianceError):
    """Root of this room's errors."""


class RecordTooLargeError(RegisterError):
    """One row alone is larger than a page may be."""


class OtherHistoryError(RegisterError):
    """A reader names a version or a capture that the history lacks: a backup was restored, or it is another history."""
