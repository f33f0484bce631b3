"""The pages of a course: its overview, its pages, its result; and the media and styles that they use."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_http_methods, require_safe

from compliance.facts.courses.media import media_content
from compliance.files.errors import FilesError
from compliance.interfaces.learner.home.owed import Task, owed
from compliance.interfaces.learner.player import answering
from compliance.interfaces.learner.player.drawn import draw, lesson_rows
from compliance.interfaces.learner.player.sitting import Place, Sitting
from compliance.interfaces.learner.rendering import see_other
from compliance.interfaces.learner.visit import Visit, learner_page
from compliance.interfaces.player.drawing import films_of
from compliance.interfaces.player.errors import OtherLessonError, UnknownFieldError
from compliance.interfaces.player.languages import described
from compliance.interfaces.player.media import media_answer, style_answer
from compliance.interfaces.player.readings import reading_of, style_of
from compliance.learning import courses, taking
from compliance.learning.courses import Assignment
from compliance.learning.errors import (
    AlreadyCompletedError,
    NoContentError,
    NotAssignedError,
    ReleaseWithdrawnError,
    TakeClosedError,
)
from compliance.learning.models import Take


def course_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Passes the assignment to a view, or answers instead where there is nothing to take.

    A course that was never assigned to this person is answered as not found, like one that does not exist.
    """

    @wraps(view)
    def answered(
        visit: Visit,
        course_id: uuid.UUID | None = None,
        lesson_release_id: uuid.UUID | None = None,
        **values: str,
    ) -> HttpResponse:
        try:
            assignment = courses.assignment(
                visit.organization_id,
                visit.learner_profile_id,
                visit.now,
                course_id=course_id,
                lesson_release_id=lesson_release_id,
            )
            return view(visit, assignment, **values)
        except ReleaseWithdrawnError:
            return visit.render("player/closed.html", {"reason": "withdrawn"}, status=410)
        except NotAssignedError as error:
            raise Http404 from error
        except NoContentError:
            return visit.render("player/closed.html", {"reason": "elsewhere"})
        except AlreadyCompletedError:
            return visit.render("player/closed.html", {"reason": "completed"})

    return answered


@require_safe
@learner_page
@course_page
def overview(visit: Visit, assignment: Assignment) -> HttpResponse:
    """What the course is, why it is owed and until when, its lessons, and the progress."""
    way = taking.resume(assignment, visit.now)
    content = way.content if way else courses.content(visit.organization_id, assignment.course_release_id)
    sitting = Sitting(visit, assignment, content, way)
    values = {
        "sitting": sitting,
        "title": sitting.title,
        "language": described(sitting.reading.language),
        "course_languages": [described(each) for each in sitting.reading.languages],
        "task": _task(visit, sitting.place),
        "rows": lesson_rows(sitting),
        "carried": way is not None and way.carried_at is not None and not way.finished,
    }
    return visit.render("player/overview.html", values)


@require_http_methods(["GET", "HEAD", "POST"])
@learner_page
@course_page
def page(visit: Visit, assignment: Assignment, page_id: str) -> HttpResponse:
    """One page: GET reads it, POST answers its questions or reports a film's end."""
    begins = visit.request.method != "HEAD" and _is_chosen(visit.request)
    way = taking.open_take(assignment, visit.now) if begins else taking.resume(assignment, visit.now)
    if way is None:
        return see_other(Place(assignment.course_id, assignment.lesson_release_id).overview)
    if way.outline.lesson_of_page.get(page_id) is None:
        if way.carried_at is None:
            raise Http404
        return see_other(Place(assignment.course_id, assignment.lesson_release_id).overview)  # of an earlier version
    sitting = Sitting(visit, assignment, way.content, way)
    if visit.request.method == "POST":
        return _posted(visit, sitting, page_id)
    if visit.request.method == "GET" and _is_read(visit.request):
        taking.read_page(way, page_id, visit.now)
        _finish(visit, sitting)
    return draw(sitting, page_id)


@require_safe
@learner_page
@course_page
def finished(visit: Visit, assignment: Assignment) -> HttpResponse:
    """The result and what comes next; while something is left, what that is."""
    way = taking.resume(assignment, visit.now)
    if way is None:
        return see_other(Place(assignment.course_id, assignment.lesson_release_id).overview)
    sitting = Sitting(visit, assignment, way.content, way)
    _finish(visit, sitting)
    following = [task for task in owed(visit).tasks if task.address and task.address != sitting.place.overview]
    progress = sitting.progress
    questions = [question for each in (progress.counted_pages if progress else ()) for question in each.questions]
    values = {
        "sitting": sitting,
        "title": sitting.title,
        "language": described(sitting.reading.language),
        "left": [] if sitting.is_finished else sitting.left(),
        "assessed": way.take.assessed,
        "asked": len(questions),
        "right": sum(question.state == "right" for question in questions),
        "following": following[0] if following else None,
        "certificate_id": assignment.certificate_id if assignment.done else None,
    }
    return visit.render("player/finished.html", values)


