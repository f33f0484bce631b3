"""What one sees, as a table to take away: the same filters, all pages, read a page at a time."""

import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, TypeVar

import orjson
from django.http import HttpResponseBase

from compliance.catalogue.declaration import Window
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.moments import chosen
from compliance.interfaces.console.tables import answers
from compliance.interfaces.console.understand import queries
from compliance.interfaces.console.understand.filters import SHOWS, filters
from compliance.interfaces.console.understand.views import standing
from compliance.interfaces.console.visit import Visit
from compliance.registers import pages
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Position
from compliance.rules.vocabulary import ERASED_PERSON
from compliance.tenancy import context

ROWS_A_READ = 1000
_UNCOUNTED = 2**31

_OF_NOBODY = ("dashboard", "courses", "policies")
"""What no person's record is taken away with."""

After = TypeVar("After")
Row = TypeVar("Row")
Table = tuple[list[str], Iterable[Iterable[Any]]]


def export(visit: Visit, what: str, written_as: str) -> HttpResponseBase:
    """A dashboard, a work list, a matrix or a register as CSV or XLSX."""
    if written_as not in answers.FORMATS:
        raise NothingThereError(f"There is no export as {written_as}.")
    make = {"dashboard": _dashboard, "work": _work, "matrix": _matrix}.get(what)
    visit.everybody = what not in _OF_NOBODY
    if make is not None:
        headings, rows = make(visit)
    elif what in LISTINGS:
        headings, rows = _register(visit, what)
    else:
        raise NothingThereError(f"There is no export of {what}.")
    return answers.table(f"{what}-{visit.now:%Y-%m-%d}", written_as, headings, rows)


def _dashboard(visit: Visit) -> Table:
    organization_id = visit.organization.organization_id
    course = identifiers.asked(visit.request, "course")
    lines = [line for line in queries.courses(organization_id) if course is None or line.course_id == str(course)]
    return ["course_id", "course", "kind", "state", "records"], [
        [line.course_id, line.title, "policy" if line.kind == "signature" else "course", bucket, number]
        for line in lines
        for bucket, number in sorted(line.counts.items())
    ]


def _work(visit: Visit) -> Table:
    organization_id = visit.organization.organization_id
    _, moment = standing(visit)
    asked = filters(visit)
    names = queries.teams(organization_id)
    headings = [
        "list", "person_name", "email", "teams", "course", "since", "due_at", "days_left", "renewed",
        "learner_profile_id", "course_id", "record_id",
    ]  # fmt: skip

    def read(after: tuple[str, int] | None) -> tuple[list[list[Any]], tuple[str, int] | None]:
        begin = (datetime.fromisoformat(after[0]), after[1]) if after else None
        lines, last = queries.work(organization_id, asked.wanted(moment), begin, ROWS_A_READ)
        return [
            [
                SHOWS[asked.show].title, shown_name(each.person_name, each.erased), each.email,
                [names.get(str(team), str(team)) for team in each.team_ids], each.course, each.begins_at,
                each.due_at, each.days(moment), each.renewed or None,
                str(each.learner_profile_id), each.course_id, str(each.record_id),
            ]
            for each in lines
        ], last  # fmt: skip

    return headings, _paged(organization_id, read)


def _matrix(visit: Visit) -> Table:
    organization_id = visit.organization.organization_id
    _, moment = standing(visit)
    team = identifiers.asked(visit.request, "team")
    names = queries.teams(organization_id)
    every = [line for line in queries.courses(organization_id) if line.kind == "outcome"]
    headings = ["person_name", "learner_profile_id", "access_state", "teams", *(line.title for line in every)]

    def read(after: tuple[str, str] | None) -> tuple[list[list[Any]], tuple[str, str] | None]:
        people, last = queries.people(organization_id, team, after, ROWS_A_READ)
        learners = [each.learner_profile_id for each in people]
        cells = queries.cells(organization_id, learners, [line.course_id for line in every], moment)
        outcomes = {place: cell.outcome for place, cell in cells.items()}
        return [
            [
                each.person_name, str(each.learner_profile_id), each.access_state,
                [names.get(str(one), str(one)) for one in each.team_ids],
                *(outcomes.get((each.learner_profile_id, line.course_id)) for line in every),
            ]
            for each in people
        ], last  # fmt: skip

    return headings, _paged(organization_id, read)


def _register(visit: Visit, page: str) -> Table:
    """All rows of a register page, with every field that the API gives; of policies all but the file."""
    course: uuid.UUID | None = identifiers.asked(visit.request, "course")
    listing = LISTINGS[page]
    window = listing.register.window
    question = chosen(visit, course=course, whole=window is Window.SINCE).question
    if window.start is None:
        question = question._replace(start=None)
    listing = listing.filtered(visit.request.GET.get("show", ""))
    columns = listing.register.fields

    def read(after: Position | None) -> tuple[list[dict[str, Any]], Position | None]:
        page = pages.page(listing, question, after or Position(), ROWS_A_READ, _UNCOUNTED)
        return orjson.loads(b"[" + page.content + b"]"), page.position

    found = _paged(question.company.organization_id, read)
    return columns, ([row.get(name) for name in columns] for row in found)


def _paged(organization_id: uuid.UUID, read: Callable[[After | None], tuple[list[Row], After | None]]) -> Iterator[Row]:
    """The rows of all pages, each read in a transaction of its own from where the one before it ended."""
    after: After | None = None
    while True:
        with context.company(organization_id):
            rows, after = read(after)
        yield from rows
        if after is None:
            return


def shown_name(person_name: str | None, erased: bool) -> str:
    """A name as pages show it."""
    return ERASED_PERSON if erased else person_name or ""
