"""What can go wrong in the history."""

from compliance.errors import ComplianceError


class HistoryError(ComplianceError):
    """Root of this room's errors."""


class NoHistoryError(HistoryError):
    """The company has no history: its head was never made."""
