"""What people owe, from the summary that dashboards read: overdue by course, policy and team, and due this week."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from compliance.interfaces.console.acting.reminding import RemindOfCourse
from compliance.interfaces.console.today.lines import Line, Part
from compliance.interfaces.console.understand import queries
from compliance.interfaces.console.visit import Visit


def lines(visit: Visit) -> Iterator[Line]:
    """A line for each course, policy and team with something overdue, or due within seven days."""
    organization_id = visit.organization.organization_id
    tallies = queries.tallies(organization_id, None)
    yield from _of_courses(visit)
    yield from _of_teams(visit, tallies)
    yield Line(
        part=Part.WAITS,
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
            Part.OWED: (each.counts.get("overdue", 0), "unsigned-overdue" if policy else "overdue"),
            Part.WEEK: (due.get(each.course_id, 0), "unsigned" if policy else "due-7"),
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


def _reminder(visit: Visit, course_id: str) -> dict[str, str]:
    """The act that reminds everybody who owes it, for whoever may."""
    if not visit.staff.may(RemindOfCourse.permission):
        return {}
    return {"act": _("Remind"), "act_address": visit.link(f"act-{RemindOfCourse.name}", {"course_id": course_id})}


def _of_teams(visit: Visit, tallies: queries.Tallies) -> Iterator[Line]:
    names = queries.teams(visit.organization.organization_id)
    training, signatures = tallies["team"], tallies["unsigned-team"]
    for team in {*training, *signatures} & names.keys():  # people without a team are listed under their courses
        courses, policies = training.get(team, 0), signatures.get(team, 0)
        of_courses = ngettext("%(number)s course", "%(number)s courses", courses) % {"number": courses}
        of_policies = ngettext("%(number)s signature", "%(number)s signatures", policies) % {"number": policies}
        yield Line(
            part=Part.TEAMS,
            what=names[team],
            number=courses + policies,
            address=visit.link("work", {"show": "overdue" if courses else "unsigned-overdue", "team": team}),
            note=" · ".join([of_courses] * bool(courses) + [of_policies] * bool(policies)),
        )
