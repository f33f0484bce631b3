"""How much of a spreadsheet is read. Memory and time are bounded by these, whatever the file says of itself."""

from typing import NamedTuple

FILE_BYTES = 64 * 1024 * 1024
COLUMNS = 300
CELL_CHARACTERS = 32_767
"""What a cell of Excel holds."""

SHARED_STRINGS = 2_000_000
SHARED_CHARACTERS = 64 * 1024 * 1024
DIRECTORY_BYTES = 1024 * 1024
"""The list of its parts in a ZIP archive: a workbook has some dozens, each of less than a hundred bytes."""

SHEETS = 50
FIRST_ROWS = 40
"""So many rows are looked at to find the headings, and what the columns hold."""


class Limits(NamedTuple):
    """What differs between a page, which somebody waits for, and work that nobody waits for."""

    rows: int = 200_000
    part_bytes: int = 512 * 1024 * 1024
    """Of one part of a workbook, decompressed."""


WHOLE = Limits()
WHILE_SOMEBODY_WAITS = Limits(rows=20_000, part_bytes=48 * 1024 * 1024)
