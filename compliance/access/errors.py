"""What can go wrong with API keys and sources."""

from compliance.errors import ComplianceError


class AccessError(ComplianceError):
    """Root of this room's errors."""


class UnknownScopeError(AccessError):
    """A scope is none of the contract's four, or no scope was given."""


class BadNetworkError(AccessError):
    """A network is not written as CIDR."""


class BadExpiryError(AccessError):
    """A key would have expired before it is issued, or would open for longer than keys may."""


class NoSuchKeyError(AccessError):
    """The identifier names no key."""


class KeyNotUsableError(AccessError):
    """The key is revoked or expired, so it cannot be rotated."""


class UnknownKindError(AccessError):
    """A kind that a source shall bring is neither a kind of fact nor `scim`, or none was given."""


class BadSourceNameError(AccessError):
    """A source's name is empty, too long or not to be read."""


class NoSuchSourceError(AccessError):
    """The identifier names no source."""


class SourceRevokedError(AccessError):
    """Somebody revoked the source, so it gets no new token."""
