"""The moment and the capture that pages of the past read from their address.

`as_at` and `time` are in the company's time; a date alone is the end of the company's day, as in the API. `known`
is the number of a capture: the rows as they were known when it was written.
"""

import uuid
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.http import HttpRequest
from django.utils.translation import gettext

from compliance.history import queries as history
from compliance.interfaces.console.errors import UnreadableInputError
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.console.wording import written_day
from compliance.registers.questions import Company, Pin, Question
from compliance.rules import company_days
from compliance.tenancy import queries
from compliance.tenancy.models import Organization

LONGEST_PERIOD = timedelta(days=400)


@dataclass(frozen=True)
class Chosen:
    """The chosen moment and capture, and how the address wrote them."""

    question: Question
    as_at: str
    at_time: str
    start: str
    known: str
    latest_capture: int
    latest_sequence: int

    @property
    def travels(self) -> bool:
        """Whether anything other than the present was chosen."""
        return bool(self.as_at or self.known)


def chosen(
    visit: Visit, *, course: uuid.UUID | None = None, learner: uuid.UUID | None = None, whole: bool = False
) -> Chosen:
    """The moment and the capture that this visit's address asks for. One statement. Raises UnreadableInputError,
    NoHistoryError."""
    organization = visit.organization
    zone = organization.time_zone
    as_at, at_time, start, known = (_text(visit.request, name) for name in ("as_at", "time", "from", "known"))
    moment = _moment(zone, as_at, at_time) if as_at else visit.now
    begin = organization.history_complete_from if whole else moment - LONGEST_PERIOD
    if start:
        begin = company_days.start_of_day(zone, day(start))
        if begin > moment:
            raise UnreadableInputError(gettext("The first day lies behind the second. Choose an earlier one."))
    begin = max(begin, organization.history_complete_from)
    if moment < organization.history_complete_from:
        first = organization.history_complete_from.astimezone(visit.zone)
        raise UnreadableInputError(
            gettext("The records of this company begin on %(first)s. Choose that day or a later one.")
            % {"first": written_day(first.date())}
        )
    pin, latest, sequence = pin_of(organization.organization_id, known)
    question = Question(company_of(organization), pin, moment, begin, course, personal=True, learner=learner)
    return Chosen(question, as_at, at_time, start, known, latest, sequence)


def company_of(organization: Organization) -> Company:
    """The company as questions name it."""
    return Company(
        organization.organization_id,
        queries.deployment_id(),
        organization.learning_space_id,
        organization.time_zone,
        organization.history_complete_from,
    )


def pin_of(organization_id: uuid.UUID, known: str) -> tuple[Pin, int, int]:
    """The pin of the history at capture `known` (empty: now), its last capture and its last sequence.

    Raises UnreadableInputError and NoHistoryError.
    """
    if known and not (known.isascii() and known.isdigit() and len(known) < 18):
        raise UnreadableInputError(gettext("A capture is a whole number, like 17."))
    found = history.pinned(organization_id, int(known) if known else None)
    return Pin(*found[:5]), found.newest_capture, found.newest_sequence


def _text(request: HttpRequest, name: str) -> str:
    return request.GET.get(name, "").strip()


def day(text: str) -> date:
    """The day that a text names. Raises UnreadableInputError."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise UnreadableInputError(gettext("A day is written like 2026-03-31.")) from None
    if not 1900 <= found.year < 3000:  # the first and last years have no moment in some zones
        raise UnreadableInputError(gettext("Choose a day between the years 1900 and 2999."))
    return found


def _moment(zone: str, written: str, at_time: str) -> datetime:
    if not at_time:
        return company_days.end_of_day(zone, day(written))
    try:
        clock = time.fromisoformat(at_time)
    except ValueError:
        raise UnreadableInputError(gettext("A time is written like 17:30.")) from None
    if clock.tzinfo is not None:
        raise UnreadableInputError(gettext("The time is the company's; write it without a zone."))
    return datetime.combine(day(written), clock, company_days.zone_info(zone)).astimezone(UTC)
