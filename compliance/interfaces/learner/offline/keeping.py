"""What a device keeps of a course: the addresses of its pages and of all that these load, in the reader's language.

Correct answers are in none of them: a page holds only what its reader has seen already, so the server checks later what
was answered offline.
"""

from collections.abc import Iterator
from typing import Any, Final

from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from compliance.contentfile.course import Film, Media, MediaBlock, Page
from compliance.interfaces.learner.player.sitting import Place, Sitting
from compliance.learning.models import Take

FILES: Final = ("pages/seal.svg", "learner/learner.css", "learner/offline.js", "player/player.css", "player/film.js")
"""Files that every page of a course may load."""
_PAGE_BYTES: Final = 12_000
_FILES_BYTES: Final = 80_000


def overview_of(take: Take) -> str:
    """The address of the overview of a take."""
    of_lesson = take.lesson_release_id
    return Place(take.course_id if of_lesson is None else None, of_lesson).overview


def course_to_keep(sitting: Sitting) -> dict[str, Any]:
    """All that a device loads to keep what is taken, and the words that the worker uses offline."""
    assert sitting.way is not None
    fingerprints = {lesson.id: lesson.sha256 for lesson in sitting.way.outline.lessons}
    media, films = _loaded(sitting)
    player = sitting.player(0)
    return {
        "take_id": sitting.way.take.take_id,
        "title": sitting.title,
        "language": sitting.reading.language,
        "overview": sitting.place.overview,
        "pages": [
            {"id": page.id, "address": sitting.place.page(page.id), "lesson": fingerprints[lesson.id]}
            for lesson, page in sitting.pages
        ],
        "files": [
            *(static(each) for each in FILES),
            *(address for each in media if (address := player.media(each))),
            *(player.style(each.scope) for each in films),
        ],
        "bytes": size_of(sitting),
        "words": _words(),
    }


def keep_address(place: Place) -> str:
    """The address that lists what to keep of a course, or of a lesson that was shared alone."""
    if place.lesson_release_id is not None:
        return reverse("learner:keep-lesson", kwargs={"lesson_release_id": place.lesson_release_id})
    return reverse("learner:keep-course", kwargs={"course_id": place.course_id})


def size_of(sitting: Sitting) -> int:
    """About how many bytes a device keeps: the media by their sizes, pages and files by their usual ones."""
    media, _ = _loaded(sitting)
    return sum(each.size for each in media.values()) + _PAGE_BYTES * len(sitting.pages) + _FILES_BYTES


def _loaded(sitting: Sitting) -> tuple[dict[str, Media], list[Film]]:
    """The media of the pages by id, and their films."""
    films = [block for _, page in sitting.pages for block in page.blocks if isinstance(block, Film)]
    return {each.id: each for _, page in sitting.pages for each in _media_of(page)}, films


def _media_of(page: Page) -> Iterator[Media]:
    for block in page.blocks:
        if isinstance(block, MediaBlock):
            yield block.media
        elif isinstance(block, Film):
            for scene in block.scenes:
                yield from (each for each in (scene.audio, *(one.media for one in scene.elements)) if each is not None)


def _words() -> dict[str, str]:
    """The words that the worker uses by itself, in the language of the pages that it keeps."""
    return {
        "language": translation.get_language() or "en",
        "direction": "rtl" if translation.get_language_bidi() else "ltr",
        "style": static("learner/learner.css"),
        "offline": gettext("You are offline"),
        "onlyKept": gettext("This page is not kept on your device. These courses are:"),
        "notSent": gettext(
            "This could not be sent, and nothing was recorded. Go back and try again when you are online."
        ),
        "notKept": gettext(
            "There is no space left on this device, so this was not recorded."
            " Go back and try again when you are online."
        ),
        "answerKept": gettext("Your answer is kept on this device. It will be checked when you are online."),
        "signedOutHere": gettext(
            "What was kept on this device is deleted. You could not be signed out, because there is no connection:"
            " sign out once more when you are online."
        ),
    }
