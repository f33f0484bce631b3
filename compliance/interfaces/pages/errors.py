"""Errors in a form that was sent."""

from compliance.errors import ComplianceError


class SigningFormError(ComplianceError):
    """Something is missing or unreadable; its text is what the person reads, `field` the id of its field."""

    def __init__(self, sentence: str, field: str) -> None:
        super().__init__(sentence)
        self.field = field


class OtherNameError(ComplianceError):
    """The name that was typed is not the person's, and nobody has confirmed it yet."""

    def __init__(self, typed: str) -> None:
        super().__init__("The name that was typed is not the person's.")
        self.typed = typed
