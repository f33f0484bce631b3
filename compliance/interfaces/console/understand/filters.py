"""The filters in the address of a page: which records, of which course and team, and how late."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from compliance.catalogue import owed
from compliance.catalogue.certificates import CERTIFICATES
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.errors import UnreadableInputError
from compliance.interfaces.console.page import Words
from compliance.interfaces.console.understand.queries import SORTINGS, Wanted
from compliance.interfaces.console.understand.refreshing import AGES
from compliance.interfaces.console.visit import Visit

_TRAINING, _POLICIES, _CERTIFICATES = owed("course").number, owed("policy").number, CERTIFICATES.number


@dataclass(frozen=True)
class Show:
    """A work list: its title, its register, the tally that counts it, and where `due_by` lies, in days from the moment.

    The list of training due within 30 days has no tally.
    """

    title: Words
    register: int
    tally: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None

    @property
    def overdue(self) -> bool:
        """Whether the list holds only what is past its deadline, so that filters by age apply."""
        return self.high == 0


SHOWS = {
    "overdue": Show(_("Training overdue"), _TRAINING, ("outcome", "overdue"), None, 0),
    "due-7": Show(_("Training due within 7 days"), _TRAINING, ("week", "training"), 0, 7),
    "due-30": Show(_("Training due within 30 days"), _TRAINING, (), 0, 30),
    "open": Show(_("All training not done"), _TRAINING, ("outcome", "overdue", "not_due_yet")),
    "unsigned-overdue": Show(_("Signatures overdue"), _POLICIES, ("signature", "overdue"), None, 0),
    "unsigned-7": Show(_("Signatures due within 7 days"), _POLICIES, ("week", "policy"), 0, 7),
    "unsigned": Show(_("All signatures outstanding"), _POLICIES, ("signature", "overdue", "to_do")),
    "expiring-30": Show(_("Certificates expiring within 30 days"), _CERTIFICATES, ("certificate", "30"), 0, 30),
    "expiring-60": Show(_("Certificates expiring within 60 days"), _CERTIFICATES, ("certificate", "30", "60"), 0, 60),
    "expiring-90": Show(
        _("Certificates expiring within 90 days"), _CERTIFICATES, ("certificate", "30", "60", "90"), 0, 90
    ),
    "expired": Show(_("Certificates expired"), _CERTIFICATES, ("certificate", "expired"), None, 0),
}
_AGE_WORDS = {"1": _("1 to 7 days"), "8": _("8 to 30 days"), "31": _("31 to 90 days"), "91": _("More than 90 days")}
AGE_TITLES: dict[str, Words] = {first: _AGE_WORDS[first] for first, _last in AGES}


@dataclass(frozen=True)
class Filters:
    """The filters of an address; those that do not apply are empty or None."""

    show: str
    course: uuid.UUID | None
    team: uuid.UUID | None
    age: str
    person: uuid.UUID | None = None
    sort: str = "due"
    descending: bool = False

    def wanted(self, moment: datetime) -> Wanted:
        """The records that the filters select, as at the summary's moment."""
        show = SHOWS[self.show]
        low = None if show.low is None else moment + timedelta(days=show.low)
        high = None if show.high is None else moment + timedelta(days=show.high)
        if self.age and show.overdue:
            first, last = next(each for each in AGES if each[0] == self.age)
            low = None if last is None else moment - timedelta(days=last)
            high = moment - timedelta(days=int(first) - 1)
        return Wanted(show.register, low, high, self.course, self.team, self.person)


def filters(visit: Visit) -> Filters:
    """Reads the filters from the address. Raises UnreadableInputError."""
    query = visit.request.GET
    show, age = query.get("show", "overdue"), query.get("age", "")
    if show not in SHOWS or (age and age not in AGE_TITLES):
        raise UnreadableInputError(gettext("There is no such list. Choose one from the form."))
    course, team, person = (identifiers.asked(visit.request, name) for name in ("course", "team", "person"))
    sort = query.get("sort", "") or "due"
    if sort.lstrip("-") not in SORTINGS:
        raise UnreadableInputError(gettext("This list cannot be sorted by that column."))
    return Filters(show, course, team, age, person, sort.lstrip("-"), sort.startswith("-"))
