"""Begins reports, finds those that were made, and deletes old ones.

A report is identified by its two moments and the capture up to which the history is known, so the same question is
answered by one report. A small company's is made in the request; a large one's by the worker, while the page displays
the progress.
"""

import uuid
from datetime import date, datetime, timedelta

from django.utils.translation import gettext

from compliance.history import queries as history
from compliance.history.comparing import known_at
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import Staff
from compliance.interfaces.console.reports.errors import CannotReportError
from compliance.interfaces.console.reports.making import make
from compliance.interfaces.console.reports.models import Report, ReportCell, ReportLine
from compliance.rules import company_days
from compliance.tenancy.models import Organization

ACT = "report"
TASK = "compliance.reports.make"
AT_ONCE = 4_000
"""A report of a history of at most so many versions is made in the request, which takes a third of a second."""

KEPT = timedelta(days=35)
MOST = 60
"""How many reports of a company are kept: the newest."""

UNDER_WAY = 2
"""How many reports of one company may be made at the same time."""


def moment_of(organization: Organization, day: date, now: datetime) -> datetime:
    """The end of a day in the company's time zone; of today, this second. Raises CannotReportError for a future day."""
    zone = organization.time_zone
    today = company_days.day_of(zone, now)
    if day > today:
        raise CannotReportError(gettext("A report ends today at the latest."))
    return now.replace(microsecond=0) if day == today else company_days.end_of_day(zone, day)


def begun(organization: Organization, first: datetime, second: datetime, now: datetime) -> tuple[Report, bool]:
    """The report of these moments, and whether it is new. Raises CannotReportError and NoHistoryError.

    In the company's context. A first moment before the company's history began is compared as its beginning.
    """
    if first >= second:
        raise CannotReportError(gettext("The first day lies behind the second. Choose an earlier one."))
    if second < organization.history_complete_from:
        raise CannotReportError(gettext("The records of this company begin later. Choose a later day."))
    head = history.head(organization.organization_id)
    if not head.available:
        raise CannotReportError(
            gettext("The history of this company is closed. %(unavailable_reason)s")
            % {"unavailable_reason": head.unavailable_reason}
        )
    forget(organization.organization_id, now)
    same = Report.objects.filter(
        organization_id=organization.organization_id, first=first, second=second, capture_sequence=head.capture_sequence
    ).first()
    if same is not None and (same.ready or _under_way(organization.organization_id, now).filter(job_id=same.job_id)):
        return same, False
    known = known_at(organization.organization_id, first)
    made = Report.objects.create(
        organization_id=organization.organization_id,
        first=first,
        second=second,
        capture_sequence=head.capture_sequence,
        sequence=head.sequence,
        known_capture_sequence=known.capture_sequence,
        known_sequence=known.sequence,
        begun_at=now,
    )
    return made, True


def begin(organization: Organization, first: datetime, second: datetime, staff: Staff, now: datetime) -> Report:
    """The report of these moments, made here or by the worker. In the company's context. Raises what `begun` raises."""
    report, new = begun(organization, first, second, now)
    if not new:
        return report
    if report.sequence <= AT_ONCE:
        make(report)
        return report
    if _under_way(organization.organization_id, now).count() >= UNDER_WAY:
        raise CannotReportError(gettext("Two reports of this company are being made. Wait until one of them is done."))
    job = Job(organization_id=organization.organization_id, act=ACT, user_id=staff.user_id, username=staff.username)
    jobs.begin(job, now, TASK)
    report.job_id = job.job_id
    report.save(update_fields=["job_id"])
    return report


def _under_way(organization_id: uuid.UUID, now: datetime):  # type: ignore[no-untyped-def]
    return Job.objects.filter(
        organization_id=organization_id,
        act=ACT,
        state__in=(Job.State.WAITING, Job.State.RUNNING),
        asked_at__gt=now - jobs.GIVEN_UP,
    )


def report_of(organization_id: uuid.UUID, report_id: uuid.UUID) -> Report:
    """The report with this identifier, in the company's context. Raises NothingThereError."""
    found = Report.objects.filter(organization_id=organization_id, report_id=report_id).first()
    if found is None:
        raise NothingThereError(
            gettext(
                "This report is not kept any more: the newest %(MOST)s of the last %(days)s days are. Ask for its"
                " days again."
            )
            % {"MOST": MOST, "days": KEPT.days}
        )
    return found


def newest(organization_id: uuid.UUID, most: int) -> list[Report]:
    """The newest reports, in the company's context."""
    return list(Report.objects.filter(organization_id=organization_id).order_by("-begun_at")[:most])


def forget(organization_id: uuid.UUID, now: datetime) -> int:
    """Deletes reports that are too old or too many, in the company's context; returns how many."""
    mine = Report.objects.filter(organization_id=organization_id)
    many = list(mine.order_by("-begun_at").values_list("report_id", flat=True)[MOST : MOST + 1000])
    stale = [*many, *mine.filter(begun_at__lt=now - KEPT).values_list("report_id", flat=True)]
    if stale:
        for model in (ReportLine, ReportCell, Report):
            model.objects.filter(organization_id=organization_id, report_id__in=stale).delete()
    return len(set(stale))
