"""What a register is asked: by whom, pinned where, about which moment."""

import uuid
from datetime import datetime
from typing import NamedTuple


class Company(NamedTuple):
    """The tenant, as every row and snapshot names it."""

    organization_id: uuid.UUID
    deployment_id: uuid.UUID
    learning_space_id: uuid.UUID
    time_zone: str
    history_complete_from: datetime


class Pin(NamedTuple):
    """Where the history stood when the first page was read; every page of a pull keeps it."""

    sequence: int
    capture_sequence: int
    chain_hash: str
    captured_at: datetime
    logic_version: int


class Question(NamedTuple):
    """One read. `moment` is `as_at` or `to`; `start` is `from`; `personal` says whether names may be told."""

    company: Company
    pin: Pin
    moment: datetime
    start: datetime | None = None
    course: uuid.UUID | None = None
    personal: bool = False
    # What pages of the console narrow it to: one person, who was in a team at the moment, records by their number.
    learner: uuid.UUID | None = None
    team: uuid.UUID | None = None
    births: tuple[int, ...] | None = None

    @property
    def narrowed(self) -> bool:
        """Whether it asks for less than a whole register, of which totals are kept."""
        return any(each is not None for each in (self.course, self.learner, self.team, self.births))


class Position(NamedTuple):
    """Behind which record a page begins: its `birth`, after its publication where that comes first (policies)."""

    birth: int = 0
    published: int = 0
