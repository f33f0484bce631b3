"""Lists of the people who owe a course or a policy, by state, for the pages of courses and of shares."""

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from compliance.catalogue import owed
from compliance.facts.people import queries as people_queries
from compliance.interfaces.console import keyset
from compliance.interfaces.console.courses.states import LISTS, State, parts_of, tabs
from compliance.interfaces.console.errors import UnreadableInputError
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.selection import reading
from compliance.interfaces.console.selection.bar import Bar, bar
from compliance.interfaces.console.understand import of_course
from compliance.interfaces.console.understand.filters import Filters
from compliance.interfaces.console.understand.of_course import Audience, Owing
from compliance.interfaces.console.visit import Visit


def listed(
    visit: Visit,
    register: int,
    course_id: uuid.UUID,
    audience: Audience,
    moment: datetime,
    counted: State,
    address: Callable[[str], str],
) -> dict[str, Any]:
    """A page of the list that the address asks for; by default those who have not done it, the longest overdue first.
    `address` makes the addresses of the other lists. Raises UnreadableInputError.
    """
    organization_id = visit.organization.organization_id
    show = visit.request.GET.get("show", "open")
    if show not in LISTS:
        raise UnreadableInputError(_("There is no such list. Choose one of those above the people."))
    position = keyset.after(visit.request, 2)
    after = (datetime.fromisoformat(position[0]), int(position[1])) if position else None
    found, last = of_course.people(organization_id, register, course_id, show, audience, moment, after, keyset.PAGE)
    visit.saw(each.learner_profile_id for each in found)
    named = people_queries.named(organization_id, {team_id for each in found for team_id in each.team_ids})
    return {
        "show": show,
        "people": [(each, _teams(each, named)) for each in found],
        "counted": counted,
        "bar": _bar(visit, register, course_id, audience, moment, show, counted) if found else None,
        "tabs": tabs(counted, show, address),
        "parts": parts_of(counted, lambda word: f"{address(word)}#people"),
        "may_record": register == owed("course").number and visit.staff.may(Permission.CHANGE_RECORDS),
        "following": keyset.following(visit.request, last),
    }


_WORK = {
    ("course", "open"): "open",
    ("course", "overdue"): "overdue",
    ("policy", "open"): "unsigned",
    ("policy", "overdue"): "unsigned-overdue",
}
"""The work list with the same records as a list here: a selection of the whole list is looked up there."""


def _bar(
    visit: Visit, register: int, course_id: uuid.UUID, audience: Audience, moment: datetime, show: str, counted: State
) -> Bar | None:
    """The acts on people chosen in a list of those who have not done it; other lists have none.

    The whole list can be chosen where a work list has the same filters: everybody, or one team.
    """
    of = "course" if register == owed("course").number else "policy"
    work = _WORK.get((of, show))
    if work is None:
        return None
    teams = audience.team_ids or ()
    everything = ""
    if audience.learner_profile_ids is None and len(teams) < 2:
        asked = Filters(work, course_id, next(iter(teams), None), "")
        everything = reading.of_work(visit.organization.organization_id, asked, moment)
    total = counted.overdue if show == "overdue" else counted.open
    return bar(visit, owed(of).name, everything, total)


def _teams(each: Owing, named: dict[uuid.UUID, str]) -> list[tuple[uuid.UUID, str]]:
    """The teams of a person by name, for links on the page."""
    return [(team_id, name) for team_id, name in named.items() if team_id in each.team_ids]
