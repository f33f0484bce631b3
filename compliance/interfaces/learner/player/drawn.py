"""Draws a page of a course for its learner. It records nothing, so a device can keep the page as it is."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

from compliance.interfaces.learner.player.sitting import Sitting
from compliance.interfaces.player.languages import described


def draw(
    sitting: Sitting,
    page_id: str,
    *,
    missing: frozenset[str] = frozenset(),
    chosen: Mapping[str, frozenset[str]] | None = None,
    replaced: bool = False,
    status: int = 200,
) -> HttpResponse:
    """A page as HTML; with `missing`, as the answer to a form in which these questions had no choice.

    `replaced`: as the answer to a form of an earlier version of it.
    """
    index = sitting.index_of(page_id)
    assert index is not None
    player = sitting.player(index, missing=missing, chosen=chosen or {})
    pages = sitting.pages
    before, after = sitting.beside(index)
    place, places = sitting.counted_place(index)
    way = sitting.way
    values = {
        "sitting": sitting,
        "player": player,
        "language": described(sitting.reading.language),
        "course_title": sitting.title,
        "before": sitting.place.overview if before is None else sitting.place.page(pages[before][1].id),
        "after": sitting.place.finished if after is None else sitting.place.page(pages[after][1].id),
        "place": place,
        "places": places,
        "last": after is None,
        "carried": replaced or (way is not None and way.carried_at == sitting.visit.now),
        "faulty": bool(missing),
    }
    return sitting.visit.render("player/page.html", values, status=status)


def lesson_rows(sitting: Sitting) -> list[dict[str, Any]]:
    """The lessons as a task list: the page where each begins or continues, whether it is required, and its progress."""
    found = []
    progress = {each.id: each for each in sitting.progress.lessons} if sitting.progress else {}
    counted = {each.id for each in sitting.counted_lessons}
    for lesson in sitting.lessons:
        state = progress.get(lesson.id)
        pages = {page.id: page for page in state.pages} if state else {}
        first_left = next(
            (page.id for page in lesson.pages if page.id not in pages or not pages[page.id].done), lesson.pages[0].id
        )
        found.append(
            {
                "lesson": lesson,
                "address": sitting.place.page(first_left),
                "required": lesson.id in counted,
                "state": "done" if state and state.done else "begun" if state and state.begun else "open",
                "pages_done": sum(page.done for page in pages.values()),
                "pages": len(lesson.pages),
            }
        )
    return found
