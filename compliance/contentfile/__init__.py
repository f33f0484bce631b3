"""The course content format: read, check, fingerprint, preview.

Pure: takes bytes and folders, returns data and faults. No Django, no network, no clock. `docs/content-format.md`
describes the format, every fault code and how to recompute the fingerprints elsewhere.
"""

from compliance.contentfile.content import Checked, check_content
from compliance.contentfile.course import Reading
from compliance.contentfile.errors import (
    ContentFileError,
    LanguageNotInPackage,
    MediaNotInPackage,
    NotCanonical,
    PackageFaulty,
    PackageUnreadable,
)
from compliance.contentfile.faults import Fault, FaultCode, Severity
from compliance.contentfile.fingerprint import (
    ContainedRelease,
    LessonFingerprint,
    canonical_bytes,
    content_sha256,
    contents_sha256,
    lesson_fingerprints,
    package_sha256,
)
from compliance.contentfile.package import CheckedPackage, MediaFile, check_package
from compliance.contentfile.reading import read_content, read_package
from compliance.contentfile.scoped_style import scope_style

__all__ = [
    "Checked",
    "CheckedPackage",
    "ContainedRelease",
    "ContentFileError",
    "Fault",
    "FaultCode",
    "LanguageNotInPackage",
    "LessonFingerprint",
    "MediaFile",
    "MediaNotInPackage",
    "NotCanonical",
    "PackageFaulty",
    "PackageUnreadable",
    "Reading",
    "Severity",
    "canonical_bytes",
    "check_content",
    "check_package",
    "content_sha256",
    "contents_sha256",
    "lesson_fingerprints",
    "package_sha256",
    "read_content",
    "read_package",
    "scope_style",
]
