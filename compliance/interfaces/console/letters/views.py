"""The pages: the list of letters, one letter as HTML and as text, and its HTML alone, for a frame.

A preview is a sample: an invented person, and a link that opens nothing.
"""

import uuid
from typing import Any, cast

from django.conf import settings
from django.http import HttpResponse
from django.utils.text import capfirst, slugify
from django.utils.translation import gettext, gettext_lazy

from compliance.facts.people.queries import displayed_people
from compliance.interfaces.console.errors import NothingThereError, UnreadableInputError
from compliance.interfaces.console.visit import Visit
from compliance.letters.actions import Kind
from compliance.letters.message import Drawn, sender
from compliance.letters.queries import recent
from compliance.letters.samples import sample

_RECENT = 50
_WHEN = {
    Kind.LINK: gettext_lazy("When somebody types their address at /learn/."),
    Kind.STAFF_LINK: gettext_lazy("When staff send a personal link."),
    Kind.INVITATION: gettext_lazy("When somebody is invited, and again when staff send it again."),
    Kind.NEW: gettext_lazy("When a required course came to somebody, within a minute or two."),
    Kind.REMINDER: gettext_lazy("7 and 1 days before a deadline, 1, 7 and 30 days after it, and when staff remind."),
    Kind.POLICY: gettext_lazy("When policies alone came to somebody."),
    Kind.SIGNED: gettext_lazy("When somebody has signed or acknowledged a policy."),
    Kind.CERTIFICATE: gettext_lazy("When somebody was issued a certificate."),
}
_UNASKED = frozenset({Kind.NEW, Kind.POLICY, Kind.CERTIFICATE, Kind.REMINDER})
"""Letters that are sent automatically, and only if REMINDERS is on (except reminders by staff)."""

_KINDS = {slugify(kind.value): kind for kind in Kind}


def letters(visit: Visit) -> HttpResponse:
    """The kinds of letter, and the letters requested lately."""
    organization_id = visit.organization.organization_id
    found = recent(organization_id, _RECENT)
    people = displayed_people(organization_id, {each.learner_profile_id for each in found if each.learner_profile_id})
    visit.saw(people)
    names: dict[uuid.UUID | None, str | None] = {learner: each.person_name for learner, each in people.items()}
    values = {
        "kinds": [(slug, kind.label, _WHEN[kind], kind in _UNASKED) for slug, kind in _KINDS.items()],
        "recent": [(each, names.get(each.learner_profile_id)) for each in found],
        "by_themselves": settings.REMINDERS,
    }
    return visit.render("console/letters/letters.html", values)


def letter(visit: Visit, kind: str) -> HttpResponse:
    """One kind of letter in a language: as HTML in a frame, and as text."""
    language = _language(visit)
    visit.crumb(gettext("Letters"), "letters")
    values = {
        "title": capfirst(_kind(kind).label),
        "kind": kind,
        "language": language,
        "languages": settings.LANGUAGES,
        "drawn": _drawn(visit, kind),
        "from": sender(visit.organization.name),
        "frame": visit.link("letter-html", {"language": language}, kind=kind),
    }
    response: Any = visit.render("console/letters/letter.html", values)
    response._csp_update = {"frame-src": ["'self'"]}  # as django-csp's decorator does, for its middleware
    return cast(HttpResponse, response)


def html(visit: Visit, kind: str) -> HttpResponse:
    """A letter's HTML, which only our own frame may display: it runs nothing, fetches nothing, and has no origin."""
    response = HttpResponse(_drawn(visit, kind).html)
    response["Content-Security-Policy"] = (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
    )
    response["X-Frame-Options"] = "SAMEORIGIN"
    return response


def _drawn(visit: Visit, kind: str) -> Drawn:
    return sample(_kind(kind), visit.organization, _language(visit), visit.now)


def _kind(slug: str) -> Kind:
    if slug not in _KINDS:
        raise NothingThereError(gettext("There is no such letter."))
    return _KINDS[slug]


def _language(visit: Visit) -> str:
    language = visit.request.GET.get("language", "en")
    if language not in dict(settings.LANGUAGES):
        raise UnreadableInputError(gettext("Letters are not written in this language. Choose one from the page."))
    return language
