"""What each row of a spreadsheet states of a person, and what is wrong with a row by itself."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from compliance.contentfile.identifiers import is_slug
from compliance.provisioning.spreadsheets.columns import Columns, role_parts, team_parts
from compliance.provisioning.spreadsheets.headings import GONE, LAST_NAME_FIRST, Field
from compliance.provisioning.spreadsheets.reading import Table
from compliance.provisioning.spreadsheets.text import (
    clean,
    days,
    employee_number,
    heading_key,
    is_unreadable_day,
    name_key,
)

ADDRESS_CHARACTERS = 320
NAME_CHARACTERS = 300
NUMBER_CHARACTERS = 100
TEAMS_AT_MOST = 50
ROLES_AT_MOST = 100
_LONGEST = 400
_LONGEST_CELL = 20_000
"""Longer texts are wrong, so the rest is not kept: a workbook may name one long text in each of its cells."""

_ADDRESS = re.compile(r"[^\s@\x00-\x1f\x7f-\x9f,;<>()\"]+@[^\s@\x00-\x1f\x7f-\x9f,;<>()\"]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NO_NAME = frozenset({"-", "--", "n/a", "#n/a", "k.a."})
_NOTHING = _NO_NAME | {"na", "none", "null"}
_NAMES = (Field.NAME, Field.FIRST_NAME, Field.LAST_NAME)


class WrongCode(StrEnum):
    """The reason why nothing is recorded of a row."""

    NOBODY = "nobody"
    ADDRESS = "address"
    NUMBER = "number"
    NAME_MISSING = "name_missing"
    NAME = "name"
    TEAM = "team"
    ROLE = "role"
    DAY = "day"
    ADDRESS_TWICE = "address_twice"
    NUMBER_TWICE = "number_twice"
    PERSON_TWICE = "person_twice"
    SEVERAL_PEOPLE = "several_people"
    TWO_PEOPLE = "two_people"
    SOMEBODY_BEFORE = "somebody_before"
    SEVERAL_TEAMS = "several_teams"
    STAFF_PRACTICE = "staff_practice"
    RULE = "rule"


class Stated(NamedTuple):
    """What a row states of a person. Empty or null where it states nothing.

    Where a date can be read in two ways, `last_day` is the later and `first_day` the earlier reading.
    """

    line: int
    email: str
    number: str
    name: str | None
    teams: tuple[str, ...] = ()
    roles: tuple[str, ...] | None = None
    first_day: date | None = None
    last_day: date | None = None
    gone: bool = False
    code: WrongCode | None = None
    reason: str = ""


class Wrong(NamedTuple):
    """A row of which nothing is recorded, and the reason, which holds nothing personal."""

    line: int
    code: WrongCode
    reason: str


def statements(table: Table, columns: Columns, role_names: Mapping[str, str]) -> Iterator[Stated]:
    """What each row of `table` states, in order. `role_names`: the roles of courses by the `name_key` of their title.

    `name` is null where no column holds names. A row that is wrong by itself has a `code`; what it states of the
    person is kept, so that nobody counts as having left because of a typing error.
    """
    by_field: dict[Field, list[int]] = {}
    for place, field in sorted(columns.items()):
        by_field.setdefault(field, []).append(place)
    reader = _Reader(table.headings, by_field, role_names)
    for line, cells in table.rows():
        found = reader.read(line, cells)
        if found is not None:
            yield found


class _Reader:
    def __init__(
        self, headings: tuple[str, ...], by_field: dict[Field, list[int]], role_names: Mapping[str, str]
    ) -> None:
        self._by_field = by_field
        self._role_names = role_names
        full = by_field.get(Field.NAME)
        self._named = full is not None or Field.FIRST_NAME in by_field or Field.LAST_NAME in by_field
        self._last_name_first = full is not None and heading_key(headings[full[0]]) in LAST_NAME_FIRST

    def read(self, line: int, cells: list[str]) -> Stated | None:
        """What a row states; None for a row that is empty in every column that is used."""
        email = self._one(Field.EMAIL, cells)
        email = email.removeprefix("mailto:")
        number = employee_number(self._one(Field.NUMBER, cells))
        name = self._name(cells)
        raw_teams = self._raw(Field.TEAM, cells)
        if not (email or number or name or raw_teams):
            return None
        parts = [team[:_LONGEST] for cell in raw_teams for team in team_parts(cell)][: TEAMS_AT_MOST + 1]
        teams = tuple(parts if len(parts) > TEAMS_AT_MOST else {name_key(team): team for team in parts}.values())
        roles, role_wrong = self._roles(cells)
        written_days = [self._one(field, cells) for field in (Field.LEAVES, Field.STARTS)]
        last_days, first_days = map(days, written_days)
        stated = Stated(
            line, email, number, name, teams, roles,
            first_day=min(first_days, default=None), last_day=max(last_days, default=None),
            gone=heading_key(self._one(Field.STATUS, cells)) in GONE,
        )  # fmt: skip
        wrong = self._wrong(stated, role_wrong, any(map(is_unreadable_day, written_days)))
        return stated._replace(code=wrong[0], reason=wrong[1]) if wrong else stated

    def _raw(self, field: Field, cells: list[str]) -> list[str]:
        places = self._by_field.get(field, ())
        found = [cells[place][:_LONGEST_CELL] for place in places if place < len(cells)]
        nothing = _NO_NAME if field in _NAMES else _NOTHING  # people are called Na and Null
        return [cell for cell in found if cell.strip() and cell.strip().lower() not in nothing]

    def _one(self, field: Field, cells: list[str]) -> str:
        found = self._raw(field, cells)
        return clean(found[0])[:_LONGEST] if found else ""

    def _name(self, cells: list[str]) -> str | None:
        if not self._named:
            return None
        full = self._one(Field.NAME, cells)
        if full:
            last, comma, first = full.partition(", ")
            if comma and "," not in first and self._last_name_first:
                return f"{first} {last}"
            return full
        parts = (*self._raw(Field.FIRST_NAME, cells), *self._raw(Field.LAST_NAME, cells))
        return " ".join(filter(None, map(clean, parts)))[:_LONGEST]

    def _roles(self, cells: list[str]) -> tuple[tuple[str, ...] | None, bool]:
        """The roles that the row names, null where it names none; and whether one of the words is not a role."""
        words = [part for cell in self._raw(Field.ROLES, cells) for part in role_parts(cell)]
        if not words or len(words) > ROLES_AT_MOST:
            return None, bool(words)
        found = [
            self._role_names.get(name_key(word), word.lower() if is_slug(word.lower()) else None) for word in words
        ]
        roles = tuple(sorted({role for role in found if role is not None}))
        return roles, None in found

    def _wrong(self, stated: Stated, role_wrong: bool, day_wrong: bool) -> tuple[WrongCode, str] | None:
        if not (stated.email or stated.number):
            return WrongCode.NOBODY, "Neither an e-mail address nor an employee number: nobody can be found by it."
        if stated.email and (len(stated.email) > ADDRESS_CHARACTERS or not _ADDRESS.fullmatch(stated.email)):
            return WrongCode.ADDRESS, "The e-mail address is none: it must look like anna.meier@example.com."
        if len(stated.number) > NUMBER_CHARACTERS or _CONTROL.search(stated.number):
            return WrongCode.NUMBER, f"The employee number has more than {NUMBER_CHARACTERS} characters."
        if stated.name == "":
            return WrongCode.NAME_MISSING, "The name is missing."
        if stated.name is not None and (len(stated.name) > NAME_CHARACTERS or _CONTROL.search(stated.name)):
            return WrongCode.NAME, f"The name is longer than {NAME_CHARACTERS} characters, or holds control characters."
        if any(len(team) > NAME_CHARACTERS or _CONTROL.search(team) for team in stated.teams):
            return WrongCode.TEAM, f"The name of the team is longer than {NAME_CHARACTERS} characters."
        if len(stated.teams) > TEAMS_AT_MOST:
            return WrongCode.TEAM, f"The row names more than {TEAMS_AT_MOST} teams."
        if role_wrong:
            return WrongCode.ROLE, (
                "The column of roles holds something that is no role of this company's courses. If it holds job titles,"
                " match the column to nothing."
            )
        if day_wrong:
            return WrongCode.DAY, "The first or the last day cannot be read. Write it as 2026-03-31."
        return None
