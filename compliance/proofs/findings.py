"""The findings of the verifier: faults, what holds, and what could not be checked, each in one plain sentence."""

from dataclasses import dataclass, field
from enum import StrEnum


class Check(StrEnum):
    """What a finding is about; `Report.holds_for` tells whether a check found no fault."""

    FORM = "form"
    COUNT = "count"
    STATEMENT = "statement"
    DOCUMENT = "document"
    VERSION = "version"
    RECEIPT = "receipt"
    CHAIN = "chain"
    LINK = "link"
    ROW = "row"
    TREE = "tree"
    CAPTURE = "capture"
    LOG = "log"
    SIGNATURE = "signature"
    WITNESS = "witness"
    IDENTITY = "identity"
    FILE = "file"
    HISTORY = "history"
    REGISTER = "register"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not hold: where, in which fields (the likely ones when it is not certain), and why."""

    check: Check
    place: str
    fields: tuple[str, ...]
    sentence: str

    def __str__(self) -> str:
        named = f" {', '.join(self.fields)}:" if self.fields else ""
        return f"{self.place}:{named} {self.sentence}"


MOST_FAULTS = 200
"""How many faults are named; whoever rewrote a register of a million rows made a million, which nobody reads."""


@dataclass(slots=True)
class Report:
    """Everything that a verification found."""

    faults: list[Finding] = field(default_factory=list)
    holding: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    """What could not be checked for want of something that the verifier was not given: no verification without it."""
    most: int | None = None
    """How many faults are kept; beyond them they are only counted."""
    further: int = 0
    """How many faults were found beyond those kept."""

    @property
    def total(self) -> int:
        """How many faults were found."""
        return len(self.faults) + self.further

    def fault(self, check: Check, place: str, fields: tuple[str, ...], sentence: str) -> None:
        """Add a fault."""
        if self.most is not None and len(self.faults) >= self.most:
            self.further += 1
        else:
            self.faults.append(Finding(check, place, fields, sentence))

    def add(self, other: "Report") -> None:
        """Add everything that another verification found."""
        self.faults += other.faults
        self.holding += other.holding
        self.notes += other.notes
        self.unchecked += other.unchecked
        self.further += other.further

    def count(self, *checks: Check) -> int:
        """Return how many faults these checks found so far."""
        return sum(1 for each in self.faults if each.check in checks)
