"""What can go wrong when servers are started from wheels."""

from compliance.errors import ComplianceError


class ServerDidNotStartError(ComplianceError):
    """A server did not come up; the sentence names the log to read."""


class BinaryNotFoundError(ComplianceError):
    """A wheel does not hold the program that was asked for."""


class PortTakenError(ComplianceError):
    """A port is served by somebody else; the sentence names one that is free."""


class LeftRunningError(ComplianceError):
    """A command ended and left processes behind; the sentence names them."""
