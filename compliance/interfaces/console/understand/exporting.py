"""What one sees, as a table to take away: the same filters, all pages, read a page at a time."""

import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import orjson
from django.http import HttpResponseBase

from compliance.interfaces.api import rows as shapes
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.moments import chosen
from compliance.interfaces.console.see.reading import READINGS
from compliance.interfaces.console.tables import answers
from compliance.interfaces.console.understand import reading
from compliance.interfaces.console.understand.filters import SHOWS, filters, identifier
from compliance.interfaces.console.understand.views import standing
from compliance.interfaces.console.visit import Visit
from compliance.registers import pages
from compliance.registers.pages import Listing
from compliance.registers.questions import Position, Question
from compliance.tenancy import context

ROWS_A_READ = 1000
_UNCOUNTED = 2**31

Table = tuple[list[str], Iterable[Iterable[Any]]]


def export(visit: Visit, what: str, written_as: str) -> HttpResponseBase:
    """A dashboard, a work list, a matrix or a register as CSV or XLSX."""
    if written_as not in answers.FORMATS:
        raise NothingThereError(f"There is no export as {written_as}.")
    make = {"dashboard": _dashboard, "work": _work, "matrix": _matrix}.get(what)
    if make is not None:
        headings, rows = make(visit)
    elif what in READINGS:
        headings, rows = _register(visit, what)
    else:
        raise NothingThereError(f"There is no export of {what}.")
    return answers.table(f"{what}-{visit.now:%Y-%m-%d}", written_as, headings, rows)


def _dashboard(visit: Visit) -> Table:
    organization_id = visit.organization.organization_id
    course = identifier(visit, "course")
    lines = [line for line in reading.courses(organization_id) if course is None or line.course_id == str(course)]
    return ["course_id", "course", "kind", "state", "records"], [
        [line.course_id, line.title, "policy" if line.kind == "signature" else "course", bucket, number]
        for line in lines
        for bucket, number in sorted(line.counts.items())
    ]


def _work(visit: Visit) -> Table:
    organization_id = visit.organization.organization_id
    _, moment = standing(visit)
    asked = filters(visit)
    names = reading.teams(organization_id)
    headings = [
        "list", "person_name", "email", "teams", "course", "since", "due_at", "days_left", "renewed",
        "learner_profile_id", "course_id", "record_id",
    ]  # fmt: skip

    def rows() -> Iterator[list[Any]]:
        after: tuple[datetime, int] | None = None
        while True:
            with context.company(organization_id):
                lines, last = reading.work(organization_id, asked.wanted(moment), after, ROWS_A_READ)
            for each in lines:
                yield [
                    SHOWS[asked.show].title, shown_name(each.person_name, each.erased), each.email,
                    [names.get(str(team), str(team)) for team in each.team_ids], each.course, each.begins_at,
                    each.due_at, each.days(moment), each.renewed or None,
                    str(each.learner_profile_id), each.course_id, str(each.record_id),
                ]  # fmt: skip
            if last is None:
                return
            after = datetime.fromisoformat(last[0]), last[1]

    return headings, rows()


def _matrix(visit: Visit) -> Table:
    organization_id = visit.organization.organization_id
    _, moment = standing(visit)
    team = identifier(visit, "team")
    names = reading.teams(organization_id)
    every = [line for line in reading.courses(organization_id) if line.kind == "outcome"]
    headings = ["person_name", "learner_profile_id", "access_state", "teams", *(line.title for line in every)]

    def rows() -> Iterator[list[Any]]:
        after: tuple[str, str] | None = None
        while True:
            with context.company(organization_id):
                people, after = reading.people(organization_id, team, after, ROWS_A_READ)
                learners = [each.learner_profile_id for each in people]
                cells = reading.cells(organization_id, learners, [line.course_id for line in every], moment)
            for each in people:
                found = [cells.get((each.learner_profile_id, line.course_id)) for line in every]
                yield [
                    each.person_name, str(each.learner_profile_id), each.access_state,
                    [names.get(str(one), str(one)) for one in each.team_ids],
                    *(cell.outcome if cell else None for cell in found),
                ]  # fmt: skip
            if after is None:
                return

    return headings, rows()


_SHAPES: dict[str, type[shapes.Shape]] = {
    "training-records": shapes.TrainingRecord,
    "period": shapes.TrainingRecord,
    "people": shapes.Person,
    "certificates": shapes.Certificate,
    "courses": shapes.CourseVersion,
    "policies": shapes.PolicyVersion,
    "policy-records": shapes.PolicyRecord,
    "acknowledgements": shapes.Receipt,
}


def _register(visit: Visit, register: str) -> Table:
    """All rows of a register page, with every field that the API gives; of policies all but the file."""
    course: uuid.UUID | None = identifier(visit, "course")
    reading = READINGS[register]
    question = chosen(visit, course=course, whole=reading.whole).question
    if not reading.by_period:
        question = question._replace(start=None)
    listing = reading.filtered(visit.request.GET.get("show", ""))
    columns = [name for name in _SHAPES[register].model_fields if name != "html"]
    found = _rows(listing, question)
    return columns, ([row.get(name) for name in columns] for row in found)


def _rows(listing: Listing, question: Question) -> Iterator[dict[str, Any]]:
    position: Position | None = Position()
    while position is not None:
        with context.company(question.company.organization_id):
            page = pages.page(listing, question, position, ROWS_A_READ, _UNCOUNTED)
        yield from orjson.loads(b"[" + page.content + b"]")
        position = page.position


def shown_name(person_name: str | None, erased: bool) -> str:
    """A name as pages show it."""
    return "Erased person" if erased else person_name or ""
