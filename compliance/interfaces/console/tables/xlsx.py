"""XLSX in constant memory: rows go to the disk as they come; text is text, never a formula or a link."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import IO, Any

import xlsxwriter

from compliance.interfaces.console.tables.cells import cell

ROWS_A_SHEET = 1_048_575
"""What a sheet holds beside its heading; the rest goes on to another one."""

LONGEST = 32_767
"""Characters that a cell holds."""


def write(target: IO[bytes], title: str, headings: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Writes one table into `target`."""
    names = list(headings)
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with xlsxwriter.Workbook(target, options) as book:
        bold = book.add_format({"bold": True})
        sheet, used, number = None, ROWS_A_SHEET, 0
        for row in _and_none(rows):
            if used >= ROWS_A_SHEET:
                number += 1
                sheet = book.add_worksheet(f"{title[:24]} {number}" if number > 1 else title[:31])
                sheet.freeze_panes(1, 0)
                for column, name in enumerate(names):
                    sheet.write_string(0, column, name, bold)
                    sheet.set_column(column, column, max(12, min(len(name) + 4, 28)))
                used = 0
            if row is None:
                continue
            used += 1
            assert sheet is not None
            for column, value in enumerate(row):
                _write(sheet, used, column, value)


def _and_none(rows: Iterable[Iterable[Any]]) -> Iterable[Iterable[Any] | None]:
    """The rows behind a first None, so that a table without rows has its heading too."""
    yield None
    yield from rows


def _write(sheet: Any, row: int, column: int, value: Any) -> None:
    if value is None or value == "":
        return
    if isinstance(value, int | float) and not isinstance(value, bool):
        sheet.write_number(row, column, value)
    elif isinstance(value, bool | datetime | date | list | tuple):
        sheet.write_string(row, column, cell(value)[:LONGEST])
    else:
        sheet.write_string(row, column, str(value)[:LONGEST])
