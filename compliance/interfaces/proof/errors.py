"""Errors of this room."""

from compliance.errors import ComplianceError


class NothingToProveError(ComplianceError):
    """No version of such a record is in force at the moment asked for, or the record is absent then."""


class NotSignedYetError(ComplianceError):
    """The newest checkpoint does not cover the version yet: the signer will soon add its capture."""


class HistoryRefutedError(ComplianceError):
    """The stored data does not lead to what the log's signer signed, so the company's history was changed."""
