"""What happened to a person or a course, in words: the facts of `facts.happenings` in the reader's language."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from compliance.facts.happenings import Happening
from compliance.interfaces.console.page import Words
from compliance.interfaces.console.wording import field, state, written_day, written_moment
from compliance.rules.vocabulary import ChangeKind, DueBasis

_WHAT: dict[str, Words] = {
    "joined_company": _("Joined the company"),
    "left_company": _("Left the company"),
    "resumed": _("No longer suspended"),
    "joined_team": _("Joined the team"),
    "left_team": _("Left the team"),
    "came_as_partner": _("Came as a partner"),
    "went_as_partner": _("Left as a partner"),
    "came_as_customer": _("Came as a customer"),
    "went_as_customer": _("Left as a customer"),
    "roles_changed": _("Roles changed"),
    "absence_recorded": _("Absence recorded"),
    "absence_voided": _("Absence taken back"),
    "erased": _("Erased at the company's instruction"),
    "published": _("Version %(version)s published"),
    "withdrawn": _("Version %(version)s withdrawn"),
    "signed": _("Signed version %(version)s"),
    "acknowledged": _("Acknowledged version %(version)s"),
    "shared": _("Shared"),
    "share_changed": _("Share changed"),
    "unshared": _("Share ended"),
    "completed": _("Completed"),
    "completion_voided": _("Completion voided"),
    "reminder_sent": _("Reminder sent"),
    "attendance_marked": _("Marked in a live session"),
    "revocation": _("Certificate revoked"),
    "correction": _("Certificate corrected"),
}
"""Sentences by the code of a fact. A code that is not here is a value of the contract, with the words of `wording`."""

_AUDIENCES: dict[str, Words] = {
    "everyone": _("With everyone"),
    "teams": _("With teams"),
    "people": _("With some people"),
}


class Happened(NamedTuple):
    """A fact in words, and its origins. `of`, in stories of a person, is the title of the course or the policy."""

    at: datetime
    what: str
    detail: str
    of: str
    origins: tuple[str, ...] = ()


def in_words(found: Iterable[Happening], zone: ZoneInfo) -> list[Happened]:
    """The facts in words; moments are those of the clock of `zone`."""
    return [Happened(each.at, _what(each), _detail(each.given, zone), each.of) for each in found]


def _what(fact: Happening) -> str:
    return str(_WHAT[fact.what]) % fact.given if fact.what in _WHAT else state(fact.what)


def _detail(given: Mapping[str, Any], zone: ZoneInfo) -> str:
    found = (written(given[name], zone) for name, written in _DETAILS.items() if given.get(name) not in (None, False))
    return " · ".join(filter(None, found))


def _state(value: str, _zone: ZoneInfo) -> str:
    return state(value)


def _away(days: list[str], _zone: ZoneInfo) -> str:
    first, last = map(written_day, map(date.fromisoformat, days))
    return gettext("%(first)s to %(last)s") % {"first": first, "last": last}


def _days(days: int, _zone: ZoneInfo) -> str:
    return ngettext("%(days)s day after being added", "%(days)s days after being added", days) % {"days": days}


_DETAILS: dict[str, Callable[[Any, ZoneInfo], str]] = {
    "practice": lambda _value, _zone: state("staff_practice"),
    "team": lambda name, _zone: str(name),
    "roles": lambda roles, _zone: ", ".join(roles) or gettext("No roles"),
    "away": _away,
    "retake": lambda _value, _zone: state(ChangeKind.ASK_AGAIN),
    "change": _state,
    "door": _state,
    "audience": lambda audience, _zone: str(_AUDIENCES[audience]),
    "requirement": _state,
    "basis": lambda basis, _zone: "" if basis == DueBasis.DAYS_AFTER_ADDED else state(basis),  # `days` says so
    "days": _days,
    "assessed": lambda _value, _zone: gettext("Questions passed"),
    "reason": _state,
    "due_at": lambda moment, zone: written_moment(datetime.fromisoformat(moment), zone),
    "attended": _state,
    "by": lambda who, _zone: f"{field('live_session_marked_by')}: {state(who)}",
}
"""How each value that a fact gives beside is written, in this order; the version is in its sentence."""
