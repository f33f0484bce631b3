"""What can go wrong with the deployment's log."""

from compliance.errors import ComplianceError


class LogError(ComplianceError):
    """Root of this room's errors."""


class LogFolderError(LogError):
    """The log's folder cannot be read or written, or holds something that none of our keys has signed."""


class SigningKeyMissingError(LogError):
    """This process does not hold the key that signs checkpoints."""


class OriginChangedError(LogError):
    """The setting LOG_ORIGIN names another origin than the one under which the log was begun."""


class LogRefusedError(LogError):
    """The database or the folder is not what was signed: something is missing, cut back, older or another."""


class NotAcceptableError(LogError):
    """A history or a log cannot be accepted as it is, because it does not hold in itself."""
