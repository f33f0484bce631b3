"""The pages: courses to read, one course in a language, its media, the style of one film."""

import uuid

from django.http import HttpResponse

from compliance.contentfile.reading import Film
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.reading import queries
from compliance.interfaces.console.visit import Visit

# Shown by browsers as what they are and nothing else; everything else is handed over as a download.
SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp", "audio/", "video/")


def courses(visit: Visit) -> HttpResponse:
    """The releases that can be read here."""
    found = queries.readable(visit.organization.organization_id)
    return visit.render("console/reading/courses.html", {"releases": found})


def course(visit: Visit, course_release_id: uuid.UUID) -> HttpResponse:
    """A course in reading order."""
    language = visit.request.GET.get("language", "")
    reading, release = queries.reading(visit.organization.organization_id, course_release_id, language)
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
    media_type, content = queries.media(visit.organization.organization_id, course_release_id, media_id)
    answer = HttpResponse(content, content_type=media_type)
    if not media_type.startswith(SHOWN):
        answer["Content-Disposition"] = "attachment"
    answer["Cache-Control"] = "private, max-age=3600"
    # An image that is opened by itself can do nothing either.
    answer["Content-Security-Policy"] = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
    return answer


def style(visit: Visit, course_release_id: uuid.UUID, scope: str) -> HttpResponse:
    """The checked style of a film, scoped to it."""
    reading, _ = queries.reading(visit.organization.organization_id, course_release_id, "")
    for lesson in reading.lessons:
        for page in lesson.pages:
            for block in page.blocks:
                if isinstance(block, Film) and block.scope == scope:
                    return HttpResponse(block.css, content_type="text/css; charset=utf-8")
    raise NothingThereError("This course has no such film.")
