"""The list of teams, and a team's page: its people and what they owe, its history, and the acts on it."""

import uuid
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _

from compliance.facts.people import team_queries
from compliance.interfaces.console import keyset
from compliance.interfaces.console.acting.registry import ACTS, offered
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.selection.bar import bar
from compliance.interfaces.console.understand import queries as counted
from compliance.interfaces.console.understand import teams as numbers
from compliance.interfaces.console.visit import Visit

MOVES_LISTED = 20
REMINDS = "remind-many"
REMINDED_AT_MOST = 2000
"""How many people a team's page looks at for a reminder, and how many late records it hands over; for more there is
the work list."""


def teams(visit: Visit) -> HttpResponse:
    """The teams by name, each with how many people are in it and how many of their records are late.

    Search words are posted; the next page gets them from its sealed place.
    """
    organization_id = visit.organization.organization_id
    *after, wanted = keyset.after(visit.request, 3) or ("",)
    if visit.request.method == "POST":
        after, wanted = [], visit.request.POST.get("q", "").replace("\0", "").strip()[:200]
    found, last = team_queries.teams_page(
        organization_id, wanted.split(), (after[0], uuid.UUID(after[1])) if after else None, keyset.PAGE
    )
    known = numbers.counts(organization_id, [each.team_id for each in found])
    values: dict[str, Any] = {
        "teams": [(each, known[each.team_id]) for each in found],
        "wanted": wanted,
        "state": counted.state(organization_id),
        "following": keyset.following(visit.request, (*last, wanted) if last else None),
        "acts": offered(visit, "teams"),
    }
    return visit.render("console/people/teams.html", values)


def team(visit: Visit, team_id: uuid.UUID) -> HttpResponse:
    """One team: the people in it, what each has to do, and links to the lists and acts about it."""
    organization_id = visit.organization.organization_id
    found = team_queries.team(organization_id, team_id)
    if found is None:
        raise NothingThereError(_("This company has no such team."))
    visit.crumb(_("Teams"), "teams")
    after = keyset.after(visit.request, 2)
    members, last = team_queries.members_page(
        organization_id, team_id, visit.now, (after[0], uuid.UUID(after[1])) if after else None, keyset.PAGE
    )
    moved = team_queries.moved(organization_id, team_id, visit.now, MOVES_LISTED)
    visit.saw(each.learner_profile_id for each in members)
    visit.saw(each.learner_profile_id for each in moved)
    to_do = numbers.to_do(organization_id, [each.learner_profile_id for each in members], visit.now)
    nothing = numbers.ToDo()
    everybody = team_queries.members(organization_id, team_id, visit.now, REMINDED_AT_MOST + 1)
    late = numbers.late(organization_id, everybody, visit.now, REMINDED_AT_MOST + 1)
    values: dict[str, Any] = {
        "title": found.name,
        "team": found,
        "state": counted.state(organization_id),
        "counts": numbers.counts(organization_id, [team_id])[team_id],
        "members": [(each, to_do.get(each.learner_profile_id, nothing)) for each in members],
        "moved": moved,
        "overdue": visit.link("work", {"show": "overdue", "team": team_id}),
        "unsigned": visit.link("work", {"show": "unsigned-overdue", "team": team_id}),
        "following": keyset.following(visit.request, last),
        "bar": bar(visit, "people") if members else None,
        "acts": offered(visit, "team", team_id=team_id, into=team_id),
        "late": late if max(len(everybody), len(late)) <= REMINDED_AT_MOST else [],
        "reminding": visit.address(f"act-{REMINDS}") if visit.staff.may(ACTS[REMINDS].permission) else "",
    }
    return visit.render("console/people/team.html", values)
