"""The subject of a pack: a company, a period of days, and one capture of its history, which pins every register.

Two packs of one subject have the same bytes, so its moments are the ends of the period, never the present.
"""

import uuid
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.translation import gettext

from compliance.history import queries as history
from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.moments import company_of
from compliance.registers.questions import Pin, Question
from compliance.rules import company_days
from compliance.tenancy import context, queries
from compliance.tenancy.models import Organization


@dataclass(frozen=True)
class Subject:
    """A pack's subject. `start` and `moment` are the first and the last instant of the period."""

    organization: Organization
    first_day: date
    last_day: date
    start: datetime
    moment: datetime
    pin: Pin

    @property
    def organization_id(self) -> uuid.UUID:
        """The identifier of the company that the pack is about."""
        return self.organization.organization_id

    def question(self, *, by_period: bool = False) -> Question:
        """The question to a register, with personal fields."""
        start = self.start if by_period else None
        return Question(company_of(self.organization), self.pin, self.moment, start, None, personal=True)

    @property
    def file_name(self) -> str:
        """The name of the file."""
        return (
            f"evidence-{str(self.organization_id)[:8]}-{self.first_day}-to-{self.last_day}"
            f"-capture-{self.pin.capture_sequence}.zip"
        )


def subject(
    organization_id: uuid.UUID, first_day: date, last_day: date, *, now: datetime, capture_sequence: int | None = None
) -> Subject:
    """The subject of a pack, pinned at the newest capture unless one is named.

    Raises CannotBuildError, NoSuchCompanyError and NoHistoryError.
    """
    organization = queries.organization(organization_id)
    zone = organization.time_zone
    if first_day > last_day:
        raise CannotBuildError(gettext("The period ends before it begins."))
    today = now.astimezone(company_days.zone_info(zone)).date()
    if last_day > today:
        raise CannotBuildError(gettext("The period ends in the future; today is %(today)s there.") % {"today": today})
    start, moment = company_days.start_of_day(zone, first_day), company_days.end_of_day(zone, last_day)
    if start < organization.history_complete_from:
        complete = organization.history_complete_from.astimezone(company_days.zone_info(zone)).date()
        raise CannotBuildError(gettext("The records of this company begin on %(complete)s.") % {"complete": complete})
    with context.company(organization_id):
        head = history.head(organization_id)
        if not head.available:
            raise CannotBuildError(
                gettext("The history of this company is closed. %(unavailable_reason)s")
                % {"unavailable_reason": head.unavailable_reason}
            )
        capture = history.capture_row(organization_id, capture_sequence or head.capture_sequence)
    if capture is None:
        raise CannotBuildError(
            gettext("There is no capture %(capture_sequence)s.") % {"capture_sequence": capture_sequence}
        )
    pin = Pin(
        capture.last_sequence, capture.capture_sequence, capture.chain_hash, capture.captured_at, capture.logic_version
    )
    return Subject(organization, first_day, last_day, start, moment, pin)
