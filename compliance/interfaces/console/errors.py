"""What can go wrong in the console."""

from compliance.errors import ComplianceError


class ConsoleError(ComplianceError):
    """Root of this room's errors."""


class NothingThereError(ConsoleError):
    """The address names nothing that exists."""


class UnreadableInputError(ConsoleError):
    """A filter, a moment or a file that cannot be read."""
