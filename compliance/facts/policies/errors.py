"""Errors of policies: of publishing and signing."""

from compliance.errors import ComplianceError


class PolicyError(ComplianceError):
    """Root of this room's errors."""


class PolicyHtmlError(PolicyError):
    """The file is not canonical policy HTML."""


class SignatureError(PolicyError):
    """The signature is missing, not expected, empty, or not made of finite numbers."""


class SigningRefusedError(PolicyError):
    """The person may not sign that version through that share; `code` states why, for the page."""

    def __init__(self, sentence: str, code: str) -> None:
        super().__init__(sentence)
        self.code = code


class BrokenReceiptChainError(PolicyError):
    """The stored chain does not verify; the message names the first fault."""
