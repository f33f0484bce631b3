"""Reports that are sent by letter: when each is due, its period, and the letter. It holds only numbers and a link.

The worker makes the report and sends the letter. Where the mail server refuses it, the letter of the same report is
tried again after 5, 10, 20, ... minutes. A person who may no longer see the company gets no letter.
"""

import logging
import uuid
from contextlib import closing
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.core.mail import EmailMessage
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from compliance.errors import ComplianceError
from compliance.interfaces.console.exports import schedule
from compliance.interfaces.console.permissions import Permission, staff_of
from compliance.interfaces.console.reports import keeping, queries
from compliance.interfaces.console.reports.errors import CannotReportError
from compliance.interfaces.console.reports.making import make
from compliance.interfaces.console.reports.models import Report, StandingReport
from compliance.interfaces.console.reports.periods import quarter_of
from compliance.interfaces.console.reports.states import COMPARED, SIGNING, TRAINING
from compliance.interfaces.console.wording import written_day
from compliance.letters.mail_server import REFUSALS, MailServer
from compliance.rules import company_days
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization

log = logging.getLogger(__name__)
GIVEN_UP = timedelta(hours=2)
"""A run that began longer ago is dead: the task's own time limit is shorter."""

MOST_ATTEMPTS = 6
AGAIN = timedelta(minutes=5)
Every = StandingReport.Every


def next_run(zone: str, every: str, hour: int, after: datetime) -> datetime:
    """The first moment later than `after` at which a report of this kind is due."""
    found = schedule.next_run(zone, "week" if every == Every.WEEK else "month", hour, after)
    while every == Every.QUARTER and company_days.day_of(zone, found).month % 3 != 1:
        found = schedule.next_run(zone, "month", hour, found)
    return found


def period_before(zone: str, every: str, due: datetime) -> tuple[date, date]:
    """The first and the last day of the period of a report due at `due`: the week, month or quarter before."""
    today = company_days.day_of(zone, due)
    if every == Every.WEEK:
        ends = today - timedelta(days=today.weekday() + 1)
        return ends - timedelta(days=6), ends
    begins = today.replace(day=1) if every == Every.MONTH else quarter_of(today)
    return company_days.add_months(begins, -1 if every == Every.MONTH else -3), begins - timedelta(days=1)


def due(organization_id: uuid.UUID, now: datetime) -> list[uuid.UUID]:
    """The reports that are to be made or sent now, in the company's context."""
    found = _claimable(now).filter(organization_id=organization_id)
    return list(found.values_list("standing_id", flat=True))


def _claimable(now: datetime):  # type: ignore[no-untyped-def]
    free = Q(begun_at=None) | Q(begun_at__lte=now - GIVEN_UP)
    return StandingReport.objects.filter(free, stopped_at=None, try_at__lte=now)


def run(organization_id: uuid.UUID, standing_id: uuid.UUID, now: datetime) -> bool:
    """Makes a report that is due and sends its letter, once however often it is called; returns whether it was sent."""
    company = organization(organization_id)
    with context.company(organization_id):
        mine = StandingReport.objects.filter(organization_id=organization_id, standing_id=standing_id)
        claimed = _claimable(now).filter(organization_id=organization_id, standing_id=standing_id).update(begun_at=now)
        scheduled = mine.first()
    if not claimed or scheduled is None:
        return False
    try:
        user = _reader(scheduled, now)
        report = _report(company, scheduled, now)
        with context.company(organization_id):
            mine.update(report_id=report.report_id)
            message = _letter(company, scheduled, report, user)
    except ComplianceError as error:
        log.warning("report_failed", extra={"standing_id": str(standing_id), "error": type(error).__name__})
        _end(company, scheduled, now, problem=str(error))
        return False
    try:
        with closing(MailServer()) as server:
            server.hand_over(message)
    except REFUSALS as error:
        log.warning("report_letter_refused", extra={"standing_id": str(standing_id), "error": type(error).__name__})
        _put_off(scheduled, now)
        return False
    _end(company, scheduled, now, report=report)
    return True


