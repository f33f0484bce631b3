"""The content file and the fingerprints that a release carries (contract: Course content file format, courses)."""

from typing import Any

from compliance.contentfile.content import check_content
from compliance.contentfile.faults import Severity
from compliance.contentfile.fingerprint import ContainedRelease, content_sha256, contents_sha256
from compliance.facts.lines import ReleasePublished


def fault_of_content(content: dict[str, Any]) -> str | None:
    """Says what first keeps a content file from being published, None when nothing does."""
    checked = check_content(content)
    if checked.ok:
        return None
    first = next(fault for fault in checked.faults if fault.severity is Severity.ERROR)
    more = f" ({checked.fault_count} faults in all)" if checked.fault_count > 1 else ""
    return f"{first.pointer or '/'}: {first.message}{more}"


def fault_of_fingerprint(line: ReleasePublished) -> str | None:
    """Says when the fingerprint that a line tells is not the one of the content file that it carries."""
    if line.content is None or line.content_sha256 in (None, content_sha256(line.content)):
        return None
    return "content_sha256: is not the fingerprint of content."


def fingerprints(line: ReleasePublished) -> tuple[str | None, str | None]:
    """(content_sha256, contents_sha256) of a release: as the line tells them, else computed from what it holds."""
    content, contents = line.content_sha256, line.contents_sha256
    if content is None and line.content is not None:
        content = content_sha256(line.content)
    if contents is None and line.lessons:
        contents = contents_sha256(
            [ContainedRelease(lesson.release_id, lesson.version, lesson.content_sha256) for lesson in line.lessons]
        )
    return content, contents
