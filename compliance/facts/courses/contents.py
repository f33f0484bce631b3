"""The content file and the fingerprints that a release carries."""

from typing import Any

from compliance.contentfile.content import check_content
from compliance.contentfile.faults import Severity
from compliance.contentfile.fingerprint import ContainedRelease, content_sha256, contents_sha256
from compliance.facts.errors import InvalidContentError
from compliance.facts.lines.kinds import ReleasePublished


def sound_content(line: ReleasePublished) -> dict[str, Any] | None:
    """The content file of a line, as it is kept: without its `$schema` keys. None if the line has none.

    Raises InvalidContentError with the first fault that prevents publication.
    """
    if line.content is None:
        return None
    checked = check_content(line.content)
    if checked.content is None:
        first = next(fault for fault in checked.faults if fault.severity is Severity.ERROR)
        more = f" ({checked.fault_count} faults in all)" if checked.fault_count > 1 else ""
        raise InvalidContentError(f"content: {first.pointer or '/'}: {first.message}{more}")
    if line.content_sha256 not in (None, content_sha256(checked.content)):
        raise InvalidContentError("content_sha256: is not the fingerprint of content.")
    return checked.content


def fingerprints(line: ReleasePublished) -> tuple[str | None, str | None]:
    """(content_sha256, contents_sha256) of a release: as the line states them, else computed from its content."""
    content, contents = line.content_sha256, line.contents_sha256
    if content is None and line.content is not None:
        content = content_sha256(line.content)
    if contents is None and line.lessons:
        contents = contents_sha256(
            [ContainedRelease(lesson.release_id, lesson.version, lesson.content_sha256) for lesson in line.lessons]
        )
    return content, contents
