"""Tokens of links and sessions: the company's identifier and 24 random bytes. The database has only their SHA-256.

A token contains the company because every statement names its company; the digest of a forged one is not found there.
"""

import base64
import binascii
import hashlib
import secrets
import uuid

from compliance.learning.errors import UnknownTokenError

_RANDOM = 24
_PADDING = "="
"""Omitted from tokens, because mail programs treat it as the end of the link; older tokens have it."""


def make(organization_id: uuid.UUID) -> str:
    """A new token."""
    made = base64.urlsafe_b64encode(organization_id.bytes + secrets.token_bytes(_RANDOM)).decode()
    return made.rstrip(_PADDING)


def company_of(token: str) -> uuid.UUID:
    """The company that a token names; it need not have issued the token. Raises UnknownTokenError."""
    try:
        content = base64.b64decode(token.rstrip(_PADDING) + _PADDING * 2, b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise UnknownTokenError("The token is not one of ours.") from error
    if len(content) != 16 + _RANDOM:
        raise UnknownTokenError("The token is not one of ours.")
    return uuid.UUID(bytes=content[:16])


def digest(token: str) -> str:
    """The digest of a token that is stored."""
    return hashlib.sha256(token.encode()).hexdigest()
