"""Exports of console pages as CSV or XLSX: the same rows and columns in the same order, over all pages.

Columns of a list have the headings of its page. Days and moments are in the company's time zone, in a workbook as
dates. With `fields=all` a register is exported with every field of the API, identifiers included.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime
from typing import Any, TypeVar

import orjson
from django.http import HttpResponseBase
from django.utils.translation import gettext

from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Column
from compliance.facts.courses import queries as courses
from compliance.interfaces.console import identifiers, wording
from compliance.interfaces.console.errors import NothingThereError, UnreadableInputError
from compliance.interfaces.console.see.asking import asked_order, asked_when
from compliance.interfaces.console.selection import reading as selection
from compliance.interfaces.console.tables import answers
from compliance.interfaces.console.understand import queries
from compliance.interfaces.console.understand.filters import SHOWS, filters
from compliance.interfaces.console.understand.refreshing import OPTIONAL_DONE
from compliance.interfaces.console.understand.views import summary_state
from compliance.interfaces.console.visit import Visit
from compliance.registers import ordered, pages
from compliance.registers.listings import LISTINGS
from compliance.registers.pages import Listing
from compliance.registers.questions import Position, Question
from compliance.rules.vocabulary import ERASED_PERSON
from compliance.tenancy import context

ROWS_A_READ = 1000
SORTED_AT_MOST = 100_000
"""A register of more rows is exported in its own order only, not sorted by a column."""
_UNCOUNTED = 2**31

_WITHOUT_PEOPLE = ("dashboard", "courses", "policies")
"""Exports that hold no person's records."""

_LINKS = ("record", "receipt", "short")
"""Kinds of columns that hold only a link to a page or an identifier."""

After = TypeVar("After")
Row = TypeVar("Row")
Table = tuple[list[str], Iterable[Iterable[Any]]]


def export(visit: Visit, what: str, written_as: str) -> HttpResponseBase:
    """The dashboard, work list, matrix or a register as CSV or XLSX. A POST exports only a list's selected rows."""
    if written_as not in answers.FORMATS:
        raise NothingThereError(gettext("There is no export as %(format)s.") % {"format": written_as})
    visit.everybody = what not in _WITHOUT_PEOPLE
    record_numbers = None
    if visit.request.method == "POST":
        record_numbers = tuple(
            sorted({each.birth for each in selection.chosen(visit.organization, visit.request.POST).records})
        )
    if what == "dashboard":
        headings, rows = _dashboard(visit)
    elif what == "work":
        headings, rows = _work(visit, record_numbers, as_text=written_as == "csv")
    elif what == "matrix":
        headings, rows = _matrix(visit)
    elif what in LISTINGS:
        headings, rows = _register(visit, what, record_numbers, as_text=written_as == "csv")
    else:
        raise NothingThereError(gettext("There is no export of %(what)s.") % {"what": what})
    return answers.table(f"{what}-{visit.now.astimezone(visit.zone):%Y-%m-%d}", written_as, headings, rows)


def _dashboard(visit: Visit) -> Table:
    organization_id = visit.organization.organization_id
    course = identifiers.asked(visit.request, "course")
    lines = [line for line in queries.courses(organization_id) if course is None or line.course_id == str(course)]
    return ["course_id", "course", "kind", "state", "records"], [
        [line.course_id, line.title, "policy" if line.kind == "signature" else "course", bucket, number]
        for line in lines
        for bucket, number in sorted(line.counts.items())
        if bucket != OPTIONAL_DONE
    ]


def _work(visit: Visit, record_numbers: tuple[int, ...] | None, *, as_text: bool) -> Table:
    """The work list, with the columns of its page."""
    organization_id = visit.organization.organization_id
    _state, moment = summary_state(visit)
    asked = filters(visit)
    wanted = replace(asked.wanted(moment), record_numbers=record_numbers)
    names = queries.teams(organization_id)
    what = SHOWS[asked.show]
    register = REGISTERS[wanted.register]
    of = {"course": gettext("Course"), "policy": gettext("Policy")}.get(register.owed, gettext("Certificate"))
    headings = [
        gettext("Person"), gettext("Teams"), of, gettext("Due by") if register.owed else gettext("Valid until"),
        gettext("Days late") if what.overdue else gettext("Days left"),
    ]  # fmt: skip

    def read(after: tuple[str, int] | None) -> tuple[list[list[Any]], tuple[str, int] | None]:
        lines, last = queries.work(
            organization_id, wanted, after, ROWS_A_READ, sort=asked.sort, descending=asked.descending
        )
        return [
            [
                _name(each.person_name, each.erased),
                [names[str(team)] for team in each.team_ids if str(team) in names], each.course,
                _day(visit, each.due_at, as_text=as_text), _days(each.days(moment), late=what.overdue),
            ]
            for each in lines
        ], last  # fmt: skip

    return headings, _paged(organization_id, read)


