"""The summary's counts, made while the registers are streamed: outcomes by course, signatures by policy, completeness.

Completeness: every employee of the period is exactly one of *owing* (a required record that counts), *excused*
(required records, all of them waived or ended undone before their deadline) or *none owed*. Everybody with a record
must be among the people. The pack's verifier counts this independently.

Memory: a few bytes a person, and lists of at most LISTED rows.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from compliance.catalogue import owed
from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.courses import COURSES
from compliance.catalogue.declaration import Register
from compliance.catalogue.people import PEOPLE
from compliance.catalogue.policies import ACKNOWLEDGEMENTS
from compliance.catalogue.training import PERIOD
from compliance.interfaces.console.evidence.errors import IncompletePackError
from compliance.rules.vocabulary import EntryType, Outcome, Requirement

LISTED = 500
"""How many rows each list of the summary has at most; the registers hold all."""

DONE = (Outcome.COMPLETED_ON_TIME, Outcome.COMPLETED_LATE, Outcome.COMPLETED_BEFORE_REQUIREMENT)
UNDONE = (Outcome.OVERDUE, Outcome.MISSED, Outcome.NOT_DUE_YET)
EXCUSED = (Outcome.EXCUSED, Outcome.WAIVED)

Row = dict[str, Any]


@dataclass
class Listed:
    """The first rows of a list, and the number of all its rows."""

    rows: list[Row] = field(default_factory=list)
    total: int = 0

    def add(self, row: Row) -> None:
        """Counts a row, and keeps it if it is one of the first LISTED."""
        self.total += 1
        if len(self.rows) < LISTED:
            self.rows.append(row)


@dataclass
class Tally:
    """Everything that the summary counts."""

    employees: set[str] = field(default_factory=set)
    owing: set[str] = field(default_factory=set)
    excused: set[str] = field(default_factory=set)
    undone: set[str] = field(default_factory=set)
    late: set[str] = field(default_factory=set)
    access: Counter[str] = field(default_factory=Counter)
    courses: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    titles: dict[str, str] = field(default_factory=dict)
    policies: dict[tuple[str, int, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    certificates: Counter[str] = field(default_factory=Counter)
    receipts: int = 0
    last_receipt: str = ""
    has_not: Listed = field(default_factory=Listed)
    did: Listed = field(default_factory=Listed)
    not_signed: Listed = field(default_factory=Listed)

    def see(self, register: Register, row: Row) -> None:
        """Counts one row of one register."""
        count = _COUNTS.get(register)
        if count is not None:
            count(self, row)

    def _person(self, row: Row) -> None:
        if row["entry_type"] == EntryType.EMPLOYEE:
            self.employees.add(row["learner_profile_id"])
        self.access[row["access_state"]] += 1

    def _owed(self, row: Row) -> None:
        outcome, learner = row["outcome"], row["learner_profile_id"]
        optional = row["requirement"] == Requirement.OPTIONAL
        self.courses[row["course_id"]]["optional" if optional else outcome] += 1
        if optional:
            return
        if outcome in EXCUSED:
            self.excused.add(learner)
            return
        self.owing.add(learner)
        if outcome in UNDONE:
            self.undone.add(learner)
            if outcome != Outcome.NOT_DUE_YET:
                self.late.add(learner)
            self.has_not.add(row)
        else:
            self.did.add(row)

    def _course(self, row: Row) -> None:
        if row["course_title"]:
            self.titles[row["course_id"]] = row["course_title"]

    def _signature(self, row: Row) -> None:
        self.policies[row["policy_title"], row["version"], row["course_release_id"]][row["state"]] += 1
        if row["receipt_id"] is None:
            self.not_signed.add(row)

    def _certificate(self, row: Row) -> None:
        self.certificates[row["status"]] += 1

    def _receipt(self, row: Row) -> None:
        self.receipts += 1
        self.last_receipt = row["receipt_sha256"]

    def completeness(self) -> dict[str, int]:
        """The numbers of people, owing, excused and none owed. Raises IncompletePackError if the registers contradict
        each other."""
        strangers = (self.owing | self.excused) - self.employees
        if strangers:
            raise IncompletePackError(
                f"{len(strangers)} people have training records in the period but do not stand in the people register."
            )
        excused = self.excused - self.owing
        none_owed = self.employees - self.owing - self.excused
        counted = {
            "people": len(self.employees),
            "owing": len(self.owing),
            "excused": len(excused),
            "none_owed": len(none_owed),
        }
        if counted["people"] != counted["owing"] + counted["excused"] + counted["none_owed"]:
            raise IncompletePackError("People are not owing, excused and none owed together.")
        return counted


_COUNTS = {
    PEOPLE: Tally._person,
    PERIOD: Tally._owed,
    COURSES: Tally._course,
    owed("policy"): Tally._signature,
    CERTIFICATES: Tally._certificate,
    ACKNOWLEDGEMENTS: Tally._receipt,
}
