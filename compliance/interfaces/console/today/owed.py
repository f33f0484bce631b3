"""What people owe, from the summary that dashboards read: overdue by course, policy and team, and due this week."""

import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from compliance.interfaces.console.acting.reminding import RemindMany, RemindOfCourse
from compliance.interfaces.console.selection import reading
from compliance.interfaces.console.today.lines import Heading, Line
from compliance.interfaces.console.understand import queries
from compliance.interfaces.console.understand.filters import Filters
from compliance.interfaces.console.visit import Visit


def lines(visit: Visit) -> Iterator[Line]:
    """A line for each course, policy and team with something overdue, or due within seven days."""
    organization_id = visit.organization.organization_id
    tallies = queries.tallies(organization_id, None)
    yield from _of_courses(visit)
    yield from _of_teams(visit, tallies)
    yield Line(
        part=Heading.WAITS,
        what=_("Certificates that expire within 30 days"),
        number=tallies["certificate"].get("30", 0),
        address=visit.link("work", {"show": "expiring-30"}),
    )


def _of_courses(visit: Visit) -> Iterator[Line]:
    organization_id = visit.organization.organization_id
    due = queries.due_within_a_week(organization_id)
    for each in queries.courses(organization_id):
        policy = each.kind == "signature"
        numbers = {
            Heading.OWED: (each.counts.get("overdue", 0), "unsigned-overdue" if policy else "overdue"),
            Heading.WEEK: (due.get(each.course_id, 0), "unsigned-7" if policy else "due-7"),
        }
        for part, (number, show) in numbers.items():
            yield Line(
                part=part,
                what=each.title,
                number=number,
                address=visit.link("work", {"show": show, "course": each.course_id}),
                note=_("Policy") if policy else _("Course"),
                **_reminder(visit, each.course_id),
            )


def _reminder(visit: Visit, course_id: str) -> dict[str, Any]:
    """The act that reminds everybody who owes the course; none for staff who may not."""
    if not visit.staff.may(RemindOfCourse.permission):
        return {}
    return {"act": _("Remind"), "act_address": visit.link(f"act-{RemindOfCourse.name}", {"course_id": course_id})}


def _of_teams(visit: Visit, tallies: queries.Tallies) -> Iterator[Line]:
    """One line for courses and one for signatures: each is one list, and one act reminds of all of it."""
    names = queries.teams(visit.organization.organization_id)
    moment = queries.state(visit.organization.organization_id).as_at or visit.now
    for show, kind, note in (("overdue", "team", _("Courses")), ("unsigned-overdue", "unsigned-team", _("Signatures"))):
        for team in tallies[kind].keys() & names.keys():  # people without a team are listed under their courses
            yield Line(
                part=Heading.TEAMS,
                what=names[team],
                number=tallies[kind][team],
                address=visit.link("work", {"show": show, "team": team}),
                note=note,
                **_reminder_of_all(visit, Filters(show, None, uuid.UUID(team), ""), moment),
            )


def _reminder_of_all(visit: Visit, asked: Filters, moment: datetime) -> dict[str, Any]:
    """The act that reminds of everything in a list; none for staff who may not."""
    if not visit.staff.may(RemindMany.permission):
        return {}
    everything = reading.of_work(visit.organization.organization_id, asked, moment)
    return {
        "act": _("Remind"),
        "act_address": visit.address(f"act-{RemindMany.name}"),
        "posted": (("step", reading.STEP), (reading.EVERYTHING, everything)),
    }