def _reader(scheduled: StandingReport, now: datetime) -> User:
    """The recipient. Raises CannotReportError for somebody who may not see the company or has no e-mail address."""
    user = User.objects.filter(pk=scheduled.user_id).first()
    staff = staff_of(user or AnonymousUser(), now)
    if user is None or staff is None or not staff.may(Permission.SEE) or not staff.may_enter(scheduled.organization_id):
        raise CannotReportError(
            _("%(name)s may not see this company any more. Stop this report, and have it set up anew.")
            % {"name": scheduled.username}
        )
    if not user.email:
        raise CannotReportError(
            _("The account %(name)s has no e-mail address. Whoever keeps the staff accounts can add one.")
            % {"name": scheduled.username}
        )
    return user


def _report(company: Organization, scheduled: StandingReport, now: datetime) -> Report:
    """The report that is due, ready: the one that an earlier attempt made, or a new one."""
    with context.company(company.organization_id):
        of_company = Report.objects.filter(organization_id=company.organization_id, ready=True)
        known = of_company.filter(report_id=scheduled.report_id).first() if scheduled.report_id else None
        if known is not None:
            return known
        first, last = period_before(company.time_zone, scheduled.every, scheduled.next_run_at)
        begins = company_days.start_of_day(company.time_zone, first) - company_days.ONE_MICROSECOND
        report, _new = keeping.begun(company, begins, company_days.end_of_day(company.time_zone, last), now)
    if not report.ready:
        make(report)
    return report


def _letter(company: Organization, scheduled: StandingReport, report: Report, user: User) -> EmailMessage:
    """The letter: how much was done, what changed, and where to read more. It names nobody."""
    sums = queries.whole(report, None, None)
    first, last = period_before(company.time_zone, scheduled.every, scheduled.next_run_at)
    address = reverse("console:report", args=[company.organization_id, report.report_id])
    values = {
        "company": company,
        "first": first,
        "last": last,
        "training": sums.get(TRAINING, queries.Sums()),
        "signing": sums.get(SIGNING, queries.Sums()),
        "late": sum(each.get("late", 0) for each in report.counts.values()),
        "registers": len(COMPARED),
        "address": f"{settings.BASE_URL.rstrip('/')}{address}",
        "username": user.get_username(),
    }
    return EmailMessage(
        subject=_("%(company)s: completion from %(first)s to %(last)s")
        % {"company": " ".join(company.name.split()), "first": written_day(first), "last": written_day(last)},
        body=render_to_string("console/reports/letter.txt", values),
        to=[user.email],
        headers={"Auto-Submitted": "auto-generated"},
    )


def _put_off(scheduled: StandingReport, now: datetime) -> None:
    """Schedules another attempt; after MOST_ATTEMPTS, ends the run until the next report is due."""
    attempts = scheduled.attempts + 1
    if attempts >= MOST_ATTEMPTS:
        company = organization(scheduled.organization_id)
        _end(company, scheduled, now, problem=_("The mail server did not take the last letter."))
        return
    with context.company(scheduled.organization_id):
        StandingReport.objects.filter(
            organization_id=scheduled.organization_id, standing_id=scheduled.standing_id
        ).update(attempts=attempts, begun_at=None, try_at=now + AGAIN * 2 ** (attempts - 1))


def _end(
    company: Organization, scheduled: StandingReport, now: datetime, *, report: Report | None = None, problem: str = ""
) -> None:
    """Records how a run ended, and when the next one is due."""
    following = next_run(company.time_zone, scheduled.every, scheduled.hour, max(now, scheduled.next_run_at))
    ended: dict[str, Any] = {
        "begun_at": None,
        "attempts": 0,
        "report_id": None,
        "next_run_at": following,
        "try_at": following,
    }
    if report is not None:
        ended |= {"last_report_id": report.report_id, "last_run_at": now}
    with context.company(company.organization_id):
        StandingReport.objects.filter(
            organization_id=company.organization_id, standing_id=scheduled.standing_id
        ).update(**ended, problem=problem[:300])
