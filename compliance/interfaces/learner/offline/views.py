"""Taking a course offline: the service worker, what it keeps, and what it sends."""

import uuid
from functools import lru_cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views.decorators.http import require_safe

from compliance.interfaces.learner.offline import entries, keeping
from compliance.interfaces.learner.offline.errors import UnreadableSendError
from compliance.interfaces.learner.offline.same_origin import json_of_our_own
from compliance.interfaces.learner.player.sitting import Sitting
from compliance.interfaces.learner.visit import Visit, learner_page
from compliance.learning import arriving, courses, taking
from compliance.learning.courses import Assignment
from compliance.learning.errors import (
    AlreadyCompletedError,
    NoContentError,
    NotAssignedError,
    NotHereError,
    ReleaseWithdrawnError,
    TakeClosedError,
)
from compliance.learning.models import Take
from compliance.learning.queries import Way

_WORKER = Path(__file__).parents[2] / "static" / "learner" / "worker.js"


@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """The service worker. It is not below /static/, because a worker controls only pages below its own address."""
    response = HttpResponse(_source(), content_type="text/javascript; charset=utf-8")
    response.headers["Cache-Control"] = "no-cache"
    return response


@lru_cache(maxsize=1)
def _source() -> bytes:
    return _WORKER.read_bytes()


@json_of_our_own
@learner_page
def keep_course(visit: Visit, course_id: uuid.UUID) -> HttpResponseBase:
    """Lists what a device keeps of a course: its pages, files and words. Begins the course."""
    return _keep(visit, course_id=course_id)


@json_of_our_own
@learner_page
def keep_lesson(visit: Visit, lesson_release_id: uuid.UUID) -> HttpResponseBase:
    """Lists what a device keeps of a lesson that was shared alone. Begins the lesson."""
    return _keep(visit, lesson_release_id=lesson_release_id)


def _keep(visit: Visit, **what: uuid.UUID) -> HttpResponseBase:
    try:
        found: Assignment = courses.assignment(visit.organization_id, visit.learner_profile_id, visit.now, **what)
        way = taking.open_take(found, visit.now)
    except (NotAssignedError, AlreadyCompletedError, NoContentError) as error:
        return JsonResponse({"code": "nothing_to_keep", "title": str(error)}, status=404)
    return JsonResponse(keeping.course_to_keep(Sitting(visit, found, way.content, way)))


@json_of_our_own
@learner_page
def receive(visit: Visit, take_id: uuid.UUID) -> HttpResponseBase:
    """Counts what was done of a course offline, and finishes the course where nothing is left to do.

    Without entries it only answers the state: a device checks in this way whose session it has before it sends.
    An entry that arrives a second time counts once, and is answered as before.
    """
    try:
        sent = entries.read(visit.request.body)
    except UnreadableSendError as error:
        return JsonResponse({"code": "unreadable", "title": str(error)}, status=400)
    take = arriving.take_of(visit.organization_id, visit.learner_profile_id, take_id)
    if take is None:
        return JsonResponse({"code": "not_found", "title": "This person has begun no such course."}, status=404)
    state, way = _way(visit, take)
    answer = {"state": state, "changed": False, "receipt_id": None, "entries": [], "address": keeping.overview_of(take)}
    if way is not None:
        arrived = arriving.take_in(way, [entry for _, entry in sent], visit.now)
        receipt_id, changed = None, way.take.take_id != take_id
        try:
            receipt_id = taking.finish(way, visit.now)
        except TakeClosedError:  # another tab carries it to a newer release at this moment
            changed = True
        answer |= {
            "state": "open" if receipt_id is None else "finished",
            "changed": changed,
            "receipt_id": receipt_id,
            "entries": [
                {"id": entry_id, "outcome": each.outcome, "right": each.right, "attempts_left": each.attempts_left}
                for (entry_id, _), each in zip(sent, arrived, strict=True)
            ],
        }
    return JsonResponse(answer)


def _way(visit: Visit, take: Take) -> tuple[str, Way | None]:
    """The state of the take in a word, and the take as it continues, if it does."""
    try:
        way = arriving.way_of(take, visit.now)
    except ReleaseWithdrawnError:
        return "withdrawn", None
    except (NotAssignedError, NoContentError, NotHereError):
        return "not_assigned", None
    except AlreadyCompletedError:
        return "completed", None
    return ("closed" if way is None else "open"), way
