"""What can go wrong when servers are started from wheels."""

from compliance.errors import ComplianceError


class ServerDidNotStartError(ComplianceError):
    """A server did not come up; the sentence names the log to read."""


class BinaryNotFoundError(ComplianceError):
    """A wheel does not hold the program that was asked for."""
