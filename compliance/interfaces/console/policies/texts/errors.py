"""The errors of texts that cannot become a policy."""

from compliance.interfaces.console.errors import ConsoleError


class UnreadableTextError(ConsoleError):
    """The file or text cannot become a policy; the message says what to do instead."""
