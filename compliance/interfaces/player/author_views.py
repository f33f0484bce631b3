"""The pages of a package on its author's machine: the course to try out, or the faults of the package."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from compliance.contentfile.errors import ContentFileError, MediaNotInPackage
from compliance.contentfile.excerpts import excerpt, lines_with_faults
from compliance.contentfile.package import CheckedPackage
from compliance.interfaces.player.drawing import films_of
from compliance.interfaces.player.languages import best
from compliance.interfaces.player.media import media_answer, style_answer
from compliance.interfaces.player.serving import served
from compliance.interfaces.player.trying import Trial

Parameters = ParamSpec("Parameters")
_WIDTH = 90


def _checked(
    view: Callable[Concatenate[HttpRequest, CheckedPackage, Parameters], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Parameters], HttpResponseBase]:
    """Passes the package to a view; while the package has errors, a page that lists them is answered instead."""

    @wraps(view)
    def answered(request: HttpRequest, /, *args: Parameters.args, **values: Parameters.kwargs) -> HttpResponseBase:
        try:
            package = served.package()
            if package.ok:
                answer = view(request, package, *args, **values)
            else:
                answer = render(request, "player/author_faults.html", _faults(package, served.path), status=500)
        except ContentFileError as error:  # the package was removed, or is half written
            answer = render(request, "player/author_faults.html", {"unreadable": str(error)}, status=500)
        answer.headers.setdefault("Cache-Control", "no-store")
        return answer

    return answered


@_checked
def overview(request: HttpRequest, package: CheckedPackage) -> HttpResponse:
    """The contents of the course."""
    return HttpResponse(_trial(request, package).draw_overview(request))


@_checked
def page(request: HttpRequest, package: CheckedPackage, page_id: str) -> HttpResponse:
    """One page, with what was answered on it."""
    drawn = _trial(request, package).draw_page(request, page_id)
    if drawn is None:
        return HttpResponse(_trial(request, package).draw_overview(request), status=404)
    return HttpResponse(drawn)


@_checked
def media(request: HttpRequest, package: CheckedPackage, media_id: str) -> HttpResponseBase:
    """A media file of the package."""
    found = next((each for each in package.media if each.id == media_id), None)
    if found is None:
        raise Http404
    try:
        data = package.read_media(media_id)
    except MediaNotInPackage as error:
        raise Http404 from error
    answer = media_answer(
        request,
        media_type=found.type,
        size=found.size,
        sha256=found.sha256,
        read=lambda start, stop: iter((data[start:stop],)),
    )
    answer["Cache-Control"] = "no-cache"  # the file may change at the same address here
    return answer


@_checked
def style(request: HttpRequest, package: CheckedPackage, scope: str) -> HttpResponse:
    """The style of a film."""
    for lesson in served.reading(next(iter(package.words))).lessons:
        for each in lesson.pages:
            for film in films_of(each):
                if film.scope == scope:
                    answer = style_answer(film.css)
                    answer["Cache-Control"] = "no-store"
                    return answer
    raise Http404


def state(request: HttpRequest) -> HttpResponse:
    """What the page asks for each second, to reload itself after a change."""
    answer = HttpResponse(served.state(), content_type="text/plain")
    answer["Cache-Control"] = "no-store"
    return answer


def _trial(request: HttpRequest, package: CheckedPackage) -> Trial:
    wanted = request.GET.get("language", "")[:35]
    language = best([wanted] if wanted else [], tuple(package.words))
    return Trial(
        served.reading(language),
        reverse("overview"),
        page=lambda page_id: reverse("page", args=[page_id]),
        media=lambda media_id: reverse("media", args=[media_id]),
        style=lambda scope: reverse("style", args=[scope]),
        author=True,
    )


def _faults(package: CheckedPackage, path: Path) -> dict[str, object]:
    texts = lines_with_faults(path, package.faults)
    listed = []
    for fault in package.faults:
        lines = texts.get(fault.file, [])
        part = None
        if fault.line is not None and fault.column is not None and fault.line <= len(lines):
            line, there = excerpt(lines[fault.line - 1], fault.column, _WIDTH)
            part = f"{line}\n{' ' * there}^"
        listed.append({"fault": fault, "part": part})
    return {"listed": listed, "count": package.fault_count}
