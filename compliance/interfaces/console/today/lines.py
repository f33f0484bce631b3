"""What a room says on the page of today: a line each, of what, how many, where they are listed, what finishes them.

A room writes a function that takes a Visit and gives Lines, in a constant number of statements, and names it in
`rooms.py`. A line without anything to do (`number` 0) is left out, and one that nobody looking may act on has no act.
"""

from dataclasses import dataclass
from enum import StrEnum

from compliance.interfaces.console.page import Words


class Heading(StrEnum):
    """Under which heading of the page a line is listed."""

    OWED = "owed"  # overdue, by course and policy
    TEAMS = "teams"  # overdue, by team
    WAITS = "waits"  # waits for whoever looks
    WEEK = "week"  # comes due within seven days


@dataclass(frozen=True, kw_only=True)
class Line:
    """`what` there is, and `number` of them, listed at `address`; `act` and `act_address` lead to what finishes it.

    What is `posted` to that address makes the act a button, such as a selection that is handed over. `alarm` marks what
    cannot wait; lines of a part are listed by it, then by their number.
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
