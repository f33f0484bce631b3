"""Chooses the language of the console's pages: the browser's stored choice, else its Accept-Language, else English.

The console has English and every language with a catalogue in `locale` beside this module, so a language is added by
adding a file (CONTRIBUTING.md#translations).
"""

from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme

from compliance.interfaces.learner.languages import languages_of

COOKIE = "console-language"
LOCALE = Path(__file__).parent / "locale"
ROOT = "/console/"

_KEPT_FOR_SECONDS = 365 * 24 * 60 * 60


def spoken() -> dict[str, str]:
    """The languages of the console by their code, each by its own name, English first."""
    named = dict(settings.LANGUAGES)
    found = sorted(folder.name for folder in LOCALE.iterdir() if (folder / "LC_MESSAGES" / "django.mo").exists())
    return {"en": named["en"]} | {code: named[code] for code in found}


_SPOKEN = spoken()


def language_of(request: HttpRequest) -> str:
    """The code of the language of the answers to this browser."""
    chosen = request.COOKIES.get(COOKIE, "")
    if chosen in _SPOKEN:
        return chosen
    primaries = (tag.lower().partition("-")[0] for tag in languages_of(request))
    return next((primary for primary in primaries if primary in _SPOKEN), "en")


class Spoken:
    """Middleware that activates the browser's language for everything below /console/."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(ROOT):
            return self.get_response(request)
        language = language_of(request)
        with translation.override(language):
            response = self.get_response(request)
        response.headers["Content-Language"] = language
        return response


def choose(request: HttpRequest) -> HttpResponse:
    """Stores the chosen language in the browser, and redirects back to the previous page."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    back = request.POST.get("back", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None) or not back.startswith(ROOT):
        back = reverse("console:companies")
    response = HttpResponseRedirect(back)
    chosen = request.POST.get("language", "")
    if chosen in _SPOKEN:
        response.set_cookie(
            COOKIE,
            chosen,
            max_age=_KEPT_FOR_SECONDS,
            path=ROOT,
            secure=settings.PRODUCTION,
            httponly=True,
            samesite="Lax",
        )
    return response


def offered(request: HttpRequest) -> dict[str, object]:
    """Context processor: the languages to choose from, and the language of this page."""
    if not request.path.startswith(ROOT):
        return {}
    return {"console_languages": _SPOKEN, "console_language": translation.get_language()}
