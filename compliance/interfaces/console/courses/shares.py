"""The list of shares, and a share's page: its audience, its deadline, and how many people have done it."""

import uuid
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from compliance.catalogue import owed
from compliance.facts.shares import listing
from compliance.facts.shares.listing import Shared
from compliance.interfaces.console import keyset
from compliance.interfaces.console.acting.reached import Reached, reached
from compliance.interfaces.console.courses import people
from compliance.interfaces.console.courses.doings import acts, policy_address
from compliance.interfaces.console.courses.states import state_of
from compliance.interfaces.console.errors import NothingThereError, UnreadableInputError
from compliance.interfaces.console.understand import of_course, queries
from compliance.interfaces.console.understand.of_course import EVERYBODY, Audience
from compliance.interfaces.console.understand.views import summary_state
from compliance.interfaces.console.visit import Visit

KINDS = {
    "": gettext_lazy("Courses and policies"),
    "training": gettext_lazy("Courses"),
    "policy": gettext_lazy("Policies"),
}
STATES = {"": gettext_lazy("Open"), "ended": gettext_lazy("Ended")}


def shares(visit: Visit) -> HttpResponse:
    """The company's shares, the newest first."""
    kind, state = visit.request.GET.get("kind", ""), visit.request.GET.get("state", "")
    if kind not in KINDS or state not in STATES:
        raise UnreadableInputError(_("There is no such list. Choose one from the form."))
    position = keyset.after(visit.request, 2)
    found, last = listing.listed(
        visit.organization.organization_id,
        visit.now,
        kind=kind,
        ended=state == "ended",
        after=(position[0], position[1]) if position else None,
        most=keyset.PAGE,
    )
    values = {
        "shares": found,
        "kind": kind,
        "kinds": KINDS,
        "chosen": state,
        "states": STATES,
        "following": keyset.following(visit.request, last),
        "acts": acts(visit, "assign", "share-course", "share-policy"),
    }
    return visit.render("console/courses/shares.html", values)


def share(visit: Visit, share_id: uuid.UUID) -> HttpResponse:
    """What is shared with whom, until when, and the people in its audience by state."""
    found = listing.share(visit.organization.organization_id, share_id, visit.now)
    if found is None:
        raise NothingThereError(_("This company has no such share."))
    visit.crumb(_("Shares"), "shares")
    policy = found.kind == "policy"
    values: dict[str, Any] = {
        "title": _("Share of {title}").format(title=found.lesson or found.title),
        "share": found,
        "register": owed("policy" if policy else "course").name,
        "about": (
            policy_address(visit, found.course_id) if policy else visit.address("course", course_id=found.course_id)
        ),
    }
    if found.ended_at is None:
        values |= _open(visit, found, "policy" if policy else "course")
    return visit.render("console/courses/share.html", values)


def _open(visit: Visit, found: Shared, of: str) -> dict[str, Any]:
    """The people in an open share's audience, and the acts on the share, for its page."""
    organization_id = visit.organization.organization_id
    state, moment = summary_state(visit)
    audience = _audience(visit, found)
    register = owed(of)
    if audience is EVERYBODY:
        counted = state_of(queries.states(organization_id, found.course_id, register.tally))
    else:
        counted = state_of(of_course.numbers(organization_id, register.number, found.course_id, audience, moment))
    asked = None if counted.everybody else _reached_uncounted(visit, found)
    values: dict[str, Any] = {
        "state": state,
        "reaches": asked.people if asked else None,
        "warnings": asked.warnings if asked else [],
        "acts": [
            *acts(visit, "remind-course", course_id=found.course_id),
            *acts(visit, "change-share", "end-share", share_id=found.share_id),
        ],
    }
    values |= people.listed(
        visit,
        register.number,
        found.course_id,
        audience,
        moment,
        counted,
        lambda word: visit.link("share", {"show": word}, share_id=found.share_id),
    )
    return values


def _audience(visit: Visit, found: Shared) -> Audience:
    if found.audience == "teams":
        return Audience(team_ids=found.team_ids)
    if found.audience == "people":
        named = listing.people_of(visit.organization.organization_id, found.share_id, visit.now)
        return Audience(learner_profile_ids=named)
    return EVERYBODY


def _reached_uncounted(visit: Visit, found: Shared) -> Reached:
    """Whom a share reaches when nobody has been counted yet, or why it reaches nobody.

    It is looked up only in that case, because the query goes through everybody.
    """
    if not found.published:
        words = _("“{title}” has no published version: nobody is asked until one is published.")
        return Reached(0, [], [words.format(title=found.title)])
    return reached(visit.organization.organization_id, found.share_id, visit.now)
