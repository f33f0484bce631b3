"""Dashboard, work list and matrix (issue 8, part 2): how a company stands today, from what is kept for it.

Each says as at which moment its numbers are; all of them use that one moment, so they agree with each other.
"""

from datetime import date, datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse

from compliance.interfaces.console import keyset
from compliance.interfaces.console.errors import UnreadableInputError
from compliance.interfaces.console.understand import charts, reading
from compliance.interfaces.console.understand.filters import AGE_TITLES, SHOWS, filters, identifier
from compliance.interfaces.console.understand.reading import State
from compliance.interfaces.console.understand.refreshing import WEEKS
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.console.who_may import Permission
from compliance.rules.vocabulary import Outcome

TEAMS_SHOWN = 12
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
_COMPLETION = ("required", "required-done")
_DONE = (Outcome.COMPLETED_ON_TIME, Outcome.COMPLETED_BEFORE_REQUIREMENT, Outcome.COMPLETED_LATE)


def standing(visit: Visit) -> tuple[State, datetime]:
    """How far the company's standing is, and the moment its pages speak of."""
    found = reading.state(visit.organization.organization_id)
    return found, found.as_at or visit.now


def dashboard(visit: Visit) -> HttpResponse:
    """The company in charts."""
    organization_id = visit.organization.organization_id
    state, moment = standing(visit)
    course = identifier(visit, "course")
    counts = reading.tallies(organization_id, course)
    lines = reading.courses(organization_id)
    outcomes, ages, signatures, held = (counts[kind] for kind in ("outcome", "age", "signature", "certificate"))

    def listed(show: str, **more: str) -> str:
        given = {"show": show, "course": str(course) if course else ""} | more
        return f"{visit.address('work')}?{urlencode({name: value for name, value in given.items() if value})}"

    def register_then(show: str, day: date | None) -> str:
        given = {"as_at": day.isoformat() if day else "", "course": str(course or ""), "show": show}
        return (
            f"{visit.address('training-records')}?{urlencode({name: value for name, value in given.items() if value})}"
        )

    required = sum(counts["required"].values())
    done = sum(counts["done"].values())
    names = reading.teams(organization_id)
    late_teams = sorted(
        (
            (names.get(team, team[:8] or "No team"), number, "bad", listed("overdue", team=team) if team else "")
            for team, number in counts["team"].items()
        ),
        key=lambda each: (-each[1], each[0]),
    )  # fmt: skip
    within = [held.get(days, 0) for days in ("30", "60", "90")]
    expiring = list(zip((30, 60, 90), (sum(within[:1]), sum(within[:2]), sum(within)), strict=True))
    completion = charts.completion(
        _by_week(counts["required"]), _by_week(counts["done"]), reading.weeks(moment, visit.zone, WEEKS)
    )
    this_week = completion.weeks[-1]
    values = {
        "state": state,
        "moment": moment,
        "course": str(course or ""),
        "courses": lines,
        "required": required,
        "done": done,
        "percent": 100 * done // required if required else None,
        "people": sum(counts["access"].values()) if course is None else None,
        "open": outcomes.get(Outcome.OVERDUE, 0) + outcomes.get(Outcome.NOT_DUE_YET, 0),
        "overdue": outcomes.get(Outcome.OVERDUE, 0),
        "unsigned": signatures.get("to_do", 0) + signatures.get("overdue", 0),
        "expiring": expiring[0][1],
        "completion": completion,
        "weeks": [
            (week, *(register_then(show, None if week is this_week else week.last_day) for show in _COMPLETION))
            for week in reversed(completion.weeks)
        ],
        "outcome_parts": charts.parts(
            [(each.value.replace("_", " "), outcomes.get(each, 0), tone, "") for each, tone in _TONES.items()]
        ),
        "age_bars": charts.bars(
            [(title, ages.get(age, 0), "bad", listed("overdue", age=age)) for age, title in AGE_TITLES.items()]
        ),
        "team_bars": charts.bars(late_teams[:TEAMS_SHOWN]),
        "teams_more": max(len(late_teams) - TEAMS_SHOWN, 0),
        "signature_parts": charts.parts(
            [
                ("signed", signatures.get("signed", 0), "good", ""),
                ("to do", signatures.get("to_do", 0), "calm", listed("unsigned")),
                ("overdue", signatures.get("overdue", 0), "bad", listed("unsigned-overdue")),
            ]
        ),
        "expiring_bars": charts.bars(
            [(f"in {days} days", number, "warn", listed(f"expiring-{days}")) for days, number in expiring]
        ),
        "expired": held.get("expired", 0),
        "addresses": {show: listed(show) for show in SHOWS},
        "course_lines": [_course_line(visit, line) for line in lines],
        "exports": exports(visit, "dashboard"),
    }
    return visit.render("console/understand/dashboard.html", values)


def _by_week(counted: dict[str, int]) -> dict[date, int]:
    return {date.fromisoformat(week): number for week, number in counted.items()}


