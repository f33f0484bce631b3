"""What a page of this part was asked for: which records, of which course and team, how late (from its address)."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from compliance.history import numbers
from compliance.interfaces.console.errors import UnreadableInputError
from compliance.interfaces.console.understand.reading import Wanted
from compliance.interfaces.console.understand.refreshing import AGES
from compliance.interfaces.console.visit import Visit

_TRAINING, _POLICIES, _CERTIFICATES = numbers.TRAINING_RECORDS, numbers.POLICY_RECORDS, numbers.CERTIFICATES


@dataclass(frozen=True)
class Show:
    """A work list: its name, of which register, and between how many days from the moment `due_by` lies."""

    title: str
    register: int
    low: int | None = None
    high: int | None = None

    @property
    def overdue(self) -> bool:
        """Whether it holds what is late only, so that ages apply."""
        return self.high == 0


SHOWS = {
    "overdue": Show("Training overdue", _TRAINING, None, 0),
    "due-7": Show("Training due within 7 days", _TRAINING, 0, 7),
    "due-30": Show("Training due within 30 days", _TRAINING, 0, 30),
    "open": Show("All training not done", _TRAINING),
    "unsigned-overdue": Show("Signatures overdue", _POLICIES, None, 0),
    "unsigned": Show("All signatures outstanding", _POLICIES),
    "expiring-30": Show("Certificates expiring within 30 days", _CERTIFICATES, 0, 30),
    "expiring-60": Show("Certificates expiring within 60 days", _CERTIFICATES, 0, 60),
    "expiring-90": Show("Certificates expiring within 90 days", _CERTIFICATES, 0, 90),
    "expired": Show("Certificates expired", _CERTIFICATES, None, 0),
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
    return Filters(show, identifier(visit, "course"), identifier(visit, "team"), age)


def identifier(visit: Visit, name: str) -> uuid.UUID | None:
    """An identifier of the address, None without. Raises UnreadableInputError."""
    text = visit.request.GET.get(name, "").strip()
    try:
        return uuid.UUID(text) if text else None
    except ValueError:
        raise UnreadableInputError(f"{text[:40]!r} is no identifier.") from None
