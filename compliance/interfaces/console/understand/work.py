"""The work list: records that need something to be done, with acts on the selected rows."""

from typing import Any

from django.http import HttpResponseBase
from django.utils.translation import gettext

from compliance.catalogue import REGISTERS, owed
from compliance.interfaces.console import filtering, keyset, patience
from compliance.interfaces.console.errors import UnreadableInputError
from compliance.interfaces.console.selection import reading as selection
from compliance.interfaces.console.selection.bar import bar
from compliance.interfaces.console.understand import queries
from compliance.interfaces.console.understand.filters import AGE_TITLES, SHOWS, Filters, filters
from compliance.interfaces.console.understand.views import exports, number, summary_state
from compliance.interfaces.console.visit import Visit

SORTED_MILLISECONDS = 1500
"""Sorting that takes longer is cancelled: the list is in order of deadline, and the page says so."""


def work(visit: Visit) -> HttpResponseBase:
    """The page of the work list, longest overdue first unless sorted otherwise."""
    person = filtering.person(visit)
    if not isinstance(person, filtering.PersonAsked):
        return person
    organization_id = visit.organization.organization_id
    state, moment = summary_state(visit)
    asked = filters(visit)
    wanted = asked.wanted(moment)
    after = _after(visit, asked)
    found = patience.within(
        SORTED_MILLISECONDS,
        lambda: queries.work(organization_id, wanted, after, keyset.PAGE, sort=asked.sort, descending=asked.descending),
    )
    lines, last = found or queries.work(organization_id, wanted, None, keyset.PAGE)
    visit.saw(each.learner_profile_id for each in lines)
    names = queries.teams(organization_id)
    counts = queries.tallies(organization_id, asked.course)
    narrowed = bool(asked.team or asked.person)  # no tally is of a team's or a person's records alone
    known = None if narrowed or asked.age else number(asked.show, counts)
    total = queries.count(organization_id, wanted) if known is None else known
    register = REGISTERS[wanted.register]
    everything = selection.of_work(organization_id, asked, moment) if lines else ""
    files = exports(visit, "work")
    values: dict[str, Any] = {
        "state": state,
        "moment": moment,
        "asked": person,
        "filters": asked,
        "show": SHOWS[asked.show],
        "shows": [(name, show.title, None if narrowed else number(name, counts)) for name, show in SHOWS.items()],
        "ages": [
            (age, title, None if narrowed or asked.show != "overdue" else counts["age"].get(age, 0))
            for age, title in AGE_TITLES.items()
        ],
        "courses": queries.courses(organization_id),
        "teams": names,
        "total": total,
        "unsorted": found is None,
        "sorts": _sorts(visit, asked),
        "lines": [
            {
                "line": each,
                "days": each.days(moment),
                "late": -min(each.days(moment) or 0, 0),
                "teams": [names[str(team)] for team in each.team_ids if str(team) in names],
            }
            for each in lines
        ],
        "register": register.name,
        "certificates": not register.owed,
        "of_policies": register == owed("policy"),
        "following": keyset.following(visit.request, (_sort(asked), *last) if last and found else None),
        "exports": files,
        "bar": bar(visit, register.name, everything, total, files[:1]),
    }
    return visit.render("console/understand/work.html", values)


def _sort(asked: Filters) -> str:
    return f"-{asked.sort}" if asked.descending else asked.sort


def _after(visit: Visit, asked: Filters) -> tuple[str, int] | None:
    position = keyset.after(visit.request, 3)
    if position is None:
        return None
    if position[0] != _sort(asked):
        raise UnreadableInputError(gettext("The address of this page was cut short. Go back to the first page."))
    return position[1], position[2]


def _sorts(visit: Visit, asked: Filters) -> dict[str, tuple[str, str]]:
    """For each column that sorts: the query that sorts by it, and its current direction (aria-sort)."""
    found = {}
    for name in queries.SORTINGS:
        query = visit.request.GET.copy()
        query.pop("after", None)
        by_this = name == asked.sort
        query["sort"] = f"-{name}" if by_this and not asked.descending else name
        direction = ("descending" if asked.descending else "ascending") if by_this else ""
        found[name] = (f"?{query.urlencode()}", direction)
    return found
