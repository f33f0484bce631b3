"""The list of courses, and a course's page: its state, who owes it, its versions, its shares and its history."""

import uuid
from typing import Any

from django.http import HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils.translation import gettext as _

from compliance.catalogue import owed
from compliance.facts.courses import versions
from compliance.facts.happenings import happenings
from compliance.facts.shares import listing
from compliance.history.projections.courses import release_row_id
from compliance.interfaces.console import identifiers, keyset
from compliance.interfaces.console.courses import people
from compliance.interfaces.console.courses.doings import acts, policy_address
from compliance.interfaces.console.courses.states import state_of
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.happened import in_words
from compliance.interfaces.console.understand import of_course, queries
from compliance.interfaces.console.understand.of_course import EVERYBODY, Audience
from compliance.interfaces.console.understand.views import summary_state
from compliance.interfaces.console.visit import Visit

VERSIONS_LISTED = 50
SHARES_LISTED = 50


def courses(visit: Visit) -> HttpResponse:
    """The company's courses by title, each with the state of its people."""
    organization_id = visit.organization.organization_id
    state, _moment = summary_state(visit)
    position = keyset.after(visit.request, 2)
    after = (position[0], position[1]) if position else None
    found, last = versions.listed(organization_id, visit.now, after, keyset.PAGE)
    counts = {line.course_id: line.counts for line in queries.courses(organization_id)}
    values = {
        "courses": [(each, state_of(counts.get(str(each.course_id), {}))) for each in found],
        "state": state,
        "following": keyset.following(visit.request, last),
        "acts": acts(visit, "assign", "publish-course"),
    }
    return visit.render("console/courses/courses.html", values)


def course(visit: Visit, course_id: uuid.UUID) -> HttpResponseBase:
    """The page of one course: its people by state, shares, versions and history. A policy redirects to its own page."""
    organization_id = visit.organization.organization_id
    found = versions.course(organization_id, course_id, visit.now)
    if found is None:
        raise NothingThereError(_("This company has no such course."))
    if found.kind == "policy":
        return HttpResponseRedirect(policy_address(visit, course_id))
    visit.crumb(_("Courses"), "courses")
    register = owed("course").number
    state, moment = summary_state(visit)
    team = identifiers.asked(visit.request, "team")
    audience = Audience(team_ids=[team]) if team else EVERYBODY
    if team:
        counted = state_of(of_course.numbers(organization_id, register, course_id, audience, moment))
    else:
        counted = state_of(queries.states(organization_id, course_id, "outcome"))
    every = versions.versions(organization_id, course_id, visit.now, VERSIONS_LISTED)
    shared = listing.of_course(organization_id, course_id, visit.now, SHARES_LISTED)
    values: dict[str, Any] = {
        "title": found.title,
        "course": found,
        "state": state,
        "team": str(team or ""),
        "teams": queries.teams(organization_id),
        "versions": [(each, release_row_id(organization_id, each.course_release_id)) for each in every],
        "newest": next((each for each in every if each.in_use), None),
        "shares": shared,
        "of_lessons": any(each.lesson_alone and each.ended_at is None for each in shared),
        "facts": in_words(happenings(organization_id, None, course_id), visit.zone),
        "acts": acts(
            visit, "assign", "remind-course", "record-completion", "void-completion", "publish-course",
            course_id=course_id,
        ),
    }  # fmt: skip
    values |= people.listed(
        visit,
        register,
        course_id,
        audience,
        moment,
        counted,
        lambda word: visit.link("course", {"show": word, "team": team}, course_id=course_id),
    )
    return visit.render("console/courses/course.html", values)
