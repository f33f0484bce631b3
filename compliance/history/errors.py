"""What can go wrong in the history."""

from compliance.errors import ComplianceError


class HistoryError(ComplianceError):
    """Root of this room's errors."""


class NoHistoryError(HistoryError):
    """The company has no history: it has no head."""


class NoTreeError(HistoryError):
    """No capture of that number has a tree: it does not exist, or was made before the company had a tree."""


class MissingRowError(HistoryError):
    """A row that the head counts is not stored, so the tree over the rows cannot be built."""
