"""What can go wrong with a file that is kept. No sentence names a bucket's keys, a person or a company."""

from compliance.errors import ComplianceError


class FilesError(ComplianceError):
    """Root of this room's errors."""


class FileGoneError(FilesError):
    """No file is kept under this identifier: it was let go of, or never was this company's."""


class ObjectMissingError(FilesError):
    """The row of the file is there, its object is not: the storage is older than the database, or lost it."""


class ObjectChangedError(FilesError):
    """The object is not what was kept: it is not given to anybody."""


class StorageFailedError(FilesError):
    """The storage did not do what it was asked for: it is away, full, too slow, or refuses our credentials."""


class WrongFolderError(FilesError):
    """The folder of this machine is not the one in which the deployment keeps its files."""
