"""The question that a read of a register answers: the company, the pin, the moment."""

import uuid
from datetime import datetime
from typing import NamedTuple


class Company(NamedTuple):
    """The tenant, with the identifiers that every row and snapshot contains."""

    organization_id: uuid.UUID
    deployment_id: uuid.UUID
    learning_space_id: uuid.UUID
    time_zone: str
    history_complete_from: datetime


class Pin(NamedTuple):
    """The end of the history when the first page was read; every page of a pull uses it."""

    sequence: int
    capture_sequence: int
    chain_hash: str
    captured_at: datetime
    logic_version: int


class Question(NamedTuple):
    """One read. `moment` is `as_at` or `to`; `start` is `from`; `personal`: rows contain names and addresses."""

    company: Company
    pin: Pin
    moment: datetime
    start: datetime | None = None
    course: uuid.UUID | None = None
    personal: bool = False
    # Pages of the console narrow it to one person, to people who were in a team at the moment, or to record numbers.
    learner: uuid.UUID | None = None
    team: uuid.UUID | None = None
    record_numbers: tuple[int, ...] | None = None

    @property
    def narrowed(self) -> bool:
        """Whether it asks for less than a whole register, of which totals are kept."""
        return any(each is not None for each in (self.course, self.learner, self.team, self.record_numbers))


class Position(NamedTuple):
    """The record after which a page begins: its number and, where records come by publication, that moment too."""

    birth: int = 0
    published: int = 0
