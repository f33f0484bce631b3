"""The language in which a learner reads: their choice, else what the browser asks for, else English.

The pages exist in the languages of `settings.LANGUAGES`; content may have others, so a choice is any well-formed tag.
"""

import re

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

COOKIE = "learner-language"
"""Holds the choice of a browser in which nobody is signed in. It reveals nothing of the person but their language."""

_KEPT_FOR_SECONDS = 180 * 24 * 60 * 60
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
_MOST_ASKED_FOR = 20


def is_tag(text: str) -> bool:
    """Whether this could be the tag of a language (BCP 47)."""
    return len(text) <= 35 and _TAG.fullmatch(text) is not None


def languages_of(request: HttpRequest, chosen: str | None = None) -> tuple[str, ...]:
    """The languages that the person reads, in order of preference: their choice, then what the browser asks for.

    `chosen` is the choice stored for the person; a browser's own choice counts where there is none.
    """
    first = chosen or request.COOKIES.get(COOKIE, "")
    accepted: list[tuple[float, str]] = []
    for part in request.headers.get("Accept-Language", "")[:1000].split(","):
        tag, _, quality = part.strip().partition(";")
        if is_tag(tag.strip()) and (weight := _weight(quality)) > 0:
            accepted.append((-weight, tag.strip()))
    asked_for = [tag for _, tag in sorted(accepted, key=lambda each: each[0])][:_MOST_ASKED_FOR]
    return tuple(dict.fromkeys([*([first] if is_tag(first) else []), *asked_for]))


def interface_language(languages: tuple[str, ...]) -> str:
    """The first of those languages, without its region, in which the pages exist; else English."""
    spoken = {code for code, _ in settings.LANGUAGES}
    primaries = (tag.lower().partition("-")[0] for tag in languages)
    return next((primary for primary in primaries if primary in spoken), "en")


def keep(response: HttpResponseBase, language: str) -> None:
    """Stores a choice in the browser, for pages on which nobody is signed in."""
    response.set_cookie(
        COOKIE,
        language,
        max_age=_KEPT_FOR_SECONDS,
        path="/learn/",
        secure=settings.PRODUCTION,
        httponly=True,
        samesite="Lax",
    )


def _weight(parameters: str) -> float:
    name, _, number = parameters.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    matched = re.fullmatch(r"\s*([01](?:\.\d{0,3})?)\s*", number)
    return min(float(matched[1]), 1.0) if matched else 1.0
