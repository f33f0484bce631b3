"""Reads of published courses that came with their content."""

import uuid
from typing import Any, NamedTuple

from compliance.contentfile.package import MediaFile
from compliance.contentfile.reading import Reading, read_content
from compliance.facts.courses.models import ReleaseContent, ReleaseMedia
from compliance.interfaces.console.errors import NothingThereError
from compliance.tenancy import sql


class Readable(NamedTuple):
    """A release that can be read: it has a content file."""

    course_release_id: uuid.UUID
    title: str
    version: int
    published_at: Any
    withdrawn_at: Any
    languages: list[str]


def readable(organization_id: uuid.UUID, limit: int = 500) -> list[Readable]:
    """The releases with content, newest first."""
    rows = sql.fetch(
        "SELECT r.course_release_id, c.title, r.version, r.published_at, r.withdrawn_at,"
        " coalesce((SELECT array_agg(k ORDER BY k) FROM jsonb_object_keys(coalesce(x.words, '{}')) k), '{}')"
        " FROM courses_releasecontent x"
        " JOIN courses_release r ON r.organization_id = x.organization_id AND r.course_release_id = x.course_release_id"
        " JOIN courses_course c ON c.organization_id = r.organization_id AND c.course_id = r.course_id"
        " WHERE x.organization_id = %s ORDER BY r.published_at DESC, r.course_release_id LIMIT %s",
        [organization_id, limit],
    )
    return [Readable(*row) for row in rows]


def reading(organization_id: uuid.UUID, course_release_id: uuid.UUID, language: str) -> tuple[Reading, Readable]:
    """A release in reading order in `language`, or in its first. Raises NothingThereError."""
    found = next((one for one in readable(organization_id) if one.course_release_id == course_release_id), None)
    content = ReleaseContent.objects.filter(
        organization_id=organization_id, course_release_id=course_release_id
    ).first()
    if found is None or content is None:
        raise NothingThereError(f"This company holds no course content for {course_release_id}.")
    manifest: dict[str, Any] = content.manifest or {}
    words: dict[str, dict[str, str]] = content.words or {}
    languages = [each for each in manifest.get("languages", found.languages) if each in words]
    chosen = language if language in words else next(iter(languages), "")
    media = [
        MediaFile(
            id=item["id"],
            kind=item["kind"],
            file=item["file"],
            type=item["type"],
            size=item["bytes"],
            sha256=item["sha256"],
            description=item.get("description"),
        )
        for item in manifest.get("media", [])
    ]
    course = read_content(
        content.content,
        words.get(chosen, {}),
        media=media,
        roles={role["id"]: role["title"] for role in manifest.get("roles", [])},
        course_id=manifest.get("id", ""),
        title=manifest.get("title", ""),
        version=found.version,
        language=chosen,
        languages=languages,
    )
    return course, found


def media(organization_id: uuid.UUID, course_release_id: uuid.UUID, media_id: str) -> tuple[str, bytes]:
    """The type and bytes of a media file. Raises NothingThereError."""
    row = (
        ReleaseMedia.objects.filter(
            organization_id=organization_id, course_release_id=course_release_id, media_id=media_id
        )
        .values_list("media_type", "content")
        .first()
    )
    if row is None or row[1] is None:
        raise NothingThereError("This file is not kept here.")
    return row[0], bytes(row[1])
