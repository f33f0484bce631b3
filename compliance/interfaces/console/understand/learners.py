"""Learners of a course: who has begun, how far each is, and which questions are missed most.

The numbers are current and come from the data of the learners' pages. Completions are facts and are in the registers.
Where fewer than five people have begun, an auditor sees only totals, because details would disclose who answered what.
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
"""Where fewer people have begun, an auditor sees only totals."""

STATES = {
    "": gettext_lazy("Everybody who has begun"),
    "begun": gettext_lazy("Under way"),
    "finished": gettext_lazy("Finished"),
    "voided": gettext_lazy("Voided"),
}
MISSED_LISTED = 10


def courses(visit: Visit) -> HttpResponse:
    """The page that lists the courses that people are taking."""
    found = figures.courses_taken(visit.organization.organization_id, visit.now)
    return visit.render("console/understand/learning.html", {"courses": found})


def learners(visit: Visit, course_id: uuid.UUID) -> HttpResponse:
    """The page of one course: totals, the questions missed most, and the learners."""
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
    listed: list[Learner] = []
    last = None
    if named:
        listed, last = figures.learners(
            organization_id,
            course_id,
            visit.now,
            team_id=team,
            state=state,
            after=_after(visit),
            most=keyset.PAGE,
        )
        visit.saw(each.learner_profile_id for each in listed)
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
        "missed": missed[:MISSED_LISTED],
        "learners": [(each, _more(visit, each)) for each in listed],
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
    """The questions, of the version begun most recently, that at least one person missed."""
    try:
        content = learning.content(organization_id, counted.course_release_id)
    except NoContentError:
        return []
    return [each for each in figures.missed(organization_id, course_id, content, now, team) if each.wrong]


def _more(visit: Visit, each: Learner) -> str:
    """The address of the act that gives this person more attempts; "" where they need none or staff may not act."""
    if not each.out_of_attempts or not visit.staff.may(MoreAttempts.permission):
        return ""
    filled = {
        "learner_profile_id": each.learner_profile_id,
        "question": f"{each.take_id}/{each.out_of_attempts[0]}",
    }
    return visit.link(f"act-{MoreAttempts.name}", filled)
