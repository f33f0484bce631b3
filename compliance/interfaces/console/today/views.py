"""The first page of the console and the first page of a company."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy

from compliance.interfaces.console.page import Words
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.today.lines import Heading, Line
from compliance.interfaces.console.today.rooms import ROOMS
from compliance.interfaces.console.understand import queries
from compliance.interfaces.console.visit import Visit
from compliance.tenancy.queries import only_company

_TILES = ("overdue", "unsigned-overdue", "due-7", "unsigned-7")
"""The work lists to which tiles lead; each tile has the number of its list."""
LISTED = 6
"""How many lines of a part are visible; the others are folded."""


@dataclass(frozen=True)
class _Heading:
    """A part of the page: its heading, and its text when it is empty."""

    part: Heading
    title: Words
    nothing: Words


_HEADINGS = (
    _Heading(
        Heading.OWED,
        gettext_lazy("Overdue, by course and policy"),
        gettext_lazy("Nothing is overdue."),
    ),
    _Heading(Heading.TEAMS, gettext_lazy("Overdue, by team"), gettext_lazy("No team has anything overdue.")),
    _Heading(Heading.WAITS, gettext_lazy("Waits for you"), gettext_lazy("Nothing waits for you.")),
    _Heading(
        Heading.WEEK,
        gettext_lazy("Due within seven days"),
        gettext_lazy("Nothing comes due within seven days."),
    ),
)

_STARTS: tuple[tuple[str, Words], ...] = (
    ("act-assign", gettext_lazy("Assign a course or policy")),
    ("act-import-people", gettext_lazy("Add people")),
    ("act-remind-course", gettext_lazy("Send reminders")),
    ("act-record-absence", gettext_lazy("Excuse while away")),
    ("act-record-completion", gettext_lazy("Record a completion")),
    ("act-send-link", gettext_lazy("Send a link")),
)
"""The acts that people begin most often, by page name. Staff see those that they may open."""

_READS: tuple[tuple[str, Words], ...] = (
    ("audit", gettext_lazy("The auditor's room")),
    ("reports", gettext_lazy("What changed since the last audit")),
    ("matrix", gettext_lazy("Who did what")),
    ("acknowledgements", gettext_lazy("Signed receipts")),
    ("log", gettext_lazy("Who saw and did what")),
    ("history", gettext_lazy("Is the history intact?")),
)
"""The links for people who only read."""


def start(visit: Visit) -> HttpResponse:
    """Redirects to the page of today where the person sees one company only, else to the list of companies."""
    only = only_company(visit.staff.organization_ids)
    if only is None:
        return HttpResponseRedirect(visit.address("companies"))
    return HttpResponseRedirect(reverse("console:today", kwargs={"organization_id": only}))


def today(visit: Visit) -> HttpResponse:
    """What is overdue, what waits and what comes due: each with its number, the list of its rows and the act for it."""
    organization_id = visit.organization.organization_id
    state = queries.state(organization_id)
    tallies = queries.tallies(organization_id, None)
    found = [line for room in ROOMS for line in room(visit) if line.number]
    required, done = (sum(tallies[kind].values()) for kind in ("required", "done"))
    values = {
        "state": state,
        "overdue": tallies["outcome"].get("overdue", 0),
        "unsigned": tallies["signature"].get("overdue", 0),
        "due": tallies["week"].get("training", 0),
        "unsigned_due": tallies["week"].get("policy", 0),
        "percent": 100 * done // required if required else None,
        "people": sum(tallies["access"].values()),
        "addresses": {show: visit.link("work", {"show": show}) for show in _TILES},
        "parts": [_part(visit, heading, found) for heading in _HEADINGS],
        "starts": _starts(visit),
    }
    return visit.render("console/today/today.html", values)


def _part(visit: Visit, heading: _Heading, found: list[Line]) -> dict[str, Any]:
    lines = sorted(
        (line for line in found if line.part is heading.part),
        key=lambda line: (not line.alarm, -line.number, str(line.what)),
    )
    return {
        "name": heading.part.value,
        "title": heading.title,
        "nothing": heading.nothing,
        "lines": lines[:LISTED],
        "more": lines[LISTED:],
    }


def _starts(visit: Visit) -> list[tuple[Words, str]]:
    """The links that this person may begin with."""
    acts = visit.staff.may(Permission.CHANGE_PEOPLE)
    may = {page.name for page in visit.pages if visit.staff.may(page.permission)}
    return [(words, visit.address(name)) for name, words in (_STARTS if acts else _READS) if name in may]
