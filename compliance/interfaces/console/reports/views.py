"""The pages of reports: the form for a period or two days, the sums by course and team, and what changed.

Reports are derived data: asking twice for the same moments at the same capture leads to the same report.
"""

import uuid
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from compliance.catalogue import REGISTERS
from compliance.facts.courses import queries as courses_queries
from compliance.facts.people import queries as people_queries
from compliance.interfaces.console import identifiers, keyset
from compliance.interfaces.console.acting import flow
from compliance.interfaces.console.errors import NothingThereError, UnreadableInputError
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.moments import day
from compliance.interfaces.console.page import register_page
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.reports import keeping, periods, queries
from compliance.interfaces.console.reports.making import LINES_AT_MOST, NO_TEAM
from compliance.interfaces.console.reports.models import Report, StandingReport
from compliance.interfaces.console.reports.states import COMPARED, SIGNING, TRAINING
from compliance.interfaces.console.visit import Visit
from compliance.rules import company_days

_DAY = timedelta(days=1)
_LISTED = 20
_COURSES_AT_MOST = 500
WITHOUT_TEAM = "none"
"""The team, in addresses, of the people who are in none."""


@dataclass(frozen=True)
class Narrowed:
    """The course and the team that a page of a report is narrowed to, from its address."""

    course: uuid.UUID | None
    team: uuid.UUID | None

    @property
    def team_word(self) -> str:
        """The team as it is written in addresses."""
        return WITHOUT_TEAM if self.team == NO_TEAM else str(self.team or "")


def reports(visit: Visit) -> HttpResponse:
    """The form for a report, the newest reports, and those that are sent by letter."""
    organization = visit.organization
    today = company_days.day_of(organization.time_zone, visit.now)
    complete = company_days.day_of(organization.time_zone, organization.history_complete_from)
    values = {
        "periods": periods.TITLES,
        "first": max(complete, today.replace(day=1)),
        "earlier": max(complete, periods.quarter_of(today) - _DAY),
        "last": today,
        "complete": complete,
        "reports": [
            (each, *days(visit, each)) for each in keeping.newest(organization.organization_id, _LISTED) if each.ready
        ],
        "standing": list(
            StandingReport.objects.filter(organization_id=organization.organization_id, stopped_at=None).order_by(
                "made_at"
            )[:50]
        ),
        "may_act": visit.staff.may(Permission.CHANGE_RECORDS),
    }
    return visit.render("console/reports/reports.html", values)


def make(visit: Visit) -> HttpResponse:
    """Begins the report that was asked for, or finds the one that was made, and redirects to it."""
    organization, posted = visit.organization, visit.request.POST
    zone = organization.time_zone
    of_period = periods.named(posted.get("period", ""), company_days.day_of(zone, visit.now))
    if of_period is not None:
        first, last = of_period
    else:
        first, last = (day(posted.get(name, "").strip()) for name in ("from", "to"))
        if "compare" in posted:
            first += _DAY  # two days are compared as at their ends
    complete = company_days.day_of(zone, organization.history_complete_from)
    begins = company_days.start_of_day(zone, max(first, complete)) - company_days.ONE_MICROSECOND
    ends = keeping.moment_of(organization, last, visit.now)
    report = keeping.begin(organization, begins, ends, visit.staff, visit.now)
    page = "report-changes" if "compare" in posted else "report"
    return HttpResponseRedirect(visit.address(page, report_id=report.report_id))


def days(visit: Visit, report: Report) -> tuple[date, date]:
    """The first and the last day of a report's period, in the company's time."""
    zone = visit.organization.time_zone
    return (
        company_days.day_of(zone, report.first + company_days.ONE_MICROSECOND),
        company_days.day_of(zone, report.second),
    )


def report(visit: Visit, report_id: uuid.UUID) -> HttpResponse:
    """The sums of a report by course and by team; while it is made, its progress."""
    found, waiting = _found(visit, report_id)
    if waiting is not None:
        return waiting
    asked, names = narrowed(visit), people_queries.team_names(found.organization_id)
    whole = queries.whole(found, asked.course, asked.team)
    values = _values(visit, found, asked, names) | {
        "training": whole.get(TRAINING, queries.Sums()),
        "signing": whole.get(SIGNING, queries.Sums()),
        "by_course": [] if asked.course else [
            _row(visit, found, each, Narrowed(each.identifier, asked.team))
            for each in queries.by_course(found, asked.team)
        ],
        "by_team": [] if asked.team else [
            _row(visit, found, each, Narrowed(asked.course, each.identifier or NO_TEAM))
            for each in queries.by_team(found, asked.course, names)
        ],
        "at_most": queries.ROWS_AT_MOST,
    }  # fmt: skip
    return visit.render("console/reports/report.html", values)


def _found(visit: Visit, report_id: uuid.UUID) -> tuple[Report, HttpResponse | None]:
    """A report; and while it is not ready, the page that waits for it. Raises NothingThereError."""
    visit.crumb(_("Reports"), "reports")
    organization_id = visit.organization.organization_id
    found = keeping.report_of(organization_id, report_id)
    if found.ready:
        return found, None
    job = Job.objects.filter(organization_id=organization_id, job_id=found.job_id).first() if found.job_id else None
    if job is None:
        raise NothingThereError(_("This report was never finished. Ask for its days again."))
    first, last = days(visit, found)
    return found, flow.watch(visit, job, "console/reports/waits.html", {"first_day": first, "last_day": last})


