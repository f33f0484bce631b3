"""Excel workbooks (XLSX, ECMA-376), read as a stream: the values that cells display, never their formulas.

A library that builds the whole sheet allocates memory for every cell up to the farthest one that the file names: a
workbook of 2 KB that names the last cell of a sheet ended the process (python-calamine 0.9.1 asked for 512 GiB). Here
only one row is held at a time, and what rows share is bounded.
"""

import posixpath
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from compliance.provisioning.spreadsheets.archive import NO_WORKBOOK, Archive
from compliance.provisioning.spreadsheets.delimited import Row
from compliance.provisioning.spreadsheets.errors import TooLargeError, UnreadableFileError
from compliance.provisioning.spreadsheets.limits import (
    CELL_CHARACTERS,
    COLUMNS,
    SHARED_CHARACTERS,
    SHARED_STRINGS,
    SHEETS,
    WHOLE,
    Limits,
)
from compliance.provisioning.spreadsheets.text import plain_number

_SMALL_PART = 16 * 1024 * 1024
_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_DATES = frozenset({*range(14, 18), 22, *range(27, 32), 34, 35, 36, *range(50, 59)})
_SINCE_1899 = datetime(1899, 12, 30, tzinfo=UTC)
_SINCE_1904 = datetime(1904, 1, 1, tzinfo=UTC)
_ESCAPED = re.compile(r"_x(00[0-9A-Fa-f]{2})_")
_IN_QUOTES = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')


class Sheet(NamedTuple):
    """A sheet by its name, and the part of the archive that holds it."""

    name: str
    part: str
    visible: bool


class Workbook:
    """A workbook. `rows` of a sheet may be called repeatedly."""

    kind = "an Excel workbook"

    def __init__(self, data: bytes, limits: Limits = WHOLE) -> None:
        self._archive = Archive(data)
        self._strings: list[str] | None = None
        self._limits = limits
        self._from_1904 = False
        self._styles: str | None = None
        self._shared: str | None = None
        self.unpacked = 0
        """How many bytes of sheets have been parsed."""

        self.sheets = self._read_sheets()
        self._dates = self._read_dates()

    def rows(self, sheet: Sheet, limits: Limits) -> Iterator[Row]:
        """Each row that is not empty, with the number that Excel displays beside it.

        Raises UnreadableFileError for a malformed sheet, TooLargeError where `limits` are exceeded.
        """
        if self._strings is None:
            self._strings = self._read_strings(limits)
        reader = _Rows(self._strings, self._dates, self._from_1904)
        found = 0
        for size in self._archive.parse(sheet.part, reader.start, reader.end, reader.text, limits.part_bytes):
            self.unpacked += size
            ready, reader.ready = reader.ready, []
            for row in ready:
                found += 1
                if found > limits.rows + 1:
                    raise TooLargeError(f"The sheet has more than {limits.rows:,} rows.")
                yield row

    def _relations(self, part: str) -> dict[str, tuple[str, str]]:
        """The kind and the path of each part that `part` refers to, by the identifier of the reference."""
        folder, name = posixpath.split(part)
        found: dict[str, tuple[str, str]] = {}

        def start(tag: str, attributes: dict[str, str]) -> None:
            if tag == "Relationship" and attributes.get("TargetMode") != "External":
                place = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", ""))).lstrip("/")
                found[attributes.get("Id", "")] = attributes.get("Type", "").rpartition("/")[2], place

        path = posixpath.join(folder, "_rels", f"{name}.rels")
        if self._archive.has(path):
            self._read(path, start)
        return found

    def _read(self, part: str, start: object, end: object = None, text: object = None, most: int = _SMALL_PART) -> None:
        for _ in self._archive.parse(part, start, end or _nothing, text or _nothing, most):  # type: ignore[arg-type]
            pass

    def _read_sheets(self) -> list[Sheet]:
        start_of = [place for kind, place in self._relations("").values() if kind == "officeDocument"]
        workbook = start_of[0] if start_of else "xl/workbook.xml"
        if not self._archive.has(workbook):
            raise UnreadableFileError(NO_WORKBOOK)
        relations = self._relations(workbook)
        for kind, place in relations.values():
            if kind == "styles":
                self._styles = place
            elif kind == "sharedStrings":
                self._shared = place
        sheets: list[Sheet] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            if tag == "workbookPr":
                self._from_1904 = attributes.get("date1904") in ("1", "true")
            elif tag == "sheet" and len(sheets) < SHEETS:
                identifier = next((value for key, value in attributes.items() if key.rpartition(":")[2] == "id"), "")
                kind, place = relations.get(identifier, ("", ""))
                if kind == "worksheet" and self._archive.has(place):
                    sheets.append(Sheet(attributes.get("name", ""), place, attributes.get("state") is None))

        self._read(workbook, start)
        if not sheets:
            raise UnreadableFileError("The workbook has no sheet with cells.")
        return sorted(sheets, key=lambda each: not each.visible)

    def _read_dates(self) -> set[int]:
        """The styles whose numbers are dates."""
        found: set[int] = set()
        own: dict[int, bool] = {}
        within = False
        number = 0

        def start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal within, number
            if tag == "numFmt":
                own[_whole(attributes.get("numFmtId"))] = _is_date(attributes.get("formatCode", ""))
            elif tag == "cellXfs":
                within = True
            elif tag == "xf" and within:
                kind = _whole(attributes.get("numFmtId"))
                if own.get(kind, kind in _DATES):
                    found.add(number)
                number += 1

        def end(tag: str) -> None:
            nonlocal within
            if tag == "cellXfs":
                within = False

        if self._styles is not None and self._archive.has(self._styles):
            self._read(self._styles, start, end)
        return found

    def _read_strings(self, limits: Limits) -> list[str]:
        """The strings that cells share."""
        strings: list[str] = []
        pieces: list[str] = []
        characters = 0
        taking = phonetic = False

        def start(tag: str, _: dict[str, str]) -> None:
            nonlocal taking, phonetic
            if tag == "rPh":
                phonetic = True
            taking = tag == "t" and not phonetic

        def text(words: str) -> None:
            nonlocal characters
            if taking:
                characters += len(words)
                pieces.append(words)

        def end(tag: str) -> None:
            nonlocal taking, phonetic
            if tag == "si":
                strings.append(_unescaped("".join(pieces)))
                pieces.clear()
                if len(strings) > SHARED_STRINGS or characters > SHARED_CHARACTERS:
                    raise UnreadableFileError("The workbook holds too many texts. Save the one sheet as CSV.")
            elif tag == "rPh":
                phonetic = False
            taking = False

        if self._shared is not None and self._archive.has(self._shared):
            self._read(self._shared, start, end, text, limits.part_bytes)
        return strings


