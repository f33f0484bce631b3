"""From the bytes of a file to rows: which format it has, which sheet holds the people, where the headings are."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from compliance.provisioning.spreadsheets.columns import recognised_headings
from compliance.provisioning.spreadsheets.delimited import Delimited, Row
from compliance.provisioning.spreadsheets.errors import TooLargeError, UnreadableFileError
from compliance.provisioning.spreadsheets.headings import Field
from compliance.provisioning.spreadsheets.limits import FILE_BYTES, FIRST_ROWS, WHOLE, Limits
from compliance.provisioning.spreadsheets.text import clean
from compliance.provisioning.spreadsheets.workbook import Sheet, Workbook

_HEADINGS_WITHIN = 20
_ADDRESS = re.compile(r"\s*[^\s@]+@[^\s@]+\s*")


class Table(NamedTuple):
    """A table of people: its headings, the row in which they are, and the first rows below them."""

    source: Delimited | Workbook
    sheet: Sheet | None
    headings: tuple[str, ...]
    heading_row: int
    first: list[Row]
    limits: Limits

    @property
    def kind(self) -> str:
        """The format that was recognised, in words."""
        return f"{self.source.kind}, sheet “{self.sheet.name}”" if self.sheet else self.source.kind

    def rows(self) -> Iterator[Row]:
        """The rows below the headings, read from the file at each call."""
        return (row for row in _rows(self.source, self.sheet, self.limits) if row[0] > self.heading_row)


def read(data: bytes, limits: Limits = WHOLE) -> Table:
    """The table in a file. Raises UnreadableFileError."""
    if len(data) > FILE_BYTES:
        raise UnreadableFileError(f"The file is larger than {FILE_BYTES // 1024 // 1024} MiB.")
    if not data.strip(b"\x00 \r\n\t"):
        raise UnreadableFileError("The file is empty.")
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise UnreadableFileError(
            "This is an Excel file of the old kind (.xls), or one with a password. Save it as .xlsx without a password."
        )
    if data.startswith(b"%PDF"):
        raise UnreadableFileError("This is a PDF. Export the table as .xlsx or CSV.")
    if data.startswith(b"PK"):
        workbook = Workbook(data, limits)
        found = [_table(workbook, sheet, limits) for sheet in _within(workbook, limits)]
    else:
        found = [_table(Delimited(data), None, limits)]
    tables = [each for each in found if each is not None]
    if not tables:
        raise UnreadableFileError("The file holds no rows.")
    return max(tables, key=_likely)


def _within(workbook: Workbook, limits: Limits) -> Iterator[Sheet]:
    """The sheets, as long as those before are not too large together: a table is looked for in each of them."""
    for sheet in workbook.sheets:
        if workbook.unpacked > limits.part_bytes:
            raise TooLargeError(
                f"The sheets of the workbook unpack to more than {limits.part_bytes // 1024 // 1024} MiB. Save the one"
                " sheet with the people as CSV."
            )
        yield sheet


def _likely(table: Table) -> tuple[bool, int]:
    """The more headings, the likelier it is the table of people; one that is visible goes before hidden ones."""
    found = recognised_headings(table.headings)
    visible = table.sheet is None or table.sheet.visible
    return visible and not found.isdisjoint((Field.EMAIL, Field.NUMBER)), len(found)


def _table(source: Delimited | Workbook, sheet: Sheet | None, limits: Limits) -> Table | None:
    """The table of a sheet; None for an empty sheet. Reports often have a title and a date above the headings."""
    first = list(islice(_rows(source, sheet, limits), FIRST_ROWS))
    if not first:
        return None
    candidates = first[:_HEADINGS_WITHIN]
    at = max(range(len(candidates)), key=lambda place: (_headings_in(candidates[place][1]), -place))
    number, cells = candidates[at]
    headings = [clean(cell) for cell in cells]
    while headings and not headings[-1]:
        headings.pop()
    return Table(source, sheet, tuple(headings), number, first[at + 1 :], limits)


def _headings_in(cells: list[str]) -> int:
    """How many fields the cells of a row name; none where a cell is an address, since the row is about a person."""
    return 0 if any(map(_ADDRESS.fullmatch, cells)) else len(recognised_headings(cells))


def _rows(source: Delimited | Workbook, sheet: Sheet | None, limits: Limits) -> Iterator[Row]:
    if isinstance(source, Workbook):
        assert sheet is not None
        return source.rows(sheet, limits)
    return source.rows(limits)
