"""What can go wrong in running the service."""

from compliance.errors import ComplianceError


class OperationsError(ComplianceError):
    """Root of this room's errors."""


class CheckpointFileError(OperationsError):
    """The checkpoint file cannot be read, or holds something that none of our keys has signed."""


class HistoryRefusedError(OperationsError):
    """A company's history is not the one that a checkpoint stated: it has gone backwards or forked."""


class DatabaseAwayError(OperationsError):
    """The database cannot be reached, so nothing can be said about it."""
