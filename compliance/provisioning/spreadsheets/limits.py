"""Limits on how much of a spreadsheet is read. They bound memory and time, whatever sizes the file states."""

from typing import NamedTuple

FILE_BYTES = 64 * 1024 * 1024
COLUMNS = 300
LINES = 1_048_576
"""As many rows as Excel has, blank ones counted: exports often end with very many of them."""

CELL_CHARACTERS = 32_767
"""The most characters that Excel allows in a cell."""

SHARED_STRINGS = 2_000_000
SHARED_CHARACTERS = 64 * 1024 * 1024
DIRECTORY_BYTES = 1024 * 1024
"""The size of a ZIP archive's list of parts: a workbook has some dozens, each listed in less than a hundred bytes."""

SHEETS = 50
FIRST_ROWS = 40
"""How many rows are examined to find the headings and the contents of columns."""


class Limits(NamedTuple):
    """Limits that differ between a page, for which somebody waits, and background work."""

    rows: int = 200_000
    part_bytes: int = 512 * 1024 * 1024
    """Of one part of a workbook, decompressed."""


WHOLE = Limits()
WHILE_SOMEBODY_WAITS = Limits(rows=20_000, part_bytes=48 * 1024 * 1024)
