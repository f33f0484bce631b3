"""Errors of kept files. No sentence names an object's key, a person or a company."""

from compliance.errors import ComplianceError


class FilesError(ComplianceError):
    """Root of this room's errors."""


class FileGoneError(FilesError):
    """No file is kept under this identifier: it was removed, or never was this company's."""


class ObjectMissingError(FilesError):
    """The row of the file exists but its object does not: the storage is older than the database, or lost it."""


class ObjectChangedError(FilesError):
    """The object is not what was kept, so it is not returned to anybody."""


class StorageFailedError(FilesError):
    """The storage did not do what it should: it is unavailable, full, too slow, or refuses our credentials."""


class WrongFolderError(FilesError):
    """The folder of this machine is not the one in which the deployment keeps its files."""
