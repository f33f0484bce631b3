"""Errors of starting servers from wheels."""

from compliance.errors import ComplianceError


class ServerDidNotStartError(ComplianceError):
    """A server did not start; the message names the log to read."""


class BinaryNotFoundError(ComplianceError):
    """A wheel does not contain the program that was asked for."""


class PortTakenError(ComplianceError):
    """Another process serves the port; the message names a free one."""


class LeftRunningError(ComplianceError):
    """A command ended and left processes running; the message names them."""
