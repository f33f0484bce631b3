"""Learners of a course: who has begun, how far each is, and which questions are missed most.

What is shown is how things are now, from what the learners' pages keep; completions are facts, and the registers have
them. An auditor sees numbers alone where fewer than five people have begun: they would say who answered what.
"""

import uuid
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext, gettext_lazy

from compliance.facts.courses import queries as courses_queries
from compliance.interfaces.console import identifiers, keyset
from compliance.interfaces.console.acting.learning import MoreAttempts
from compliance.interfaces.console.acting.registry import offered
from compliance.interfaces.console.errors import NothingThereError, UnreadableInputError
from compliance.interfaces.console.permissions import AUDITOR
from compliance.interfaces.console.understand import queries
from compliance.interfaces.console.visit import Visit
from compliance.learning import courses as learning
from compliance.learning import figures
from compliance.learning.errors import NoContentError
from compliance.learning.figures import Figures, Learner, Missed

FEWEST_NAMED = 5
"""Where fewer people have begun, an auditor sees numbers alone."""

STATES = {
    "": gettext_lazy("Everybody who has begun"),
    "begun": gettext_lazy("Under way"),
    "finished": gettext_lazy("Finished"),
    "voided": gettext_lazy("Voided"),
}
MISSED_SHOWN = 10


def courses(visit: Visit) -> HttpResponse:
    """The courses that people take."""
    found = figures.courses_taken(visit.organization.organization_id, visit.now)
    return visit.render("console/understand/learning.html", {"courses": found})


def learners(visit: Visit, course_id: uuid.UUID) -> HttpResponse:
    """One course: numbers, questions, people."""
    organization_id = visit.organization.organization_id
    title = courses_queries.titles_of(organization_id, [course_id]).get(course_id)
    if title is None:
        raise NothingThereError(gettext("This company knows no course %(course_id)s.") % {"course_id": course_id})
    team = identifiers.asked(visit.request, "team")
    state = visit.request.GET.get("state", "")
    if state not in STATES:
        raise UnreadableInputError(gettext("There is no such list. Choose one from the form."))
    visit.crumb(gettext("Courses being taken"), "learning")
    counted = figures.figures(organization_id, course_id, visit.now, team)
    named = AUDITOR not in visit.staff.groups or counted.begun >= FEWEST_NAMED
    shown: list[Learner] = []
    last = None
    if named:
        shown, last = figures.learners(
            organization_id,
            course_id,
            visit.now,
            team_id=team,
            state=state,
            after=_after(visit),
            most=keyset.PAGE,
        )
        visit.saw(each.learner_profile_id for each in shown)
    missed = _missed(organization_id, course_id, visit.now, team, counted) if named else []
    values: dict[str, Any] = {
        "title": title,
        "course_id": course_id,
        "counted": counted,
        "named": named,
        "fewest": FEWEST_NAMED,
        "team": str(team or ""),
        "teams": queries.teams(organization_id),
        "state": state,
        "states": STATES,
        "missed": missed[:MISSED_SHOWN],
        "learners": [(each, _more(visit, each)) for each in shown],
        "following": keyset.following(visit.request, last),
        "acts": offered(visit, "course", course_id=course_id),
        "work": visit.link("work", {"show": "open", "course": course_id, "team": team}),
    }
    return visit.render("console/understand/learners.html", values)


def _after(visit: Visit) -> tuple[datetime, int] | None:
    position = keyset.after(visit.request, 2)
    return (datetime.fromisoformat(position[0]), position[1]) if position else None


def _missed(
    organization_id: uuid.UUID, course_id: uuid.UUID, now: datetime, team: uuid.UUID | None, counted: Figures
) -> list[Missed]:
    """The questions that anybody missed, of the version that was begun last."""
    try:
        content = learning.content(organization_id, counted.course_release_id)
    except NoContentError:
        return []
    return [each for each in figures.missed(organization_id, course_id, content, now, team) if each.wrong]


def _more(visit: Visit, each: Learner) -> str:
    """The address at which this person is given more attempts; "" where they need none, or where one may not."""
    if not each.out_of_attempts or not visit.staff.may(MoreAttempts.permission):
        return ""
    filled = {
        "learner_profile_id": each.learner_profile_id,
        "question": f"{each.take_id}/{each.out_of_attempts[0]}",
    }
    return visit.link(f"act-{MoreAttempts.name}", filled)