def narrowed(visit: Visit) -> Narrowed:
    """The course and team of the address. Raises UnreadableInputError."""
    without = visit.request.GET.get("team") == WITHOUT_TEAM
    team = NO_TEAM if without else identifiers.asked(visit.request, "team")
    return Narrowed(identifiers.asked(visit.request, "course"), team)


def _values(visit: Visit, found: Report, asked: Narrowed, names: dict[uuid.UUID, str]) -> dict[str, Any]:
    """The values that both pages of a report need."""
    first, last = days(visit, found)
    titles = courses_queries.titles(found.organization_id, None, _COURSES_AT_MOST)
    query = {"course": asked.course, "team": asked.team_word}
    return {
        "report": found,
        "first_day": first,
        "last_day": last,
        "day_before": company_days.day_of(visit.organization.time_zone, found.first),
        "asked": asked,
        "course": str(asked.course or ""),
        "courses": [(each.course_id, each.title) for each in titles],
        "teams": {str(team): name for team, name in names.items()},
        "narrowed": bool(asked.course or asked.team),
        "here": visit.link("report", query, report_id=found.report_id),
        "changes": visit.link("report-changes", query, report_id=found.report_id),
        "pdf": visit.link("report-pdf", query, report_id=found.report_id) if visit.staff.may(Permission.EXPORT) else "",
        "lines_at_most": LINES_AT_MOST,
    }


def register_query(visit: Visit, report: Report, moment: datetime) -> dict[str, Any]:
    """The query of a register's address for one of a report's moments, as known at the report's capture."""
    zone = visit.organization.time_zone
    of_day = company_days.day_of(zone, moment)
    query: dict[str, Any] = {"as_at": of_day.isoformat(), "known": report.capture_sequence}
    if moment != company_days.end_of_day(zone, of_day):
        query["time"] = f"{moment.astimezone(visit.zone):%H:%M:%S}"
    return query


def _row(visit: Visit, found: Report, each: queries.SumsOf, narrow: Narrowed) -> dict[str, Any]:
    """A row of the table of courses or of teams, with the address of the list behind each number.

    What a team did of training and of policies is no one list: it leads to the report of the team.
    """
    query, register = {"course": narrow.course, "team": narrow.team_word}, each.register
    narrowed_to = visit.link("report", query, report_id=found.report_id)
    row: dict[str, Any] = {"of": each, "narrow": narrowed_to, "done_between": narrowed_to}
    if register is None:
        return row
    page = register_page(REGISTERS[register].name)
    row["done_between"] = visit.link(
        "report-changes", {"register": REGISTERS[register].name, "show": "done"} | query, report_id=found.report_id
    )
    if isinstance(each.identifier, uuid.UUID) and each.identifier == narrow.course and narrow.team != NO_TEAM:
        shows = ("", "signed", "overdue") if register == SIGNING else ("required", "required-done", "overdue")
        now, then = (
            register_query(visit, found, moment) | {"team": narrow.team_word} for moment in (found.second, found.first)
        )
        for name, show in zip(("required", "done", "overdue"), shows, strict=True):
            row[name] = visit.link(page, now | {"course": narrow.course, "show": show})
        if found.first >= visit.organization.history_complete_from:
            row["done_before"] = visit.link(page, then | {"course": narrow.course, "show": shows[1]})
            row["required_before"] = visit.link(page, then | {"course": narrow.course, "show": shows[0]})
    return row


def changes(visit: Visit, report_id: uuid.UUID) -> HttpResponse:
    """The records that differ between the two moments: which are new, ended or changed, and what was recorded late."""
    found, waiting = _found(visit, report_id)
    if waiting is not None:
        return waiting
    visit.crumb(_("Completion"), "report", report_id=report_id)
    narrow, query = narrowed(visit), visit.request.GET
    numbers = {REGISTERS[number].name: number for number in COMPARED}
    name, show = query.get("register", "") or REGISTERS[_first_changed(found)].name, query.get("show", "")
    if name not in numbers or show not in queries.SHOWS:
        raise UnreadableInputError(_("There is no such list. Choose one from the form."))
    (after,) = keyset.after(visit.request, 1) or (0,)
    asked = queries.Asked(numbers[name], show, narrow.course, narrow.team)
    lines = queries.lines(found, asked, after, keyset.PAGE)
    following = keyset.following(visit.request, (lines[keyset.PAGE - 1].number,) if len(lines) > keyset.PAGE else None)
    lines = lines[: keyset.PAGE]
    visit.saw(each.learner_profile_id for each in lines)
    names = people_queries.team_names(found.organization_id)
    counts = {number: found.counts.get(REGISTERS[number].name, {}) for number in COMPARED}
    kinds = ("new", "ended", "changed", "done", "late")

    def listed(register: str, kind: str) -> str:
        asked_for = {"register": register, "show": kind, "course": narrow.course, "team": narrow.team_word}
        return visit.link("report-changes", asked_for, report_id=report_id)

    values = _values(visit, found, narrow, names) | {
        "title": _("What changed"),
        "register": name,
        "show": show,
        "registers": [
            (
                REGISTERS[number],
                [(kind, counts[number].get(kind, 0), listed(REGISTERS[number].name, kind)) for kind in kinds],
            )
            for number in COMPARED
        ],
        "lines": [(each, [names[team] for team in each.team_ids if team in names]) for each in lines],
        "cut": sum(sum(each.get(kind, 0) for kind in (*kinds[:3], "same")) for each in counts.values()) > LINES_AT_MOST,
        "following": following,
    }
    return visit.render("console/reports/changes.html", values)


def _first_changed(found: Report) -> int:
    """The first register in which something differs."""
    return next((number for number in COMPARED if found.counts.get(REGISTERS[number].name)), COMPARED[0])
