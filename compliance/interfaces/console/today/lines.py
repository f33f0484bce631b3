"""The lines of the page of today: what there is to do, how many, where they are listed, and the act that finishes them.

A room writes a function that takes a Visit and gives Lines, in a constant number of statements, and is named in
`rooms.py`. A line without anything to do (`number` 0) is left out. A line has no act where the reader may not act.
"""

from dataclasses import dataclass
from enum import StrEnum

from compliance.interfaces.console.page import Words


class Heading(StrEnum):
    """The heading of the page under which a line is listed."""

    OWED = "owed"  # overdue, by course and policy
    TEAMS = "teams"  # overdue, by team
    WAITS = "waits"  # waits for the reader
    WEEK = "week"  # comes due within seven days


@dataclass(frozen=True, kw_only=True)
class Line:
    """`what` there is, and `number` of them, listed at `address`; `act` and `act_address` lead to what finishes it.

    With `posted`, the act is a button that posts these values to that address, such as a selection. `alarm` marks what
    cannot wait: these lines of a part are listed first, then the others, the greatest number first.
    """

    part: Heading
    what: Words
    number: int
    address: str
    note: Words = ""
    act: Words = ""
    act_address: str = ""
    posted: tuple[tuple[str, str], ...] = ()
    alarm: bool = False
