"""Errors and notes about lines of a file: in memory while there are few, in a temporary database if there are many.

In a file of ten million lines all may be wrong, and each error is reported.
"""

import sqlite3
import weakref
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, overload

from compliance.facts.recording.temporary import temporary_database, write
from compliance.facts.refusal_reasons import RefusalReason

MOST_IN_MEMORY = 20_000

_TABLE = "CREATE TABLE reported (line INTEGER, reason TEXT, fact_id TEXT, fact TEXT, code TEXT)"
_IN_ORDER = "SELECT line, reason, fact_id, fact, code FROM reported ORDER BY line, reason"


class ReportedLine(NamedTuple):
    """An error or a note about a line of the file; `fact_id` and `fact` if the line states them.

    `code` is the error's; a note has none.
    """

    line: int
    reason: str
    fact_id: str | None
    fact: str | None
    code: RefusalReason | None = None


class ReportedLines(Sequence[ReportedLine]):
    """Reported lines in the order of the file; `add` takes them in any order."""

    def __init__(self) -> None:
        self._held: list[ReportedLine] = []
        self._aside: sqlite3.Connection | None = None
        self._number = 0

    def add(self, lines: Iterable[ReportedLine]) -> None:
        """Adds lines in any order."""
        remaining = iter(lines)
        while some := list(islice(remaining, MOST_IN_MEMORY)):
            self._held += some
            self._number += len(some)
            if len(self._held) > MOST_IN_MEMORY:
                self._set_aside()

    def settled(self) -> Sequence[ReportedLine]:
        """All lines, once no more will come: as a list if there are few."""
        return self if self._aside is not None else sorted(self._held, key=_in_order)

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[ReportedLine]:
        if self._aside is None:
            yield from sorted(self._held, key=_in_order)
            return
        self._set_aside()
        for line, reason, fact_id, fact, code in self._aside.execute(_IN_ORDER):
            yield ReportedLine(line, reason, fact_id, fact, code and RefusalReason(code))

    @overload
    def __getitem__(self, place: int) -> ReportedLine: ...
    @overload
    def __getitem__(self, place: slice) -> list[ReportedLine]: ...
    def __getitem__(self, place: int | slice) -> ReportedLine | list[ReportedLine]:
        if isinstance(place, slice):
            return list(islice(self, *place.indices(self._number)))
        return next(islice(self, range(self._number)[place], None))

    def _set_aside(self) -> None:
        if self._aside is None:
            self._aside = temporary_database()
            weakref.finalize(self, self._aside.close)
            self._aside.execute(_TABLE)
        write(self._aside, "INSERT INTO reported VALUES (?, ?, ?, ?, ?)", self._held)
        self._held.clear()


def _in_order(reported: ReportedLine) -> tuple[int, str]:
    return reported.line, reported.reason
