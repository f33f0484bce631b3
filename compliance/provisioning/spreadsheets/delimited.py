"""Delimited text: CSV in the dialects and encodings that spreadsheets and HR systems write.

Rows are numbered as a spreadsheet numbers them: a blank line is a row, and a quoted line break does not end one.
"""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from compliance.provisioning.spreadsheets.errors import TooLargeError, UnreadableFileError
from compliance.provisioning.spreadsheets.limits import COLUMNS, FIRST_ROWS, LINES, Limits

Row = tuple[int, list[str]]

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_DELIMITERS = ";\t,|"
_PIECE = 1024 * 1024
_LOOKED_AT = 64 * 1024

ENCODINGS = {
    "utf-8-sig": "UTF-8",
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252",
}
"""The supported encodings, with their names for users."""


class Delimited:
    """A delimited text. `rows` may be called repeatedly: only the bytes are held in memory."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.encoding = _encoding(data)
        self._first, given = self._separator_line()
        self.delimiter = given or _delimiter(self._text())

    @property
    def kind(self) -> str:
        """The format that was recognised, in words."""
        by = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars"}[self.delimiter]
        return f"text separated by {by}, {ENCODINGS[self.encoding]}"

    def rows(self, limits: Limits) -> Iterator[Row]:
        """Each row that is not empty, with its number from 1.

        Raises UnreadableFileError at the first malformed row, TooLargeError where `limits` are exceeded.
        """
        number, found = 0, 0
        cells: list[str] = []
        # A line without a cell follows the text; a quotation mark that is still open takes it, like all rows before it.
        reader = csv.reader(chain(self._text(), ("",)), delimiter=self.delimiter, strict=False)
        try:
            for cells in reader:
                number += 1
                if number > LINES:
                    raise UnreadableFileError(f"The file has more than {LINES:,} rows, blank ones counted.")
                if not any(cells):
                    continue
                found += 1
                if found > limits.rows + 1:
                    raise TooLargeError(f"The file has more than {limits.rows:,} rows.")
                if len(cells) > COLUMNS:
                    raise UnreadableFileError(f"Row {number} has more than {COLUMNS} columns.")
                yield number, cells
        except csv.Error:
            raise _unreadable_row(number + 1) from None
        except UnicodeError:
            raise UnreadableFileError(_NO_ENCODING) from None
        if cells:
            raise _unreadable_row(number)

    def _text(self) -> io.TextIOWrapper:
        text = io.TextIOWrapper(io.BytesIO(self._data), encoding=self.encoding, newline="")
        for _ in range(self._first):
            text.readline(_LOOKED_AT)
        return text

    _first = 0

    def _separator_line(self) -> tuple[int, str]:
        """How many lines Excel's `sep=;` takes at the start (0 or 1; it is no row), and the separator that it names."""
        try:
            line = self._text().readline(16).strip()
        except UnicodeError:
            raise UnreadableFileError(_NO_ENCODING) from None
        if len(line) == 5 and line[:4].lower() == "sep=" and line[4] in _DELIMITERS:
            return 1, line[4]
        return (1, "\t") if line.lower() == "sep=" else (0, "")


_NO_ENCODING = "The text is neither UTF-8 nor UTF-16 nor Windows-1252. Save the table as “CSV UTF-8” or as .xlsx."


def _unreadable_row(number: int) -> UnreadableFileError:
    return UnreadableFileError(
        f"Row {number} cannot be read: a cell holds more than {csv.field_size_limit():,} characters, or a quotation"
        " mark is never closed."
    )


def _encoding(data: bytes) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    first = data[:2000]
    zeros = first[1::2].count(0), first[::2].count(0)
    if max(zeros) * 3 > len(first) // 2:  # every second byte of Latin text is zero
        return "utf-16-le" if zeros[0] > zeros[1] else "utf-16-be"
    for name in ("utf-8", "cp1252"):
        decoder = codecs.getincrementaldecoder(name)()
        try:
            for start in range(0, len(data), _PIECE):
                decoder.decode(data[start : start + _PIECE], start + _PIECE >= len(data))
        except UnicodeDecodeError:
            continue
        if b"\x00" in data:
            break
        return name
    raise UnreadableFileError(_NO_ENCODING)


def _delimiter(text: io.TextIOWrapper) -> str:
    """The separator that splits most of the first rows into the same number of cells, more than one."""
    try:
        first = text.read(_LOOKED_AT)
    except UnicodeError:
        raise UnreadableFileError(_NO_ENCODING) from None
    best, most = ",", 0
    for delimiter in _DELIMITERS:
        widths: Counter[int] = Counter()
        try:
            for number, cells in enumerate(csv.reader(io.StringIO(first, newline=""), delimiter=delimiter)):
                if number == FIRST_ROWS:
                    break
                widths[len(cells)] += len(cells) > 1
        except csv.Error:
            pass
        score = max((width - 1) * count for width, count in widths.items()) if widths else 0
        if score > most:
            best, most = delimiter, score
    return best
