"""Dashboard and matrix: a company's current state, from its summary.

Each page states the moment of its numbers. All pages use the summary's moment, so they agree with each other.
"""

from datetime import date, datetime
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext

from compliance.catalogue import REGISTERS, owed
from compliance.interfaces.console import identifiers, keyset, wording
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.understand import charts, queries
from compliance.interfaces.console.understand.filters import AGE_TITLES, SHOWS
from compliance.interfaces.console.understand.queries import State
from compliance.interfaces.console.understand.refreshing import OPTIONAL_DONE, WEEKS
from compliance.interfaces.console.visit import Visit
from compliance.rules.company_days import end_of_day
from compliance.rules.vocabulary import Outcome

TEAMS_LISTED = 12
COURSES_A_PAGE = 8
PEOPLE_A_PAGE = 30
_TONES = {
    Outcome.COMPLETED_ON_TIME: "good",
    Outcome.COMPLETED_BEFORE_REQUIREMENT: "good-soft",
    Outcome.COMPLETED_LATE: "warn",
    Outcome.NOT_DUE_YET: "calm",
    Outcome.OVERDUE: "bad",
    Outcome.WAIVED: "line",
    Outcome.OPTIONAL_NOT_DONE: "line",
}
_SHOW_OF = {
    Outcome.COMPLETED_ON_TIME: "on-time",
    Outcome.COMPLETED_BEFORE_REQUIREMENT: "before",
    Outcome.COMPLETED_LATE: "late",
    Outcome.NOT_DUE_YET: "not-due",
    Outcome.OVERDUE: "overdue",
    Outcome.WAIVED: "waived",
    Outcome.OPTIONAL_NOT_DONE: "optional",
}
"""The filter of the register of training records that lists each outcome."""

_FORMATS = (("Excel", "xlsx"), ("CSV", "csv"))
_COMPLETION = ("required", "required-done")
_DONE = (Outcome.COMPLETED_ON_TIME, Outcome.COMPLETED_BEFORE_REQUIREMENT, Outcome.COMPLETED_LATE)


def summary_state(visit: Visit) -> tuple[State, datetime]:
    """How current the company's summary is, and the moment of its pages."""
    found = queries.state(visit.organization.organization_id)
    return found, found.as_at or visit.now


def dashboard(visit: Visit) -> HttpResponse:
    """The company in charts."""
    organization_id = visit.organization.organization_id
    state, moment = summary_state(visit)
    course = identifiers.asked(visit.request, "course")
    counts = queries.tallies(organization_id, course)
    lines = queries.courses(organization_id)
    outcomes, ages, signatures = (counts[kind] for kind in ("outcome", "age", "signature"))

    def listed(show: str, **more: str) -> str:
        return visit.link("work", {"show": show, "course": course} | more)

    def register_then(show: str, day: date | None) -> str:
        """The register as at the end of a day; "" for a day before the company's history begins."""
        if day is not None and end_of_day(visit.zone.key, day) < visit.organization.history_complete_from:
            return ""
        return visit.link("training-records", {"as_at": day, "course": course, "show": show})

    required = sum(counts["required"].values())
    done = sum(counts["done"].values())
    names = queries.teams(organization_id)
    no_team = gettext("No team")
    late_teams = sorted(
        (
            (names.get(team, team[:8]) or no_team, number, "bad", listed("overdue", team=team) if team else "")
            for team, number in counts["team"].items()
        ),
        key=lambda each: (-each[1], each[0]),
    )  # fmt: skip
    expiring = [(days, number(f"expiring-{days}", counts) or 0) for days in (30, 60, 90)]
    completion = charts.completion(
        _by_week(counts["required"]), _by_week(counts["done"]), queries.weeks(moment, visit.zone, WEEKS)
    )
    this_week = completion.weeks[-1]
    signed = visit.link(REGISTERS[owed("policy").number].page, {"course": course, "show": "signed"})

    def with_outcome(outcome: Outcome) -> str:
        return visit.link("training-records", {"course": course, "show": _SHOW_OF[outcome]})

    values = {
        "state": state,
        "moment": moment,
        "course": str(course or ""),
        "courses": lines,
        "required": required,
        "done": done,
        "percent": 100 * done // required if required else None,
        "people": sum(counts["access"].values()) if course is None else None,
        **{show: number(show, counts) for show in ("open", "overdue", "unsigned", "expired")},
        "expiring": expiring[0][1],
        "completion": completion,
        "weeks": [
            (week, *(register_then(show, None if week is this_week else week.last_day) for show in _COMPLETION))
            for week in reversed(completion.weeks)
        ],
        "outcome_parts": charts.parts(
            [
                (wording.state(each.value), outcomes.get(each, 0), tone, with_outcome(each))
                for each, tone in _TONES.items()
            ]
        ),
        "age_bars": charts.bars(
            [(str(title), ages.get(age, 0), "bad", listed("overdue", age=age)) for age, title in AGE_TITLES.items()]
        ),
        "team_bars": charts.bars(late_teams[:TEAMS_LISTED]),
        "teams_more": max(len(late_teams) - TEAMS_LISTED, 0),
        "signature_parts": charts.parts(
            [
                (gettext("signed"), signatures.get("signed", 0), "good", signed),
                (gettext("to do"), signatures.get("to_do", 0), "calm", listed("unsigned")),
                (gettext("overdue"), signatures.get("overdue", 0), "bad", listed("unsigned-overdue")),
            ]
        ),
        "expiring_bars": charts.bars(
            [
                (gettext("in %(days)s days") % {"days": days}, number, "warn", listed(f"expiring-{days}"))
                for days, number in expiring
            ]
        ),
        "addresses": {show: listed(show) for show in SHOWS},
        "course_lines": [_course_line(visit, line) for line in lines],
        "exports": exports(visit, "dashboard"),
    }
    return visit.render("console/understand/dashboard.html", values)


