"""The reasons for which an export is not written."""

from compliance.errors import ComplianceError


class ExportError(ComplianceError):
    """Root of this room's errors."""


class CannotExportError(ExportError):
    """The requested register, format or moment does not exist."""


class NotInstalledError(ExportError):
    """The format needs a package that is not installed."""


class OutlivedError(ExportError):
    """A person was erased while a file with names was written, so the file is not kept."""


class MayNotExportError(ExportError):
    """The person who set the export up may not export any more."""


class ChangedExportError(ExportError):
    """A file in the old storage differs from what was written, so it is not moved."""


class StorageFailedError(ExportError):
    """The storage of exports failed."""
