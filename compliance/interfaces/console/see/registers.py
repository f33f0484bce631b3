"""Every register as at any chosen moment and as known at any capture, by the API's own code."""

from dataclasses import replace
from typing import Any

import orjson
from django.db import OperationalError, transaction
from django.http import HttpResponse
from psycopg.errors import QueryCanceled

from compliance.catalogue.declaration import Register, Window
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.courses import queries as courses
from compliance.interfaces.console import identifiers, keyset
from compliance.interfaces.console.acting.registry import offered as offered_acts
from compliance.interfaces.console.acting.reminding import RemindMany
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.moments import chosen
from compliance.interfaces.console.see import counting
from compliance.interfaces.console.understand import queries as standing
from compliance.interfaces.console.understand.views import exports
from compliance.interfaces.console.visit import Visit
from compliance.registers import pages, totals
from compliance.registers.listings import LISTINGS
from compliance.registers.pages import Listing
from compliance.registers.questions import Position, Question
from compliance.tenancy import sql

ROWS = 50
COURSES_AT_MOST = 500
LOOKS = 4
"""So often the next records are looked through before an empty page is shown, which leads to those after them."""

LARGE = 300_000
"""A history of more row versions is not counted while a reader waits: the page shows what was last counted of it."""

COUNTED_MILLISECONDS = 400
"""A count that takes longer is given up, and the page comes without a total: it must come within a second."""


def register(visit: Visit, register: str) -> HttpResponse:
    """A page of one register."""
    listing = LISTINGS.get(register)
    if listing is None:
        raise NothingThereError(f"There is no register {register}.")
    declared = listing.register
    course = identifiers.asked(visit.request, "course")
    when = chosen(visit, course=course, whole=declared.window is Window.SINCE)
    if declared.window.start is None:
        when = replace(when, question=when.question._replace(start=None))
    word = visit.request.GET.get("show", "")
    if word not in listing.filters:
        word = ""
    large = when.latest_sequence > LARGE
    counted = None
    if large and not when.travels and not when.start:
        counted = standing.counted(visit.organization.organization_id, register, word, course)
    position = keyset.after(visit.request, 4)
    page, total, last = read(when.question, listing, word, position, counts=declared.few or not large)
    # Only a chosen moment stays the same until the worker has counted.
    worker_counts = total is None and not counted and bool(when.as_at)
    if worker_counts:
        total = counting.number(when.question, register, word)
    rows: list[dict[str, Any]] = orjson.loads(b"[" + page.content + b"]")
    organization_id = visit.organization.organization_id
    offered = courses.titles(organization_id, None, COURSES_AT_MOST) if declared.by_course else []
    named = {str(each.course_id): each.title for each in offered}
    visit.saw(row.get("learner_profile_id") for row in rows)
    for row in rows:
        row["course_name"] = named.get(row.get("course_id", ""), "")
    values: dict[str, Any] = {
        "title": declared.title,
        "name": register,
        "register": declared,
        "filters": listing.filters,
        "rows": rows,
        "total": total,
        "counted": counted,
        "worker_counts": worker_counts,
        "when": when,
        "word": word,
        "course": str(course or ""),
        "courses": [(str(each.course_id), each.title) for each in offered if each.kind == "training"],
        "following": keyset.following(visit.request, last),
        "bulk": _offered_for_many(visit, declared),
        "all_chosen": visit.request.GET.get("choose") == "all",
        "choose_all": _with(visit, choose="all"),
        "choose_none": _with(visit, choose=""),
        "exports": exports(visit, register),
    }
    return visit.render("console/see/register.html", values)


def _offered_for_many(visit: Visit, declared: Register) -> list[dict[str, str]]:
    """The acts on chosen rows: all of them for training records, reminders alone for what is owed of policies."""
    acts = offered_acts(visit, "record")
    if declared.name == TRAINING_RECORDS.name:
        return acts
    return [each for each in acts if each["name"] == RemindMany.name] if declared.owed == "policy" else []


def read(
    question: Question,
    listing: Listing,
    word: str,
    position: tuple[int, ...] | None,
    *,
    counts: bool = True,
) -> tuple[pages.Page, int | None, tuple[int, ...] | None]:
    """A page of rows, how many the whole pull holds (None: too many to count here), and where the next page begins.

    The position carries the total, so it is counted once a pull.
    """
    few, listing = listing.register.few, listing.filtered(word)
    if position is None:
        total = _total(listing, question, filtered=bool(word) or few) if counts else None
        after, served = Position(), 0
    else:
        birth, published, total, served = position
        after, total = Position(birth, published), None if total < 0 else total
    left = 2**31 if total is None else total - served
    for _ in range(LOOKS):
        page = pages.page(listing, question, after, ROWS, left)
        if page.held or page.position is None:
            break
        after = page.position
    if page.position is None:
        return page, total, None
    served += page.held
    return page, total, (page.position.birth, page.position.published, -1 if total is None else total, served)


def _with(visit: Visit, **changed: str) -> str:
    """The query of this page with some values changed; empty ones are left out."""
    query = visit.request.GET.copy()
    for name, value in changed.items():
        query.pop(name, None)
        if value:
            query[name] = value
    return query.urlencode()


def _total(listing: Listing, question: Question, *, filtered: bool) -> int | None:
    """How many rows there are, None where counting them would keep a reader waiting.

    The number that `totals` keeps holds for a whole register; a filter of ours is counted by itself.
    """
    kept = not filtered and question.start is None and question.course is None
    try:
        with transaction.atomic():
            ((before, _),) = sql.fetch(
                "SELECT current_setting('statement_timeout'), set_config('statement_timeout', %s, true)",
                [str(COUNTED_MILLISECONDS)],
            )
            total = (totals.total if kept else pages.count)(listing, question)
            sql.fetch("SELECT set_config('statement_timeout', %s, true)", [before])
            return total
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            return None
        raise
