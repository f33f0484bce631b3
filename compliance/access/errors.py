"""Errors of API keys and sources."""

from compliance.errors import ComplianceError


class AccessError(ComplianceError):
    """Root of this room's errors."""


class UnknownScopeError(AccessError):
    """A scope is not one of the contract's four, or no scope was given."""


class BadNetworkError(AccessError):
    """A network is not written as CIDR."""


class BadKeyNameError(AccessError):
    """A key's name is too long."""


class BadExpiryError(AccessError):
    """A key would expire before it is issued, or be valid for longer than keys may be."""


class NoSuchKeyError(AccessError):
    """The identifier names no key."""


class KeyNotUsableError(AccessError):
    """The key is revoked or expired, so it cannot be rotated."""


class UnknownKindError(AccessError):
    """A kind for a source is neither a kind of fact nor `scim`, or none was given."""


class BadSourceNameError(AccessError):
    """A source's name is empty, too long or not readable."""


class NoSuchSourceError(AccessError):
    """The identifier names no source."""


class SourceRevokedError(AccessError):
    """The source was revoked, so it gets no new token."""
