"""The pages: the courses that can be read, one course and its pages in the player, their media, a film's style.

A preview records nothing: its answers are kept in the page's address (`interfaces/player/trying.py`).
"""

import uuid
from collections.abc import Iterator

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext

from compliance.facts.courses import queries
from compliance.facts.courses.media import media_content
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.player.drawing import films_of
from compliance.interfaces.player.media import media_answer, style_answer
from compliance.interfaces.player.readings import is_kept, reading_of, style_of
from compliance.interfaces.player.trying import Trial
from compliance.learning.courses import Content, content
from compliance.learning.errors import NoContentError

READABLE_AT_MOST = 500


def courses(visit: Visit) -> HttpResponse:
    """The releases that can be read here."""
    found = queries.readable(visit.organization.organization_id, READABLE_AT_MOST)
    return visit.render("console/reading/courses.html", {"releases": found})


def course(visit: Visit, course_release_id: uuid.UUID) -> HttpResponse:
    """The lessons of a course."""
    return HttpResponse(_trial(visit, course_release_id).draw_overview(visit.request))


def page(visit: Visit, course_release_id: uuid.UUID, page_id: str) -> HttpResponse:
    """A page of a course as learners see it."""
    drawn = _trial(visit, course_release_id).draw_page(visit.request, page_id)
    if drawn is None:
        raise NothingThereError(gettext("This course has no such page."))
    return HttpResponse(drawn)


def media(visit: Visit, course_release_id: uuid.UUID, media_id: str) -> HttpResponseBase:
    """A media file of a package."""
    found = _content(visit, course_release_id).media.get(media_id)
    if found is None:
        raise NothingThereError(gettext("This course has no such file."))

    def read(start: int, stop: int) -> Iterator[bytes]:
        pieces = media_content(visit.organization.organization_id, course_release_id, media_id, start, stop)
        if pieces is None:
            raise NothingThereError(gettext("This file is not kept here."))
        return pieces

    return media_answer(visit.request, media_type=found.media_type, size=found.size, sha256=found.sha256, read=read)


def style(visit: Visit, course_release_id: uuid.UUID, scope: str) -> HttpResponse:
    """The checked style of a film, scoped to it."""
    reading = reading_of(visit.organization.organization_id, _content(visit, course_release_id), ())
    for lesson in reading.lessons:
        for each in lesson.pages:
            for film in films_of(each):
                if film.scope == scope:
                    return style_answer(style_of(visit.organization.organization_id, course_release_id, film))
    raise NothingThereError(gettext("This course has no such film."))


def _content(visit: Visit, course_release_id: uuid.UUID) -> Content:
    try:
        return content(visit.organization.organization_id, course_release_id)
    except NoContentError as error:
        raise NothingThereError(
            gettext("This company holds no course content for %(course_release_id)s.")
            % {"course_release_id": course_release_id}
        ) from error


def _trial(visit: Visit, course_release_id: uuid.UUID) -> Trial:
    found = _content(visit, course_release_id)
    release = next(iter(queries.readable(visit.organization.organization_id, 1, course_release_id)), None)
    if release is None:
        raise NothingThereError(
            gettext("This company holds no course content for %(course_release_id)s.")
            % {"course_release_id": course_release_id}
        )
    wanted = visit.request.GET.get("language", "")[:35]
    named = {"course_release_id": course_release_id}
    return Trial(
        reading_of(visit.organization.organization_id, found, [wanted] if wanted else []),
        visit.address("reading", **named),
        page=lambda page_id: visit.address("reading-page", page_id=page_id, **named),
        media=lambda media_id: (
            visit.address("reading-media", media_id=media_id, **named) if is_kept(found, media_id) else ""
        ),
        style=lambda scope: visit.address("reading-style", scope=scope, **named),
        home=visit.address("readings"),
        title=gettext("%(title)s, version %(version)s") % {"title": release.title, "version": release.version},
    )
