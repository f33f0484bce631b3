"""What can go wrong with policies: publishing and signing."""

from compliance.errors import ComplianceError


class PolicyError(ComplianceError):
    """Root of this room's errors."""


class PolicyHtmlError(PolicyError):
    """The file is not canonical policy HTML (design 8, "policy HTML")."""


class PolicyStatementError(PolicyError):
    """The statement says nothing, or holds what no statement may hold."""


class PolicyVersionError(PolicyError):
    """The version does not continue the policy's versions, or its id or course is taken."""


class PolicyDoorsError(PolicyError):
    """No door, an unknown door, or a door named twice."""


class SignatureError(PolicyError):
    """The signature is absent where one is due, present where none is, empty, or not made of finite numbers."""


class SigningRefusedError(PolicyError):
    """The person may not sign that version through that share; `code` is that of rules/policies/signing.py."""

    def __init__(self, sentence: str, code: str) -> None:
        super().__init__(sentence)
        self.code = code


class ReceiptExistsError(PolicyError):
    """A receipt with this id stands already, for another act."""


class BrokenReceiptChainError(PolicyError):
    """The stored chain does not verify; the message names the first fault."""
