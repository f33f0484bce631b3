"""The findings of the verifier: faults, confirmations, and what could not be checked, each in one plain sentence."""

from dataclasses import dataclass, field
from enum import StrEnum


class Check(StrEnum):
    """The check that a finding belongs to."""

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
    """One fault: its place, its fields (the likely ones if it is not certain), and the reason."""

    check: Check
    place: str
    fields: tuple[str, ...]
    sentence: str

    def __str__(self) -> str:
        named = f" {', '.join(self.fields)}:" if self.fields else ""
        return f"{self.place}:{named} {self.sentence}"


MOST_FAULTS = 200
"""How many faults are named: a rewritten register of a million rows has a million faults, which nobody reads."""


@dataclass(slots=True)
class Report:
    """Everything that a verification found."""

    faults: list[Finding] = field(default_factory=list)
    holding: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    """What could not be checked because the verifier lacked something; then the verification did not succeed."""
    most: int | None = None
    """How many faults are kept; further ones are only counted."""
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