class _Rows:
    """Builds rows from the parser's events in a sheet."""

    def __init__(self, strings: list[str], dates: set[int], from_1904: bool) -> None:
        self.ready: list[Row] = []
        self._strings, self._dates, self._from_1904 = strings, dates, from_1904
        self._row = self._column = 0
        self._cells: list[str] = []
        self._type = self._style = ""
        self._pieces: list[str] = []
        self._length = 0
        self._taking = self._phonetic = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handles the start of a row, a cell, its value or its text."""
        if tag == "c":
            place = _PLACE.fullmatch(attributes.get("r", ""))
            self._column = _column(place[1]) if place else self._column + 1
            self._type, self._style = attributes.get("t", "n"), attributes.get("s", "")
            self._pieces, self._length = [], 0
        elif tag == "row":
            number = _whole(attributes.get("r")) or self._row + 1
            if number <= self._row:  # two rows of one number could not be distinguished
                raise UnreadableFileError(NO_WORKBOOK)
            self._row, self._column, self._cells = number, 0, []
        elif tag == "rPh":
            self._phonetic = True
        self._taking = tag in ("v", "t") and not self._phonetic

    def text(self, words: str) -> None:
        """Adds text to the open cell."""
        if self._taking:
            self._length += len(words)
            if self._length > CELL_CHARACTERS:
                raise UnreadableFileError(f"A cell of row {self._row} holds more than {CELL_CHARACTERS:,} characters.")
            self._pieces.append(words)

    def end(self, tag: str) -> None:
        """Handles the end of a cell or a row."""
        self._taking = False
        if tag == "c":
            if self._pieces and (value := self._value("".join(self._pieces))):
                if self._column > COLUMNS:
                    raise UnreadableFileError(f"Row {self._row} has more than {COLUMNS} columns.")
                self._cells.extend([""] * (self._column - len(self._cells)))
                self._cells[self._column - 1] = value
        elif tag == "row":
            if self._cells:
                self.ready.append((self._row, self._cells))
            self._cells = []
        elif tag == "rPh":
            self._phonetic = False

    def _value(self, raw: str) -> str:
        match self._type:
            case "s":
                place = _whole(raw, -1)
                return self._strings[place] if 0 <= place < len(self._strings) else ""
            case "n":
                return self._day(raw) if _whole(self._style) in self._dates else plain_number(raw)
            case "e":  # #N/A and other errors count as empty
                return ""
            case "b":
                return "yes" if raw == "1" else "no"
            case _:
                return _unescaped(raw)

    def _day(self, raw: str) -> str:
        """A date as a workbook stores it: in days since the end of 1899, or since 1904."""
        try:
            return ((_SINCE_1904 if self._from_1904 else _SINCE_1899) + timedelta(days=float(raw))).strftime("%Y-%m-%d")
        except (ValueError, OverflowError):
            return raw


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _unescaped(text: str) -> str:
    """A text without the escapes by which XML holds a character that it cannot: Excel writes line breaks so."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _whole(text: str | None, otherwise: int = 0) -> int:
    return int(text) if text is not None and text.isdecimal() and len(text) < 10 else otherwise


def _is_date(code: str) -> bool:
    """Whether a number format displays a day: it names days and years, outside of quoted text."""
    bare = _IN_QUOTES.sub("", code.lower())
    return "d" in bare and "y" in bare


def _nothing(*_: object) -> None:
    pass
