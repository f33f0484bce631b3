"""The columns of a register's page: their headings, which of them sort, and the place of each on a phone."""

from dataclasses import dataclass

from compliance.catalogue.declaration import Column, Register
from compliance.interfaces.console.visit import Visit
from compliance.registers import ordered
from compliance.registers.ordered import Order

_STATES = ("outcome", "state", "status", "access_state")
_MOMENTS = ("due_at", "valid_until", "signed_at", "joined_at", "published_at")


@dataclass(frozen=True)
class Headed:
    """A column and its place on a phone, where a row is a card of three lines (`table.lines` of console.css).

    `query` is the address query that sorts by it, `direction` its current direction (aria-sort).
    """

    column: Column
    place: str
    query: str = ""
    direction: str = ""


def columns(visit: Visit, declared: Register, order: Order | None) -> list[Headed]:
    """The columns of a register's page, with the links that sort by them."""
    sortable = ordered.sortable(declared) if not declared.few else frozenset()
    taken: set[str] = set()
    headed = {_place(column) for column in declared.listed}
    found = []
    for column in declared.listed:
        place = _place(column) if "title" in headed or column != declared.listed[0] else "title"
        place = "none" if place in taken else place
        taken.add(place)
        by_this = order is not None and order.field == column.name
        descending = by_this and order is not None and order.descending
        query = _sorted_by(visit, column.name if descending or not by_this else f"-{column.name}")
        direction = ("descending" if descending else "ascending") if by_this else ""
        found.append(Headed(column, place, query if column.name in sortable else "", direction))
    return found


def _place(column: Column) -> str:
    """The place of a column. The first column for a place gets it; the others appear on the page of the record only."""
    if column.kind in ("person", "policy"):
        return "title"
    if column.name in _STATES:
        return "state"
    if column.name in _MOMENTS:
        return "when"
    if column.kind in ("record", "receipt"):
        return "more"
    return "what" if column.kind in ("course", "text") else "none"


def _sorted_by(visit: Visit, sort: str) -> str:
    query = visit.request.GET.copy()
    query.pop("after", None)
    query["sort"] = sort
    return query.urlencode()
