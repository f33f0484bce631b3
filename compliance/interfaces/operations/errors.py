"""What can go wrong in running the service."""

from compliance.errors import ComplianceError


class OperationsError(ComplianceError):
    """Root of this room's errors."""


class DatabaseAwayError(OperationsError):
    """The database cannot be reached, so nothing is known about it."""


class BeingVerifiedError(OperationsError):
    """The company is being verified already; its findings are those of that verification."""
