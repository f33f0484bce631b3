"""The page of a register as at any moment and as known at any capture, read by the API's own code."""

import uuid
from dataclasses import dataclass
from typing import Any

import orjson
from django.http import HttpResponseBase
from django.utils.translation import gettext

from compliance.catalogue.declaration import Register
from compliance.facts.courses import queries as courses
from compliance.facts.people import queries as people
from compliance.interfaces.console import filtering, keyset, patience
from compliance.interfaces.console.errors import NothingThereError, UnreadableInputError
from compliance.interfaces.console.see import columns, counting
from compliance.interfaces.console.see.asking import asked_order, asked_when
from compliance.interfaces.console.selection import reading as selection
from compliance.interfaces.console.selection.bar import bar
from compliance.interfaces.console.understand import queries as summary
from compliance.interfaces.console.understand.views import exports
from compliance.interfaces.console.visit import Visit
from compliance.registers import ordered, pages, totals
from compliance.registers.listings import LISTINGS
from compliance.registers.ordered import Order, Place
from compliance.registers.pages import Listing
from compliance.registers.questions import Position, Question
from compliance.rules.vocabulary import Scope

ROWS = 50
OFFERED_AT_MOST = 500
"""How many courses or policies, and how many teams, the filters offer."""
LOOKS = 4
"""How many batches of records are searched for rows before an empty page is returned, which links to the next batch."""

LARGE = 300_000
"""Rows of a history of more versions are not counted in the request: the page displays the last count."""

COUNTED_MILLISECONDS = 400
"""A count that takes longer is cancelled, and the page has no total: it must be answered within a second."""

SORTED_MILLISECONDS = 1500
"""Sorting that takes longer is cancelled, and the page explains what makes it possible."""


@dataclass(frozen=True)
class Found:
    """Rows of a page, the total (None: not counted), where the next page begins, and whether sorting was cancelled."""

    rows: list[dict[str, Any]]
    total: int | None
    last: tuple[Any, ...] | None
    unsorted: bool = False


def register(visit: Visit, register: str) -> HttpResponseBase:
    """A page of one register."""
    listing = LISTINGS.get(register)
    if listing is None:
        raise NothingThereError(gettext("There is no register %(name)s.") % {"name": register})
    asked = filtering.person(visit)
    if not isinstance(asked, filtering.PersonAsked):
        return asked
    declared = listing.register
    when = asked_when(visit, declared, asked.learner)
    question = when.question
    word = visit.request.GET.get("show", "")
    if word not in listing.filters:
        word = ""
    order = asked_order(visit, listing)
    large = when.latest_sequence > LARGE
    counted = None
    if large and not when.travels and not when.start and question.team is None and question.learner is None:
        counted = summary.counted(visit.organization.organization_id, register, word, question.course)
    counts = declared.few or not large or question.narrowed
    found = _found(visit, question, listing, word, order, counts=counts)
    total = found.total
    # The worker counts for a chosen moment only, since its rows do not change, and can filter by course only.
    worker_counts = total is None and not counted and bool(when.as_at) and not (question.team or question.learner)
    if worker_counts:
        total = counting.number(question, register, word)
    _name_courses(visit, found.rows)
    visit.saw(row.get("learner_profile_id") for row in found.rows)
    everything = selection.of_register(register, word, question) if found.rows else ""
    files = exports(visit, register)
    values: dict[str, Any] = {
        "title": gettext(declared.title),
        "name": register,
        "register": declared,
        "columns": columns.columns(visit, declared, order),
        "filters": listing.filters,
        "rows": found.rows,
        "unsorted": found.unsorted,
        "total": total,
        "counted": counted,
        "worker_counts": worker_counts,
        "when": when,
        "word": word,
        "asked": asked,
        "following": keyset.following(visit.request, found.last),
        "bar": bar(
            visit, declared.name, everything, total if total is not None or not counted else counted[0], files[:1]
        )
        if "learner_profile_id" in declared.row.model_fields
        else None,
        "exports": files,
        "every_field": exports(visit, register, fields="all"),
    }
    return visit.render("console/see/register.html", values | _offered(visit, declared, question))


