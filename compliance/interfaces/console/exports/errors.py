"""Why an export is not written."""

from compliance.errors import ComplianceError


class ExportError(ComplianceError):
    """Root of this room's errors."""


class CannotExportError(ExportError):
    """What was asked for is no register, no format or no moment of the company."""


class NotInstalledError(ExportError):
    """The format needs a package that is not installed."""


class OutlivedError(ExportError):
    """A person was erased while a file with names was written: nothing of it is kept."""


class MayNotExportError(ExportError):
    """Whoever set the export up may not export any more."""


class ChangedExportError(ExportError):
    """A file of before is not what was written, so it is not taken over."""


class StorageFailedError(ExportError):
    """The storage of exports did not do what it was asked for."""