def _days(days: int | None, *, late: bool) -> int | None:
    return None if days is None else -days if late else days


def _matrix(visit: Visit) -> Table:
    organization_id = visit.organization.organization_id
    _state, moment = summary_state(visit)
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


def _register(visit: Visit, page: str, record_numbers: tuple[int, ...] | None, *, as_text: bool) -> Table:
    """A register, with the filters, the order and the columns of its page."""
    listing = LISTINGS[page]
    question = asked_when(visit, listing.register, identifiers.asked(visit.request, "person")).question
    order = asked_order(visit, listing)
    listing = listing.filtered(visit.request.GET.get("show", ""))
    if record_numbers is not None:
        question = question._replace(record_numbers=record_numbers)
    rows = _rows(listing, question) if order is None else _sorted_rows(listing, question, order)
    if visit.request.GET.get("fields") == "all":
        names = listing.register.fields
        return names, ([row.get(name) for name in names] for row in rows)
    exported = [column for column in listing.register.listed if column.kind not in _LINKS]
    titles = _Titles(question.company.organization_id)
    return [gettext(column.heading) for column in exported], (
        [_cell(visit, column, row, titles, as_text=as_text) for column in exported] for row in rows
    )


def _rows(listing: Listing, question: Question) -> Iterator[dict[str, Any]]:
    def read(after: Position | None) -> tuple[list[dict[str, Any]], Position | None]:
        page = pages.page(listing, question, after or Position(), ROWS_A_READ, _UNCOUNTED)
        return orjson.loads(b"[" + page.content + b"]"), page.position

    return _paged(question.company.organization_id, read)


def _sorted_rows(listing: Listing, question: Question, order: ordered.Order) -> Iterator[dict[str, Any]]:
    """The rows in the order of a column. Raises UnreadableInputError where they are too many to sort."""
    places = ordered.places(listing, question, order, None, SORTED_AT_MOST + 1)
    if len(places) > SORTED_AT_MOST:
        raise UnreadableInputError(
            gettext("These are too many rows to sort. Choose a team, a course or a policy first, or do not sort them.")
        )

    def read() -> Iterator[dict[str, Any]]:
        for start in range(0, len(places), ROWS_A_READ):
            record_numbers = [each.birth for each in places[start : start + ROWS_A_READ]]
            of_these = question._replace(record_numbers=tuple(sorted(record_numbers)))
            by_number = dict(zip(sorted(record_numbers), _rows(listing, of_these), strict=True))
            yield from (by_number[number] for number in record_numbers)

    return read()


class _Titles:
    """Current titles of the company's courses, read once."""

    def __init__(self, organization_id: uuid.UUID) -> None:
        self._organization_id = organization_id
        self._found: dict[str, str] | None = None

    def of(self, course_id: str) -> str:
        """The title of a course; empty for an unknown one."""
        if self._found is None:
            with context.company(self._organization_id):
                found = courses.titles(self._organization_id, None, None)
            self._found = {str(each.course_id): each.title for each in found}
        return self._found.get(course_id, "")


def _cell(visit: Visit, column: Column, row: dict[str, Any], titles: _Titles, *, as_text: bool) -> Any:
    """A cell's value as the page displays it."""
    value = row.get(column.name)
    if column.kind == "person":
        return _name(value, value == ERASED_PERSON)
    if column.kind == "course":
        return titles.of(str(value))
    if value is None:
        return None
    if column.kind == "day":
        return _day(visit, value, as_text=as_text)
    if column.kind == "moment":
        local = datetime.fromisoformat(value).astimezone(visit.zone)
        return f"{local:%Y-%m-%d %H:%M}" if as_text else local.replace(tzinfo=None, second=0, microsecond=0)
    if column.kind == "list":
        return [wording.state(each) for each in value]
    return wording.state(value) if column.kind in ("outcome", "badge", "word") else value


def _day(visit: Visit, value: datetime | str | None, *, as_text: bool) -> date | str | None:
    """A day in the company's time zone: a date for a workbook, text like 2026-03-31 for CSV."""
    if value is None:
        return None
    if isinstance(value, str) and len(value) == len("2026-03-31"):
        day = date.fromisoformat(value)
    else:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
        day = moment.astimezone(visit.zone).date()
    return day.isoformat() if as_text else day


def _paged(organization_id: uuid.UUID, read: Callable[[After | None], tuple[list[Row], After | None]]) -> Iterator[Row]:
    """The rows of all pages. Each page is read in its own transaction and begins where the one before it ended."""
    after: After | None = None
    while True:
        with context.company(organization_id):
            rows, after = read(after)
        yield from rows
        if after is None:
            return


def _name(person_name: str | None, erased: bool) -> str:
    """A name as pages display it."""
    return gettext("Erased person") if erased else person_name or gettext("No name")
