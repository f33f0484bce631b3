"""What can go wrong with an evidence pack."""

from compliance.interfaces.console.errors import ConsoleError


class EvidenceError(ConsoleError):
    """Root of this room's errors."""


class CannotBuildError(EvidenceError):
    """No pack can be built for this company, period or capture."""


class OutlivedError(EvidenceError):
    """Somebody was erased after names were read for the pack, so it must be removed."""


class IncompletePackError(EvidenceError):
    """The registers contradict each other, so a pack of them would prove nothing."""
