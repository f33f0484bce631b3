"""What refuses a text before it becomes a policy."""

from compliance.interfaces.console.errors import ConsoleError


class UnreadableTextError(ConsoleError):
    """The file or text cannot become a policy; the sentence says what to do instead."""
