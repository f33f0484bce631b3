"""Writes XLSX as a stream, row by row, for any number of rows; text is text, never a formula or a link.

It uses only what every spreadsheet program reads (ECMA-376, part 1, 18.3): numbers, and strings inside their cells
(`inlineStr`), which no program evaluates. The parts that name the sheets come last, because only then is their number
known. XlsxWriter, even in `constant_memory`, returns nothing before the last row is written: 100,000 rows of 12 cells
took it 33 s, while this module sends its first piece after 0.1 s and its last after 8 s (measured on one machine).
"""

import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from typing import IO, Any
from xml.sax.saxutils import escape

from compliance.proofs.cells import cell

ROWS_A_SHEET = 1_048_575
BYTES_A_SHEET = 1024**3
"""Limits of a sheet without its heading: the rows that programs accept, and a size below that of ZIP64."""

LONGEST = 32_767
"""How many characters a cell holds."""

_DAY_ZERO = datetime(1899, 12, 30)  # noqa: DTZ001 - dates and times of workbooks have no zone
"""The day from which spreadsheets count. A moment without a zone is a date with a time, in the company's time."""

_LINES = 500
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_STYLES = (
    f'{_HEAD}<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
    '<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="22" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


class _Sink:
    """The file that the archive writes to. It cannot seek, so the archive never needs bytes again that were sent."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._held.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Does nothing: `taken` returns what was written."""

    def close(self) -> None:
        """Does nothing: the archive does not close a file that it was given."""

    def taken(self) -> bytes:
        """What was written since the last time."""
        held, self._held = self._held, []
        return b"".join(held)


def stream(title: str, headings: Iterable[str], rows: Iterable[Iterable[Any]]) -> Iterator[bytes]:
    """The file, piece by piece. A table with more rows than a sheet holds continues on the next sheet."""
    names, sink, sheets = list(headings), _Sink(), 0
    letters = [_letters(column) for column in range(len(names))]
    coming = iter(rows)
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as book:
        more = True
        while more:
            sheets += 1
            with closing(_open(book, f"xl/worksheets/sheet{sheets}.xml")) as part:
                part.write(_beginning(names, letters))
                more, size, held = False, 0, []
                for used, row in enumerate(coming, 1):
                    held.append(_row(used + 1, letters, row))
                    if used == ROWS_A_SHEET or len(held) == _LINES:
                        data = "".join(held).encode()
                        part.write(data)
                        held, size = [], size + len(data)
                        if piece := sink.taken():
                            yield piece
                        if used == ROWS_A_SHEET or size > BYTES_A_SHEET:
                            more = True
                            break
                part.write(("".join(held) + "</sheetData></worksheet>").encode())
        for name, text in _named(title, sheets):
            with closing(_open(book, name)) as part:
                part.write(text.encode())
    yield sink.taken()


def _open(book: zipfile.ZipFile, name: str) -> IO[bytes]:
    """Opens a part of the archive with a fixed date, so that the same table gives the same bytes."""
    part = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    part.compress_type = zipfile.ZIP_DEFLATED
    return book.open(part, "w")


def _letters(column: int) -> str:
    """The name of a column: A to Z, AA and so on."""
    name = ""
    column += 1
    while column:
        column, place = divmod(column - 1, 26)
        name = chr(65 + place) + name
    return name


def _beginning(names: list[str], letters: list[str]) -> bytes:
    """A sheet up to its heading, which stays visible when scrolling."""
    widths = "".join(
        f'<col min="{at}" max="{at}" width="{max(12, min(len(name) + 4, 28))}" customWidth="1"/>'
        for at, name in enumerate(names, 1)
    )
    heading = "".join(_text(f"{letter}1", name, ' s="1"') for letter, name in zip(letters, names, strict=True))
    return (
        f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2"'
        f' activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>{f"<cols>{widths}</cols>" if names else ""}'
        f'<sheetData><row r="1">{heading}</row>'
    ).encode()


def _row(number: int, letters: list[str], values: Iterable[Any]) -> str:
    cells = "".join(
        _cell(f"{letter}{number}", value)
        for letter, value in zip(letters, values, strict=False)
        if value is not None and value != ""
    )
    return f'<row r="{number}">{cells}</row>'


def _cell(place: str, value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<c r="{place}"><v>{value}</v></c>'
    if isinstance(value, datetime) and value.tzinfo is None:
        return f'<c r="{place}" s="3"><v>{(value - _DAY_ZERO) / timedelta(days=1):.10f}</v></c>'
    if isinstance(value, date) and not isinstance(value, datetime):
        return f'<c r="{place}" s="2"><v>{(value - _DAY_ZERO.date()).days}</v></c>'
    if isinstance(value, bool | datetime | list | tuple):
        return _text(place, cell(value))
    return _text(place, str(value))


def _text(place: str, value: str, style: str = "") -> str:
    escaped = escape(_NO_TEXT.sub("", value[:LONGEST]))
    return f'<c r="{place}"{style} t="inlineStr"><is><t xml:space="preserve">{escaped}</t></is></c>'


def _named(title: str, sheets: int) -> Iterator[tuple[str, str]]:
    """The parts that describe the archive and name its sheets."""
    numbers = range(1, sheets + 1)
    listed = "".join(
        f'<sheet name="{escape(title[:24], {chr(34): "&quot;"})}{f" {each}" if each > 1 else ""}" sheetId="{each}"'
        f' r:id="rId{each}"/>'
        for each in numbers
    )
    related = "".join(
        f'<Relationship Id="rId{each}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{each}.xml"/>'
        for each in numbers
    )
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{each}.xml" ContentType="{_KIND}.worksheet+xml"/>' for each in numbers
    )
    yield "xl/styles.xml", _STYLES
    yield (
        "xl/workbook.xml",
        f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
    )
    yield (
        "xl/_rels/workbook.xml.rels",
        f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{related}'
        f'<Relationship Id="rId{sheets + 1}" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    )
    yield (
        "_rels/.rels",
        f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    )
    yield (
        "[Content_Types].xml",
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_KIND}.styles+xml"/>{kinds}</Types>',
    )
