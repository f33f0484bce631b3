"""Errors of this room."""

from compliance.errors import ComplianceError


class NothingToProveError(ComplianceError):
    """No version of such a record is in force at the moment asked for, or the one in force says that it is absent."""


class NotSignedYetError(ComplianceError):
    """The version is not under the log's newest checkpoint: the signer will take its capture in soon."""


class HistoryRefutedError(ComplianceError):
    """What is stored does not lead to what the log's signer signed, so the company's history was changed."""
