"""The pages: courses to read, one course in a language, its media, the style of one film."""

import uuid
from typing import Any

from django.http import HttpResponse

from compliance.contentfile.course import Film, Reading
from compliance.contentfile.package import MediaFile
from compliance.contentfile.reading import read_content
from compliance.facts.courses import queries
from compliance.facts.courses.models import ReleaseContent, ReleaseMedia
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.visit import Visit

READABLE_AT_MOST = 500
# Shown by browsers as what they are and nothing else; everything else is handed over as a download.
SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp", "audio/", "video/")


def courses(visit: Visit) -> HttpResponse:
    """The releases that can be read here."""
    found = queries.readable(visit.organization.organization_id, READABLE_AT_MOST)
    return visit.render("console/reading/courses.html", {"releases": found})


def course(visit: Visit, course_release_id: uuid.UUID) -> HttpResponse:
    """A course in reading order."""
    language = visit.request.GET.get("language", "")
    reading, release = _reading(visit.organization.organization_id, course_release_id, language)
    visit.crumb("Courses to read", "readings")
    films = [
        block for lesson in reading.lessons for page in lesson.pages for block in page.blocks if isinstance(block, Film)
    ]
    return visit.render(
        "console/reading/course.html",
        {"reading": reading, "release": release, "title": release.title, "films": films},
    )


def media(visit: Visit, course_release_id: uuid.UUID, media_id: str) -> HttpResponse:
    """A media file of a package."""
    kept = ReleaseMedia.objects.filter(
        organization_id=visit.organization.organization_id, course_release_id=course_release_id, media_id=media_id
    )
    found = kept.values_list("media_type", "content").first()
    if found is None or found[1] is None:
        raise NothingThereError("This file is not kept here.")
    media_type, content = found[0], bytes(found[1])
    answer = HttpResponse(content, content_type=media_type)
    if not media_type.startswith(SHOWN):
        answer["Content-Disposition"] = "attachment"
    answer["Cache-Control"] = "private, max-age=3600"
    # An image that is opened by itself can do nothing either.
    answer["Content-Security-Policy"] = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
    return answer


def style(visit: Visit, course_release_id: uuid.UUID, scope: str) -> HttpResponse:
    """The checked style of a film, scoped to it."""
    reading, _ = _reading(visit.organization.organization_id, course_release_id, "")
    for lesson in reading.lessons:
        for page in lesson.pages:
            for block in page.blocks:
                if isinstance(block, Film) and block.scope == scope:
                    return HttpResponse(block.css, content_type="text/css; charset=utf-8")
    raise NothingThereError("This course has no such film.")


def _reading(
    organization_id: uuid.UUID, course_release_id: uuid.UUID, language: str
) -> tuple[Reading, queries.Readable]:
    """A release in reading order in `language`, or in its first. Raises NothingThereError."""
    found = next(iter(queries.readable(organization_id, 1, course_release_id)), None)
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
