"""Errors of this room. Faults in a file are not raised: they are listed in `Checked.faults` (see faults.py)."""

from compliance.errors import ComplianceError


class ContentFileError(ComplianceError):
    """Root of the content format's own errors; this room raises no others, whatever the input."""


class PackageUnreadable(ContentFileError):
    """The path does not exist, may not be read, or is neither a file nor a folder."""


class PackageFaulty(ContentFileError):
    """A preview, a fingerprint or a media file of a package with faults was asked for."""


class MediaNotInPackage(ContentFileError):
    """A media id that the manifest does not define, or a media file that changed since it was checked."""


class LanguageNotInPackage(ContentFileError):
    """A language that the manifest does not list."""


class NotCanonical(ContentFileError):
    """The value holds something outside the format (a fraction, a key that is no string, a lone surrogate)."""


class StyleFaulty(ContentFileError):
    """A style that fails the allow-list cannot be scoped."""
