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
    learner: uuid.UUID | None = None  # one person only: the console's pages about a person


class Position(NamedTuple):
    """Behind which record a page begins: its `birth`, after its publication where that comes first (policies)."""

    birth: int = 0
    published: int = 0
