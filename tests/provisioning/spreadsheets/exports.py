"""Exports of a company's people in the formats of three HR systems, always of the same people.

people = employees(5_000)
personio(people); excel_text(people); workday(people)
"""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from compliance.interfaces.console.tables import xlsx

_FIRST = (
    "Anna", "Jürgen", "Zoë", "François", "José María", "Łukasz", "Søren", "İpek", "Chloé", "Björn", "Renée", "Nuño",
    "Siân", "Mário", "Þóra", "Đorđe", "Ngọc Ánh", "Jean-Luc", "María José", "Günther", "Åsa", "Štěpán", "Eilís", "Ōno",
)  # fmt: skip
_LAST = (
    "Müller", "O'Neill", "Muñoz García", "Łęcki", "D'Angelo", "Strauß", "Œuvrard", "Nguyễn", "von der Heyde", "Çelik",
    "Ødegård", "Šimić", "Peña", "Lefèvre", "Bäcker-Groß", "Åkesson", "Dvořák", "Ibáñez", "Kaya", "Smith",
)  # fmt: skip
TEAMS = (
    "Vertrieb", "Einkauf", "Forschung & Entwicklung", "Personal", "Buchhaltung", "Qualität", "Lager Süd", "Köln",
    "IT/Netze", "Service, Außendienst", "Geschäftsführung", "Produktion Ä", "Marketing", "Recht",
)  # fmt: skip


@dataclass(frozen=True)
class Employee:
    """A person as HR knows them."""

    number: int
    first: str
    last: str
    email: str
    team: str

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"


def employees(count: int, seed: int = 1) -> list[Employee]:
    """`count` people with numbers from 1042 on, addresses of their own and one of `TEAMS` each."""
    random = Random(seed)
    return [
        Employee(
            1042 + place,
            random.choice(_FIRST),
            random.choice(_LAST),
            f"{'Person' if place % 7 == 0 else 'person'}.{place:05}@example.org",
            random.choice(TEAMS),
        )
        for place in range(count)
    ]


def moved(person: Employee, team: str) -> Employee:
    return replace(person, team=team)


def renamed(person: Employee, last: str) -> Employee:
    return replace(person, last=last)


def _text(rows: Iterable[Sequence[Any]], delimiter: str) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def personio(people: Iterable[Employee], encoding: str = "utf-8-sig") -> bytes:
    """Semicolons, German, a line break in the address of the office, UTF-8 with a byte-order mark."""
    rows = [["Personalnummer", "Vorname", "Nachname", "E-Mail", "Position", "Abteilung", "Standort", "Eintrittsdatum"]]
    for each in people:
        rows.append([
            f"{each.number:06}", each.first, each.last, each.email, "Sachbearbeitung; Teilzeit", each.team,
            "Hauptstr. 1\n50667 Köln", "01.03.2019",
        ])  # fmt: skip
    return _text(rows, ";").encode(encoding)


def excel_text(people: Iterable[Employee]) -> bytes:
    """What Excel saves as “Unicode text”: tabs, UTF-16 with a byte-order mark."""
    rows: list[list[Any]] = [
        ["Employee ID", "Last Name", "First Name", "Work Email", "Department", "Hire Date", "Status"]
    ]
    rows += [[each.number, each.last, each.first, each.email, each.team, "03/01/2019", "Active"] for each in people]
    return ("\ufeff" + _text(rows, "\t")).encode("utf-16-le")


def workday(people: Iterable[Employee]) -> bytes:
    """A report as a workbook: a title above the headings, numbers that are numbers, “Last, First”."""
    headings = ["All Active Workers", "", "", "", "", ""]
    rows: list[list[Any]] = [
        ["Effective 2026-11-01", "", "", "", "", ""],
        ["", "", "", "", "", ""],
        ["Employee ID", "Worker", "Email - Primary Work", "Supervisory Organization", "Job Profile", "Cost Center"],
    ]
    rows += [[each.number, each.name, each.email, each.team, "Specialist", "CC 100"] for each in people]
    return b"".join(xlsx.stream("Workers", headings, rows))
