"""Reads the address of a register's page, for pages and exports alike."""

import uuid
from dataclasses import replace

from django.utils.translation import gettext

from compliance.catalogue.declaration import Register, Window
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.errors import UnreadableInputError
from compliance.interfaces.console.moments import Chosen, chosen
from compliance.interfaces.console.visit import Visit
from compliance.registers import ordered
from compliance.registers.ordered import Order
from compliance.registers.pages import Listing


def asked_when(visit: Visit, declared: Register, learner: uuid.UUID | None) -> Chosen:
    """The moment and the filters in the address, except the filter word (`show`)."""
    course, team = (identifiers.asked(visit.request, name) for name in ("course", "team"))
    when = chosen(visit, course=course, learner=learner, whole=declared.window is Window.SINCE)
    question = when.question._replace(team=team)
    if declared.window.start is None:
        question = question._replace(start=None)
    return replace(when, question=question)


def asked_order(visit: Visit, listing: Listing) -> Order | None:
    """The order that the address asks for; None for the register's own order. Raises UnreadableInputError."""
    text = visit.request.GET.get("sort", "")
    if not text or listing.by_publication:
        return None
    order = Order(text.lstrip("-"), text.startswith("-"))
    if order.field not in ordered.sortable(listing.register):
        raise UnreadableInputError(gettext("This list cannot be sorted by that column."))
    return order
