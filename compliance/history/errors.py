"""What can go wrong in the history."""

from compliance.errors import ComplianceError


class HistoryError(ComplianceError):
    """Root of this room's errors."""


class NoHistoryError(HistoryError):
    """The company has no history: its head was never made."""


class DecisionFailedError(HistoryError):
    """A pending subject could not be decided; the reason names the place in the code and nothing personal."""