def _offered(visit: Visit, declared: Register, question: Question) -> dict[str, Any]:
    """What the filters offer: courses or policies, and teams, where rows are about people."""
    organization_id, fields = visit.organization.organization_id, declared.row.model_fields
    found: dict[str, Any] = {"course": str(question.course or ""), "team": str(question.team or ""), "of_people": False}
    if "learner_profile_id" not in fields:
        return found
    found["of_people"] = True
    found["teams"] = people.team_names(organization_id, OFFERED_AT_MOST)
    if "course_id" in fields:
        found["of_policies"] = declared.scope is Scope.ACKNOWLEDGEMENTS_READ
        found["courses"] = courses.titles(
            organization_id, "policy" if found["of_policies"] else "training", OFFERED_AT_MOST
        )
    return found


def _name_courses(visit: Visit, rows: list[dict[str, Any]]) -> None:
    """Adds the current title of its course to each row."""
    wanted = {row["course_id"] for row in rows if row.get("course_id")}
    found = (
        courses.titles_of(visit.organization.organization_id, [uuid.UUID(each) for each in wanted]) if wanted else {}
    )
    named = {str(course_id): title for course_id, title in found.items()}
    for row in rows:
        row["course_name"] = named.get(row.get("course_id") or "", "")


def _found(
    visit: Visit, question: Question, listing: Listing, word: str, order: Order | None, *, counts: bool
) -> Found:
    if order is None:
        page, total, behind = read(question, listing, word, keyset.after(visit.request, 4), counts=counts)
        return Found(_rows(page), total, behind)
    position = keyset.after(visit.request, 5)
    if position is not None and position[0] != visit.request.GET["sort"]:
        raise UnreadableInputError(gettext("The address of this page was cut short. Go back to the first page."))
    after = Place(position[1], position[2]) if position else None
    total, served = (position[3], position[4]) if position else (None, 0)
    filtered = listing.filtered(word)
    if position is None and counts:
        total = _total(filtered, question, filtered=bool(word) or listing.register.few)
    elif total is not None and total < 0:
        total = None
    places = patience.within(SORTED_MILLISECONDS, lambda: ordered.places(filtered, question, order, after, ROWS + 1))
    if places is None:
        page, total, _last = read(question, listing, word, None, counts=counts)
        return Found(_rows(page), total, None, unsorted=True)
    listed = places[:ROWS]
    record_numbers = tuple(sorted(each.birth for each in listed))
    page = pages.page(filtered, question._replace(record_numbers=record_numbers), Position(), ROWS, ROWS)
    by_number = dict(zip(record_numbers, _rows(page), strict=False))
    last: tuple[Any, ...] | None = None
    if len(places) > ROWS:
        end = listed[-1]
        last = (visit.request.GET["sort"], end.key, end.birth, -1 if total is None else total, served + len(listed))
    return Found([by_number[each.birth] for each in listed if each.birth in by_number], total, last)


def _rows(page: pages.RegisterPage) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = orjson.loads(b"[" + page.content + b"]")
    return found


def read(
    question: Question,
    listing: Listing,
    word: str,
    position: tuple[int, ...] | None,
    *,
    counts: bool = True,
) -> tuple[pages.RegisterPage, int | None, tuple[int, ...] | None]:
    """A page of rows, how many the whole list holds (None: too many to count here), and where the next page begins.

    The position carries the total, so it is counted once per list.
    """
    few, listing = listing.register.few, listing.filtered(word)
    if position is None:
        total = _total(listing, question, filtered=bool(word) or few) if counts else None
        after, served = Position(), 0
    else:
        record_number, published, total, served = position
        after, total = Position(record_number, published), None if total < 0 else total
    left = 2**31 if total is None else total - served
    for _look in range(LOOKS):
        page = pages.page(listing, question, after, ROWS, left)
        if page.held or page.position is None:
            break
        after = page.position
    if page.position is None:
        return page, total, None
    served += page.held
    return page, total, (page.position.birth, page.position.published, -1 if total is None else total, served)


def _total(listing: Listing, question: Question, *, filtered: bool) -> int | None:
    """How many rows there are; None where counting them takes too long.

    `totals` keeps the number of rows of a whole register; the rows of a filter are counted here.
    """
    kept = not filtered and question.start is None and not question.narrowed
    return patience.within(COUNTED_MILLISECONDS, lambda: (totals.total if kept else pages.count)(listing, question))
