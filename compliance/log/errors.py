"""What can go wrong with the deployment's log."""

from compliance.errors import ComplianceError


class LogError(ComplianceError):
    """Root of this room's errors."""


class LogFolderError(LogError):
    """The log's folder cannot be read or written, or contains something that none of our keys signed."""


class SigningKeyMissingError(LogError):
    """This process does not have the key that signs checkpoints."""


class OriginChangedError(LogError):
    """The setting LOG_ORIGIN names another origin than the one with which the log began."""


class LogRefusedError(LogError):
    """The database or the folder is not what was signed: something is missing, shortened, older or different."""


class NotAcceptableError(LogError):
    """A history or a log cannot be accepted as it is, because it is inconsistent in itself."""
