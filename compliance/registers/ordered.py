"""Sorts the records of a register by a field, or lists their identifiers, for pages of the console.

Both read every record that a question finds, so they are for questions that somebody has narrowed down. The caller
limits the time of the statement.
"""

import uuid
from typing import NamedTuple

from compliance.catalogue.declaration import Register
from compliance.facts.courses import queries as courses
from compliance.facts.people import queries as people
from compliance.history import in_force
from compliance.registers import pages
from compliance.registers.pages import Listing
from compliance.registers.questions import Question
from compliance.tenancy import sql

_COLUMNS = "v.state, v.state_before_end, v.begins_at, v.due_at, v.done_at, v.waived_at, v.ends_at, v.body"
_PERSON = f" {people.looked_up('r')}"
_COURSE = f" {courses.looked_up('r')}"
_TEXTS = {
    "person_name": ("lower(coalesce(p.person_name, ''))", _PERSON),
    "course_id": ("lower(coalesce(c.title, ''))", _COURSE),
    "policy_title": ("lower(v.body::json ->> 'policy_title')", ""),
}
"""Fields that are sorted by a text: its SQL, and the join with the room that has it. A policy is listed under the title
of the version, which the policy may no longer have."""


class Order(NamedTuple):
    """The field to sort by, and the direction; records without such a moment come last in both."""

    field: str
    descending: bool


class Place(NamedTuple):
    """The place of a record in an order: the sorted value as text, then its record number."""

    key: str
    birth: int


class Identified(NamedTuple):
    """A record by its identifiers."""

    record_id: uuid.UUID
    birth: int
    learner_profile_id: uuid.UUID | None


def sortable(register: Register) -> frozenset[str]:
    """The fields by which a register can be sorted."""
    moments = {field for field in register.columns.values() if field.endswith(("_at", "_until"))}
    return frozenset(column.name for column in register.listed) & (moments | _TEXTS.keys())


def places(listing: Listing, question: Question, order: Order, after: Place | None, limit: int) -> list[Place]:
    """The next places after `after`, at most `limit`, in the company's context."""
    if order.field in _TEXTS:
        (key, joined), kind = _TEXTS[order.field], "text"
    else:
        column = next(name for name, field in listing.register.columns.items() if field == order.field)
        last = "-infinity" if order.descending else "infinity"
        key, joined, kind = f"coalesce(v.{column}, '{last}'::timestamptz)", "", "timestamptz"
    way, beyond = ("DESC", "<") if order.descending else ("ASC", ">")
    behind = f"WHERE (r.key, r.birth) {beyond} (%(key)s::text::{kind}, %(birth)s)" if after else ""
    found = sql.fetch(
        f"SELECT r.key::text, r.birth FROM ("  # noqa: S608 - expressions of our own
        f"SELECT {key} AS key, r.birth FROM ({pages.candidates(question)}) r"
        f" CROSS JOIN LATERAL {pages.version(listing, _COLUMNS + listing.columns)} v{joined}"
        f" WHERE {in_force.PRESENT} AND {listing.condition}) r"
        f" {behind} ORDER BY r.key {way}, r.birth {way} LIMIT %(limit)s",
        pages.parameters(listing, question)
        | {"limit": limit, "key": after.key if after else None, "birth": after.birth if after else None},
    )
    return [Place(*row) for row in found]


def identified(listing: Listing, question: Question, limit: int) -> list[Identified]:
    """The identifiers of the records that a question finds, at most `limit`, in the company's context."""
    found = sql.fetch(
        f"SELECT r.record_id, r.birth, r.learner_profile_id FROM ({pages.candidates(question)}) r"  # noqa: S608 - expressions of our own
        f" CROSS JOIN LATERAL {pages.version(listing, _COLUMNS + listing.columns)} v"
        f" WHERE {in_force.PRESENT} AND {listing.condition} LIMIT %(limit)s",
        pages.parameters(listing, question) | {"limit": limit},
    )
    return [Identified(*row) for row in found]
