"""A dry run: performs the act, lets the history decide, reads what it writes, and rolls everything back.

So a preview cannot differ from the act itself: it *is* the act, in a savepoint that is rolled back. If an act concerns
more people than a page may wait for, the preview only counts them.
"""

import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext, gettext_lazy

from compliance.catalogue import REGISTERS
from compliance.facts.courses.queries import titles_of
from compliance.facts.ledger import queries as ledger
from compliance.facts.people import queries as people
from compliance.files.actions import rehearsal
from compliance.history import queries as history
from compliance.history.actions import capture_all
from compliance.history.records import written_after
from compliance.interfaces.console.see.versions import Difference, difference
from compliance.rules.vocabulary import ERASED_PERSON

PEOPLE_AT_MOST = 600
ROWS_LISTED = 60
NAMED_AT_MOST = 20
"""How many people a preview names; the others are counted."""
ROWS_AT_MOST = 4000
WAITING_AT_MOST = 50
CROWDED = gettext_lazy(
    "The rules accept this. Much that was told before still waits to be captured, so the rows that it changes are not"
    " shown; look again in a minute to see them."
)


@dataclass(frozen=True)
class Line:
    """One row that the history would write."""

    register: str
    register_title: str
    record_id: uuid.UUID
    learner_profile_id: uuid.UUID | None
    person_name: str | None
    course_title: str | None
    difference: Difference


@dataclass
class Preview:
    """What would change. `lines` are the first of `rows`; `reaches` is the number of people where nothing was run."""

    rows: int = 0
    people: int = 0
    lines: list[Line] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    pairs: list[tuple[str, Any]] = field(default_factory=list)
    reaches: int | None = None
    difference: list[tuple[str, str]] = field(default_factory=list)
    named: list[str] = field(default_factory=list)  # the names of the first people whom it concerns
    seen: list[uuid.UUID] = field(default_factory=list)  # everybody whom it names anywhere, for the access log
    shares: bool = False  # `people` counts everybody whom a share reaches today, whatever rows they have already
    subject: str = ""  # who or what the confirming button names
    begun: int = 0  # for how many people a record of what they owe would begin

    def digest(self) -> str:
        """A digest of what it says, but the moments in its rows, which follow the clock."""
        numbers = [self.rows, self.people, self.reaches, self.begun]
        words = [*self.named, *self.seen, *self.notes, *self.warnings, *sum([*self.pairs, *self.difference], ())]
        return salted_hmac("compliance.console.preview", repr([*numbers, *map(str, words)])).hexdigest()


class _TakenBack(Exception):
    """Rolls back the savepoint of a dry run."""


def dry_run(organization_id: uuid.UUID, now: datetime, do: Callable[[], object]) -> Preview:
    """What `do` would change. Needs the company's context. Raises whatever `do` raises."""
    preview = Preview()
    try:
        with rehearsal(), transaction.atomic():
            caught_up = _caught_up(organization_id, now)
            sequence, last = history.sequence(organization_id), ledger.newest(organization_id)
            do()
            if _reaches_too_many(organization_id, last):
                preview.reaches = people.employees(organization_id, now)
            elif not caught_up:
                preview.warnings.append(str(CROWDED))
            else:
                capture_all(organization_id, now)
                _read(preview, organization_id, sequence)
            raise _TakenBack
    except _TakenBack:
        return preview


def _caught_up(organization_id: uuid.UUID, now: datetime) -> bool:
    """Captures what was recorded before the act, so that the preview is of the act alone. False if that is too much."""
    kinds = ledger.kinds_waiting(organization_id, WAITING_AT_MOST + 1)
    if len(kinds) > WAITING_AT_MOST:
        return False
    if ledger.concern_many_people(kinds) and _reaches_too_many(organization_id, 0):
        return False
    if kinds:
        capture_all(organization_id, now)
    return True


def _reaches_too_many(organization_id: uuid.UUID, last: int) -> bool:
    """Whether a pending fact fans out over a company too large to be decided during a request."""
    return ledger.is_wide(organization_id, last) and people.has_more_than(organization_id, PEOPLE_AT_MOST)


def _read(preview: Preview, organization_id: uuid.UUID, sequence: int) -> None:
    rows = written_after(organization_id, sequence, ROWS_AT_MOST)
    listed = rows[:ROWS_LISTED]
    reached = dict.fromkeys(row.learner_profile_id for row in rows if row.learner_profile_id)
    first = list(reached)[:NAMED_AT_MOST]
    preview.seen = [*dict.fromkeys([*first, *(row.learner_profile_id for row in listed if row.learner_profile_id)])]
    displayed_people = people.displayed_people(organization_id, preview.seen)
    preview.named = [called(displayed_people.get(each)) for each in first]
    titles = titles_of(organization_id, [row.course_id for row in listed])
    for row in listed:
        person = displayed_people.get(row.learner_profile_id) if row.learner_profile_id else None
        preview.lines.append(
            Line(
                register=REGISTERS[row.register].name,
                register_title=gettext(REGISTERS[row.register].title),
                record_id=row.record_id,
                learner_profile_id=row.learner_profile_id,
                person_name=None if person is None else ERASED_PERSON if person.erased else person.person_name,
                course_title=titles.get(row.course_id) if row.course_id else None,
                difference=difference(row.before, row.body, renamed=row.renamed),
            )
        )
    preview.rows = len(rows)
    preview.people = len(reached)
    begun = {row.learner_profile_id for row in rows if REGISTERS[row.register].owed and not row.before}
    preview.begun = len(begun)


def named(organization_id: uuid.UUID, learners: Collection[uuid.UUID]) -> list[str]:
    """The names of the first of these people, as many as a preview names. One statement, in the company's context."""
    first = list(learners)[:NAMED_AT_MOST]
    found = people.displayed_people(organization_id, first)
    return sorted((called(found.get(each)) for each in first), key=str.casefold)


def called(person: people.DisplayedPerson | None) -> str:
    """What a person is called in a preview."""
    if person is None:
        return gettext("No name")
    return ERASED_PERSON if person.erased else person.person_name or person.work_email or gettext("No name")