def _course_line(visit: Visit, line: reading.CourseLine) -> dict[str, Any]:
    """A course in the table of courses: how many do what."""
    count = line.counts.get
    signed = line.kind == "signature"
    done = count("signed", 0) if signed else sum(count(each, 0) for each in _DONE)
    undone = count("to_do", 0) if signed else count("not_due_yet", 0)
    whole = done + undone + count("overdue", 0)
    show = "unsigned-overdue" if signed else "overdue"
    return {
        "title": line.title,
        "kind": "Policy" if signed else "Course",
        "done": done,
        "open": undone,
        "overdue": count("overdue", 0),
        "share": round(100 * done / whole, 2) if whole else 0,
        "percent": f"{100 * done // whole} %" if whole else "",
        "address": f"{visit.address('work')}?show={show}&course={line.course_id}",
    }


def work(visit: Visit) -> HttpResponse:
    """What asks for something to be done, longest overdue first."""
    organization_id = visit.organization.organization_id
    state, moment = standing(visit)
    asked = filters(visit)
    wanted = asked.wanted(moment)
    lines, last = reading.work(organization_id, wanted, _after_work(visit), keyset.PAGE)
    names = reading.teams(organization_id)
    counts = reading.tallies(organization_id, asked.course)
    known = None if asked.team or asked.age else _number(asked.show, counts)
    values = {
        "state": state,
        "moment": moment,
        "asked": asked,
        "show": SHOWS[asked.show],
        "shows": [(name, show.title, _number(name, counts)) for name, show in SHOWS.items()],
        "ages": [(age, title, counts["age"].get(age, 0)) for age, title in AGE_TITLES.items()],
        "courses": reading.courses(organization_id),
        "teams": names,
        "total": reading.count(organization_id, wanted) if known is None else known,
        "lines": [
            {
                "line": each,
                "days": each.days(moment),
                "late": -min(each.days(moment) or 0, 0),
                "teams": [names.get(str(team), "") for team in each.team_ids],
            }
            for each in lines
        ],
        "register": {1: "training-records", 3: "certificates", 6: "policy-records"}[wanted.register],
        "following": keyset.following(visit.request, last),
        "exports": exports(visit, "work"),
    }
    return visit.render("console/understand/work.html", values)


def _number(show: str, counts: reading.Tallies) -> int | None:
    """How many a list holds of the course chosen, where the tallies tell."""
    held, outcomes, signatures = counts["certificate"], counts["outcome"], counts["signature"]
    known = {
        "overdue": outcomes.get("overdue", 0),
        "open": outcomes.get("overdue", 0) + outcomes.get("not_due_yet", 0),
        "unsigned-overdue": signatures.get("overdue", 0),
        "unsigned": signatures.get("overdue", 0) + signatures.get("to_do", 0),
        "expired": held.get("expired", 0),
        "expiring-30": held.get("30", 0),
        "expiring-60": held.get("30", 0) + held.get("60", 0),
        "expiring-90": held.get("30", 0) + held.get("60", 0) + held.get("90", 0),
    }
    return known.get(show)


def _after_work(visit: Visit) -> tuple[datetime, int] | None:
    position = keyset.after(visit.request, 2)
    if position is None:
        return None
    try:
        moment = datetime.fromisoformat(str(position[0]))
        if moment.tzinfo is None:
            raise ValueError
        return moment, int(position[1])
    except ValueError:
        raise UnreadableInputError("The address of this page was cut short. Go back to the first page.") from None


def matrix(visit: Visit) -> HttpResponse:
    """People by courses: where each stands with each."""
    organization_id = visit.organization.organization_id
    state, moment = standing(visit)
    team = identifier(visit, "team")
    every = [line for line in reading.courses(organization_id) if line.kind == "outcome"]
    text = visit.request.GET.get("columns", "1")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1
    pages = max(-(-len(every) // COURSES_A_PAGE), 1)
    number = min(max(number, 1), pages)
    shown = every[(number - 1) * COURSES_A_PAGE : number * COURSES_A_PAGE]
    position = keyset.after(visit.request, 2)
    after = (str(position[0]), _uuid_text(position[1])) if position else None
    people, last = reading.people(organization_id, team, after, PEOPLE_A_PAGE)
    cells = reading.cells(
        organization_id, [each.learner_profile_id for each in people], [each.course_id for each in shown], moment
    )
    names = reading.teams(organization_id)
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
        "shown": shown,
        "number": number,
        "columns": columns,
        "courses_in_all": len(every),
        "total": reading.people_count(organization_id, team),
        "rows": [
            {
                "person": each,
                "teams": [names.get(str(one), "") for one in each.team_ids],
                "cells": [(course.title, cells.get((each.learner_profile_id, course.course_id))) for course in shown],
            }
            for each in people
        ],
        "following": keyset.following(visit.request, last),
        "exports": exports(visit, "matrix"),
    }
    return visit.render("console/understand/matrix.html", values)


def _uuid_text(value: Any) -> str:
    from uuid import UUID

    try:
        return str(UUID(str(value)))
    except ValueError:
        raise UnreadableInputError("The address of this page was cut short. Go back to the first page.") from None


def exports(visit: Visit, what: str) -> list[tuple[str, str]]:
    """The formats that what one sees can be taken in, with the address of each; none for who may not."""
    if not visit.staff.may(Permission.EXPORT):
        return []
    query = visit.request.GET.copy()
    query.pop("after", None)
    text = f"?{query.urlencode()}" if query else ""
    return [(name.upper(), visit.address("export", what=what, written_as=name) + text) for name in ("csv", "xlsx")]