def _by_week(counted: dict[str, int]) -> dict[date, int]:
    return {date.fromisoformat(week): number for week, number in counted.items()}


def _course_line(visit: Visit, line: queries.CourseLine) -> dict[str, Any]:
    """A row of the table of courses: how many of the required records are done, open and overdue."""
    count = line.counts.get
    signed = line.kind == "signature"
    done = count("signed", 0) if signed else sum(count(each, 0) for each in _DONE) - count(OPTIONAL_DONE, 0)
    undone = count("to_do", 0) if signed else count("not_due_yet", 0)
    whole = done + undone + count("overdue", 0)
    show = "unsigned-overdue" if signed else "overdue"
    return {
        "title": line.title,
        "kind": gettext("Policy") if signed else gettext("Course"),
        "done": done,
        "open": undone,
        "overdue": count("overdue", 0),
        "share": round(100 * done / whole, 2) if whole else 0,
        "percent": f"{100 * done // whole} %" if whole else "",
        "address": visit.link("work", {"show": show, "course": line.course_id}),
    }


def number(show: str, counts: queries.Tallies) -> int | None:
    """How many records a list holds, from the tallies; None where no tally counts them."""
    tally = SHOWS[show].tally
    return queries.add_up(counts, tally) if tally else None


def matrix(visit: Visit) -> HttpResponse:
    """The matrix: the state of each person in each course."""
    organization_id = visit.organization.organization_id
    state, moment = summary_state(visit)
    team = identifiers.asked(visit.request, "team")
    every = [line for line in queries.courses(organization_id) if line.kind == "outcome"]
    text = visit.request.GET.get("columns", "1")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1
    pages = max(-(-len(every) // COURSES_A_PAGE), 1)
    number = min(max(number, 1), pages)
    on_page = every[(number - 1) * COURSES_A_PAGE : number * COURSES_A_PAGE]
    people, last = queries.people(organization_id, team, keyset.after(visit.request, 2), PEOPLE_A_PAGE)
    visit.saw(each.learner_profile_id for each in people)
    cells = queries.cells(
        organization_id, [each.learner_profile_id for each in people], [each.course_id for each in on_page], moment
    )
    names = queries.teams(organization_id)
    query = visit.request.GET.copy()
    columns = []
    for each in range(1, pages + 1):
        query["columns"] = str(each)
        columns.append((each, query.urlencode()))
    values = {
        "state": state,
        "moment": moment,
        "team": str(team or ""),
        "teams": names,
        "courses_on_page": on_page,
        "number": number,
        "columns": columns,
        "courses_in_all": len(every),
        "total": queries.people_count(organization_id, team),
        "rows": [
            {
                "person": each,
                "teams": [names.get(str(one), "") for one in each.team_ids],
                "cells": [(course.title, cells.get((each.learner_profile_id, course.course_id))) for course in on_page],
            }
            for each in people
        ],
        "following": keyset.following(visit.request, last),
        "exports": exports(visit, "matrix"),
    }
    return visit.render("console/understand/matrix.html", values)


def exports(visit: Visit, what: str, **more: str) -> list[tuple[str, str]]:
    """The formats in which a page can be exported, with the address of each; none for staff who may not export."""
    if not visit.staff.may(Permission.EXPORT):
        return []
    query = visit.request.GET.copy()
    query.pop("after", None)
    query.update(more)
    text = f"?{query.urlencode()}" if query else ""
    return [(name, visit.address("export", what=what, written_as=kind) + text) for name, kind in _FORMATS]
