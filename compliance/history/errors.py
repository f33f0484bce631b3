"""What can go wrong in the history."""

from compliance.errors import ComplianceError


class HistoryError(ComplianceError):
    """Root of this room's errors."""


class NoHistoryError(HistoryError):
    """The company has no history: its head was never made."""


class NoTreeError(HistoryError):
    """There is no such capture with a tree: none of that number, or one made before the company had a tree."""


class MissingRowError(HistoryError):
    """A row that the head counts is not stored, so no tree can be built over the rows."""