@require_safe
@learner_page
def media(visit: Visit, course_release_id: uuid.UUID, media_id: str) -> HttpResponseBase:
    """A media file of a course that the person takes."""
    release_id = _taken_release(visit, course_release_id)
    found = courses.content(visit.organization_id, release_id).media.get(media_id)
    if found is None:
        raise Http404

    def read(start: int, stop: int) -> Iterator[bytes]:
        pieces = media_content(visit.organization_id, release_id, media_id, start, stop)
        if pieces is None:
            raise Http404
        return pieces

    try:
        return media_answer(visit.request, media_type=found.media_type, size=found.size, sha256=found.sha256, read=read)
    except FilesError:  # the log has the reason; the page goes on without the file
        return HttpResponse(status=503)


@require_safe
@learner_page
def style(visit: Visit, course_release_id: uuid.UUID, scope: str) -> HttpResponse:
    """The style of a film of a course that the person takes. It is the same in every language."""
    content = courses.content(visit.organization_id, _taken_release(visit, course_release_id))
    for lesson in reading_of(visit.organization_id, content, visit.languages).lessons:
        for each in lesson.pages:
            for film in films_of(each):
                if film.scope == scope:
                    return style_answer(style_of(visit.organization_id, content.course_release_id, film))
    raise Http404


def _is_read(request: HttpRequest) -> bool:
    """Whether a page is drawn to be read now, and not prefetched or kept on the device (`offline`)."""
    return _is_chosen(request) and "Learner-Keep" not in request.headers


def _is_chosen(request: HttpRequest) -> bool:
    """Whether the reader goes to the page: no browser prefetches it, and no other site leads there (Fetch Metadata).

    Otherwise a foreign page could lead a browser through a course, and nobody would have read it.
    """
    by_themselves = request.headers.get("Sec-Fetch-Site", "none") in ("same-origin", "none")
    return by_themselves and "prefetch" not in request.headers.get("Sec-Purpose", "")


def _taken_release(visit: Visit, course_release_id: uuid.UUID) -> uuid.UUID:
    """The release, if the person has begun it and may still take it: its course, or a lesson of it. Raises Http404."""
    begun = Take.objects.filter(
        organization_id=visit.organization_id,
        learner_profile_id=visit.learner_profile_id,
        course_release_id=course_release_id,
    )
    for course_id, lesson_release_id in begun.values_list("course_id", "lesson_release_id").distinct():
        try:
            courses.assignment(
                visit.organization_id,
                visit.learner_profile_id,
                visit.now,
                course_id=None if lesson_release_id else course_id,
                lesson_release_id=lesson_release_id,
            )
        except NotAssignedError:
            continue
        return course_release_id
    raise Http404


def _posted(visit: Visit, sitting: Sitting, page_id: str) -> HttpResponse:
    try:
        sent = answering.take_in(visit, sitting, page_id)
    except OtherLessonError:
        return draw(sitting, page_id, replaced=True, status=409)
    except UnknownFieldError as error:
        if sitting.way is not None and sitting.way.carried_at is not None:  # a form of an earlier version
            return see_other(sitting.place.page(page_id))
        raise BadRequest(str(error)) from error
    except TakeClosedError:
        return see_other(sitting.place.page(page_id))
    if sent.missing:
        return draw(sitting, page_id, missing=sent.missing, chosen=sent.chosen, status=422)
    _finish(visit, sitting)
    return see_other(sitting.place.page(page_id) + (f"#verdict-{sent.first}" if sent.first else ""))


def _finish(visit: Visit, sitting: Sitting) -> None:
    """Records the completion as soon as nothing is left, so that nobody becomes overdue for a button not pressed.

    A take that another tab carries to a newer release at this moment goes on there.
    """
    if sitting.way is not None and not sitting.way.finished and sitting.progress and sitting.progress.finished:
        with suppress(TakeClosedError):
            taking.finish(sitting.way, visit.now)


def _task(visit: Visit, place: Place) -> Task | None:
    """The task as home lists it: why, and until when. None when it is no longer owed."""
    found = owed(visit)
    return next((task for task in (*found.tasks, *found.optional) if task.address == place.overview), None)
