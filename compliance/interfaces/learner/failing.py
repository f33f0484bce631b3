"""What learners see when a request fails: a page in their language that leads back to their own pages.

It is drawn without a session, the company or the database, because any of these may be what failed.
"""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from compliance.interfaces.learner.languages import interface_language, languages_of

STALE_FORM = 0
"""In place of a status: a form whose token was missing or old. Its answer is 403, like others."""

LOST = -1
"""In place of a status: the database is unavailable, which the learner did not cause and which passes soon."""

_WORDS = {
    LOST: (
        gettext_noop("The service cannot be reached for a moment"),
        gettext_noop(
            "Try again in half a minute. What you did before is kept; look whether the last step was too, and do it"
            " once more if not."
        ),
    ),
    STALE_FORM: (
        gettext_noop("This form could not be sent"),
        gettext_noop("Nothing was changed. Go back, load the page again, and do the last step once more."),
    ),
    400: (
        gettext_noop("This request could not be read"),
        gettext_noop("The address or the form was cut off on its way. Go back and try again."),
    ),
    403: (gettext_noop("This page is not open to you"), gettext_noop("It belongs to somebody else.")),
    404: (
        gettext_noop("There is no such page"),
        gettext_noop("Its address was cut off, or what it showed is not meant for you any more."),
    ),
    405: (
        gettext_noop("This address cannot be used in this way"),
        gettext_noop("Open the page again and use what it offers."),
    ),
    408: (
        gettext_noop("Your connection was too slow"),
        gettext_noop("Nothing was changed. Do the last step once more."),
    ),
    413: (gettext_noop("This is too large"), gettext_noop("Nothing was changed.")),
    429: (gettext_noop("Too many requests"), gettext_noop("Wait a moment, then try again.")),
    500: (
        gettext_noop("Something went wrong on our side"),
        gettext_noop("Try again in a moment. What you did before is kept."),
    ),
    503: (
        gettext_noop("The service is busy"),
        gettext_noop("Nothing was changed. Wait a moment, then try again."),
    ),
}


def text(request: HttpRequest, failure: int, request_id: str) -> str:
    """The page for a status, or for STALE_FORM."""
    title, sentence = _WORDS.get(failure) or _WORDS[500 if failure >= 500 else 400]
    with translation.override(interface_language(languages_of(request))):
        words = {"title": gettext(title), "sentence": gettext(sentence), "request_id": request_id}
        return render_to_string("learner/failure.html", words)
