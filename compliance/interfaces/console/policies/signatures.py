"""How many people have signed a policy: counted exactly where that is quick, else the dashboard's last numbers.

For a company too large to be counted during a request, present numbers come from the dashboard's tables, and the
worker counts those of a past day, once.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from compliance.catalogue import owed
from compliance.interfaces.console import patience
from compliance.interfaces.console.moments import Chosen
from compliance.interfaces.console.see import counting, registers
from compliance.interfaces.console.understand import queries as kept
from compliance.registers import pages
from compliance.registers.listings import LISTINGS

RECORDS = LISTINGS[owed("policy").page]
STATES = ("signed", "to_do", "overdue")
"""The filters that together count everybody exactly once."""


@dataclass(frozen=True)
class Numbers:
    """Numbers of people who owe a policy, by state; `as_at` is when they were counted, None for just now."""

    signed: int = 0
    to_do: int = 0
    overdue: int = 0
    as_at: datetime | None = None

    @property
    def unsigned(self) -> int:
        """Those who have not signed, late or not."""
        return self.to_do + self.overdue

    @property
    def people(self) -> int:
        """Everybody who owes it."""
        return self.signed + self.unsigned

    @property
    def percent(self) -> int:
        """The percentage that has signed, rounded down: 100 means everybody."""
        return self.signed * 100 // self.people if self.people else 0


def _numbers(counts: Mapping[str, int], as_at: datetime | None = None) -> Numbers:
    signed, to_do, overdue = (counts.get(state, 0) for state in STATES)
    return Numbers(signed, to_do, overdue, as_at)


def of_all(when: Chosen) -> dict[uuid.UUID, Numbers]:
    """The numbers of every policy that anybody owes now, by its identifier."""
    if when.latest_sequence <= registers.LARGE and (exact := _counted(when)) is not None:
        return exact
    as_at = kept.state(when.question.company.organization_id).as_at
    return {
        uuid.UUID(line.course_id): _numbers(line.counts, as_at)
        for line in kept.courses(when.question.company.organization_id)
        if line.kind == "signature"
    }


def of_one(when: Chosen, course_id: uuid.UUID) -> Numbers | None:
    """The numbers of one policy at the chosen moment; None until the worker has counted them."""
    if when.latest_sequence <= registers.LARGE and (exact := _counted(when)) is not None:
        return exact.get(course_id, Numbers())
    if not when.travels:
        organization_id = when.question.company.organization_id
        found = kept.tallies(organization_id, course_id)["signature"]
        as_at = kept.state(organization_id).as_at
        return _numbers(found, as_at)
    counts = {state: counting.number(when.question, RECORDS.register.page, state) for state in STATES}
    known = {state: number for state, number in counts.items() if number is not None}
    return _numbers(known) if len(known) == len(counts) else None


def _counted(when: Chosen) -> dict[uuid.UUID, Numbers] | None:
    """Numbers counted now by policy, or of the question's only; None if counting takes too long."""
    found = patience.within(registers.COUNTED_MILLISECONDS, lambda: pages.numbers(RECORDS, when.question, STATES))
    if found is None:
        return None
    return {course_id: _numbers(numbers) for course_id, numbers in found.items()}
