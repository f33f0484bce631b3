"""What a page of this part was asked for: which records, of which course and team, how late (from its address)."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from compliance.catalogue import owed
from compliance.catalogue.certificates import CERTIFICATES
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.errors import UnreadableInputError
from compliance.interfaces.console.understand.queries import Wanted
from compliance.interfaces.console.understand.refreshing import AGES
from compliance.interfaces.console.visit import Visit

_TRAINING, _POLICIES, _CERTIFICATES = owed("course").number, owed("policy").number, CERTIFICATES.number


@dataclass(frozen=True)
class Show:
    """A work list: its name, of which register, which tally counts it, and how many days from the moment `due_by` lies.

    No tally counts what is due within days.
    """

    title: str
    register: int
    tally: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None

    @property
    def overdue(self) -> bool:
        """Whether it holds what is late only, so that ages apply."""
        return self.high == 0


SHOWS = {
    "overdue": Show("Training overdue", _TRAINING, ("outcome", "overdue"), None, 0),
    "due-7": Show("Training due within 7 days", _TRAINING, (), 0, 7),
    "due-30": Show("Training due within 30 days", _TRAINING, (), 0, 30),
    "open": Show("All training not done", _TRAINING, ("outcome", "overdue", "not_due_yet")),
    "unsigned-overdue": Show("Signatures overdue", _POLICIES, ("signature", "overdue"), None, 0),
    "unsigned": Show("All signatures outstanding", _POLICIES, ("signature", "overdue", "to_do")),
    "expiring-30": Show("Certificates expiring within 30 days", _CERTIFICATES, ("certificate", "30"), 0, 30),
    "expiring-60": Show("Certificates expiring within 60 days", _CERTIFICATES, ("certificate", "30", "60"), 0, 60),
    "expiring-90": Show(
        "Certificates expiring within 90 days", _CERTIFICATES, ("certificate", "30", "60", "90"), 0, 90
    ),
    "expired": Show("Certificates expired", _CERTIFICATES, ("certificate", "expired"), None, 0),
}
AGE_TITLES = {first: f"{first} to {last} days" if last else "More than 90 days" for first, last in AGES}


@dataclass(frozen=True)
class Filters:
    """The filters of an address, each empty when it does not apply."""

    show: str
    course: uuid.UUID | None
    team: uuid.UUID | None
    age: str

    def wanted(self, moment: datetime) -> Wanted:
        """The records meant, at the moment of the standing."""
        show = SHOWS[self.show]
        low = None if show.low is None else moment + timedelta(days=show.low)
        high = None if show.high is None else moment + timedelta(days=show.high)
        if self.age and show.overdue:
            first, last = next(each for each in AGES if each[0] == self.age)
            low = None if last is None else moment - timedelta(days=last)
            high = moment - timedelta(days=int(first) - 1)
        return Wanted(show.register, low, high, self.course, self.team)


def filters(visit: Visit) -> Filters:
    """What the address asks for. Raises UnreadableInputError."""
    query = visit.request.GET
    show, age = query.get("show", "overdue"), query.get("age", "")
    if show not in SHOWS or (age and age not in AGE_TITLES):
        raise UnreadableInputError("There is no such list. Choose one from the form.")
    return Filters(show, identifiers.asked(visit.request, "course"), identifiers.asked(visit.request, "team"), age)
