"""Counts and comparisons across the registers of a pack: records once each, people, what they owe, their names.

Memory does not grow with the pack: entries are in `Partitions`, and one part is read at a time.
"""

import hashlib
import os
from collections import defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from typing import NamedTuple
from uuid import UUID

from .findings import Check, Report
from .forms import is_uuid
from .pack_registers import FILES, REGISTERS, Listed, Reading, Role, file_of, is_open
from .partitions import Partitions

_EMPLOYEE, _OWING, _EXCUSED = 1, 2, 4
_LIST, _OWED, _NAME_OF_PERSON, _NAME = 0, 1, 2, 3
_NOBODY = bytes(8)
_PEOPLE, _IN_PERIOD = (f"registers/{file_of(role)}.jsonl" for role in (Role.PERSON, Role.OWED_IN_PERIOD))
_KEY = os.urandom(16)


class Completeness(NamedTuple):
    """How many employees the people register has, and how many of them owe, are excused, or have nothing required."""

    people: int
    owing: int
    excused: int
    none_owed: int


class Counts:
    """The values that are compared across rows, in partitions. Used as a context manager."""

    def __init__(self) -> None:
        self._files = ExitStack()
        self._records = self._files.enter_context(Partitions(17))
        self._people = self._files.enter_context(Partitions(17))
        self._owed = self._files.enter_context(Partitions(29))
        self._names = self._files.enter_context(Partitions(38))

    def __enter__(self) -> "Counts":
        return self

    def __exit__(self, *fault: object) -> None:
        self._files.close()

    def record(self, register: str, record_id: str) -> None:
        """Notes a record whose versions were all read."""
        self._records.add(UUID(record_id).bytes, bytes([REGISTERS.index(register)]))

    def row(self, reading: Reading, listed: Listed, row: Mapping[str, object], number: int, report: Report) -> None:
        """Notes a row of a register that the history lists."""
        person = row.get("learner_profile_id")
        learner = UUID(person).bytes if isinstance(person, str) and is_uuid(person) else None
        if reading.role is Role.OWED_IN_PERIOD and learner and row.get("requirement") != "optional":
            undone = row.get("outcome") in ("excused", "waived")
            self._people.add(learner, bytes([_EXCUSED if undone else _OWING]))
        elif reading.role is Role.OWED and learner:
            owed, completed = is_open(listed.fields), listed.fields.get("completed_at") is not None
            self._add_owed(learner, _OWED, int(owed), int(completed), 0)
        elif reading.role is Role.PERSON:
            self._person(learner, listed, row, number, report)
        if learner:
            self._name(reading, learner, row, number)

    def _person(
        self, learner: bytes | None, listed: Listed, row: Mapping[str, object], number: int, report: Report
    ) -> None:
        employee = row.get("entry_type") == "employee"
        if employee and learner:
            self._people.add(learner, bytes([_EMPLOYEE]))
        counted = employee and listed.fields.get("access_state") not in ("ended", "erased")
        owed, completed = _small(row.get("records_owed")), _small(row.get("records_completed"))
        place = f"{_PEOPLE} row {number}"
        if owed is None or completed is None or row.get("no_required_records") is not (owed == 0):
            report.fault(
                Check.REGISTER, place, ("no_required_records",), "The counts of the row contradict each other."
            )
        elif counted and learner:
            self._add_owed(learner, _LIST, owed, completed, number)
        elif owed or completed:
            report.fault(
                Check.REGISTER, place, ("records_owed",), "The row counts records, and is of nobody with access."
            )

    def _add_owed(self, learner: bytes, kind: int, owed: int, completed: int, number: int) -> None:
        numbers = owed.to_bytes(4, "big") + completed.to_bytes(4, "big") + number.to_bytes(4, "big")
        self._owed.add(learner, bytes([kind]) + numbers)

    def _name(self, reading: Reading, learner: bytes, row: Mapping[str, object], number: int) -> None:
        """Notes the name in a row. The people register has an employee's name; an invitation may have another one, and
        a certificate keeps the one with which it was issued."""
        name, address = row.get("person_name"), row.get("work_email")
        if reading.role is Role.RECEIPT and name == row.get("account_email"):
            return  # for a person without a name, the row has the address
        kind = _NAME
        if reading.role is Role.PERSON:
            if row.get("entry_type") != "employee":
                return
            kind = _NAME_OF_PERSON
        elif reading.role is Role.CERTIFICATE:
            return
        digests = _short(name) + (_short(address) if "work_email" in row else _NOBODY)
        place = bytes([FILES.index(reading.file)]) + number.to_bytes(4, "big")
        self._names.add(learner, bytes([kind]) + digests + place)

    def check_records(self, report: Report) -> None:
        """Reports records whose versions are in two places, because one place could hide the content of the other."""
        for part in self._records:
            seen: set[bytes] = set()
            for entry in part:
                if entry in seen:
                    register = REGISTERS[entry[16]]
                    sentence = f"The versions of {UUID(bytes=entry[:16])} are in two places."
                    report.fault(Check.HISTORY, f"history/{register}.jsonl", ("record_id",), sentence)
                seen.add(entry)

    def check_owed(self, report: Report) -> None:
        """Counts each person's training records, and compares the counts with the people register."""
        for part in self._owed:
            counted: dict[bytes, list[int]] = defaultdict(lambda: [0, 0])
            listed: list[bytes] = []
            for entry in part:
                if entry[16] == _LIST:
                    listed.append(entry)
                else:
                    found = counted[entry[:16]]
                    found[0] += int.from_bytes(entry[17:21], "big")
                    found[1] += int.from_bytes(entry[21:25], "big")
            for entry in listed:
                stated = [int.from_bytes(entry[17:21], "big"), int.from_bytes(entry[21:25], "big")]
                found = counted.get(entry[:16], [0, 0])
                if stated != found:
                    place = f"{_PEOPLE} row {int.from_bytes(entry[25:29], 'big')}"
                    sentence = f"The row counts {stated}, and the training records of this person count {found}."
                    report.fault(Check.REGISTER, place, ("records_owed", "records_completed"), sentence)

    def completeness(self, report: Report) -> Completeness:
        """Counts people; reports those with required records who are not among the employees."""
        totals = [0, 0, 0, 0]
        for part in self._people:
            found: dict[bytes, int] = defaultdict(int)
            for entry in part:
                found[entry[:16]] |= entry[16]
            for learner, flags in found.items():
                if not flags & _EMPLOYEE:
                    sentence = f"{UUID(bytes=learner)} owes something and is not among the people."
                    report.fault(Check.COUNT, _IN_PERIOD, (), sentence)
                    continue
                totals[0] += 1
                totals[1 if flags & _OWING else 2 if flags & _EXCUSED else 3] += 1
        return Completeness(*totals)

    def check_names(self, report: Report) -> int:
        """Compares names in other registers with the people register; returns how many it does not have."""
        unknown = 0
        for part in self._names:
            known: dict[bytes, set[bytes]] = defaultdict(set)
            others: list[bytes] = []
            for entry in part:
                if entry[16] == _NAME_OF_PERSON:
                    known[entry[:16]].update((entry[17:33], entry[17:25] + _NOBODY))
                else:
                    others.append(entry)
            for entry in others:
                names = known.get(entry[:16])
                if names is None:
                    unknown += 1
                elif entry[17:33] not in names:
                    place = f"registers/{FILES[entry[33]]}.jsonl row {int.from_bytes(entry[34:38], 'big')}"
                    sentence = "The people register gives this person another name or address."
                    report.fault(Check.REGISTER, place, ("person_name",), sentence)
        return unknown


def _short(value: object) -> bytes:
    """Eight bytes that distinguish names; nobody can choose them, because each process has a new key."""
    content = b"\xff" if value is None else str(value).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=8, key=_KEY).digest()


def _small(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 32 else None
