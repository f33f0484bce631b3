"""Compares the files of a register in a pack with the rows that follow from the history: JSON Lines, then CSV."""

from collections.abc import Mapping
from typing import cast

from . import cells
from .findings import Check, Report
from .pack_archive import Archive
from .pack_json import parse_line
from .pack_registers import Listed, Reading, Role, row_of
from .pages import printable

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_IN_A_FILE = "html"
"""The field that the CSV lacks: a policy's text, which has a file of its own."""


class RegisterRows:
    """The rows of one register, read one by one in the order that follows from the history."""

    def __init__(self, archive: Archive, reading: Reading, tenant: Mapping[str, object], report: Report) -> None:
        self.reading = reading
        self.count = 0
        self.broken = False
        self._tenant = tenant
        self._report = report
        self._name = f"registers/{reading.file}.jsonl"
        self._lines = archive.lines(self._name)
        self._ahead: bytes | None = None
        self._table = _Table(archive, f"registers/{reading.file}.csv")

    @property
    def place(self) -> str:
        """The place of the row that was read last."""
        return f"{self._name} row {self.count}"

    def is_next(self, listed: Listed) -> bool:
        """Whether the next row is of this record, where the history alone does not decide whether it is listed."""
        if self._ahead is None:
            self._ahead = next(self._lines, None)
        if self.broken or self._ahead is None:
            return False
        row = parse_line(f"{self._name} row {self.count + 1}", self._ahead)
        return row.get(self.reading.identity) == listed.version.record_id

    def take(self, listed: Listed) -> dict[str, object] | None:
        """Reads the next row, which must be the one that the history lists next; None once the two differ."""
        if self.broken:
            return None
        line = next(self._lines, None) if self._ahead is None else self._ahead
        self._ahead = None
        if line is None:
            self._break(
                self._name, f"A row is missing at the end: that of {listed.version.record_id}, which the history lists."
            )
            return None
        self.count += 1
        row: dict[str, object] = parse_line(self.place, line)
        identity = row.get(self.reading.identity)
        if identity != listed.version.record_id:
            sentence = (
                f"The history lists {listed.version.record_id} here, and the row is of {printable(identity)}: rows are"
                " missing, too many or out of order."
            )
            self._break(self.place, sentence)
            return None
        self._compare(row, row_of(self.reading, listed, self._tenant), listed)
        self._table.check(self.place, row, self._report)
        return row

    def end(self) -> None:
        """Reports rows that the history does not list. Call it after all of the history was read."""
        if self.broken:
            return
        if self._ahead is not None or next(self._lines, None) is not None:
            self.count += 1
            self._break(self.place, "The history lists no such row.")
            return
        self._table.end(self._report)

    def _break(self, place: str, sentence: str) -> None:
        """Reports where the file and the history begin to differ; later differences would only repeat it."""
        self._report.fault(Check.REGISTER, place, (), sentence)
        self.broken = True

    def _compare(self, row: dict[str, object], expected: dict[str, object], listed: Listed) -> None:
        members = expected.keys() | self.reading.joined
        if row.keys() != members:
            names = tuple(sorted(printable(name) for name in row.keys() ^ members))
            self._report.fault(Check.REGISTER, self.place, names, "The row lacks these fields or has too many.")
        found = _without_titles(row) if self.reading.role is Role.COURSE else row
        for name, value in expected.items():
            given = found.get(name)
            if not _is_same(given, value):
                sentence = (
                    f"The row says {printable(given)}, and from {listed.version.place} follows {printable(value)}."
                )
                self._report.fault(Check.REGISTER, self.place, (name,), sentence)


class _Table:
    """A register as CSV, compared byte for byte with the CSV of its rows."""

    def __init__(self, archive: Archive, name: str) -> None:
        self._name = name
        self._blocks = archive.blocks(name)
        self._held, self._at = b"", 0
        self._columns: list[str] | None = None
        self._broken = False

    def check(self, place: str, row: dict[str, object], report: Report) -> None:
        """Compares the next line with a row of the register."""
        if self._broken:
            return
        if self._columns is None:
            self._heading(report)
            if self._columns is None:
                return
        named = {name for name in row if name != _IN_A_FILE} | ({"html_file"} if _IN_A_FILE in row else set())
        if set(self._columns) != named or len(self._columns) != len(named):
            self._break("The heading does not name the fields of the rows.", report)
            return
        values = [_file_of(row) if name == "html_file" else row.get(name) for name in self._columns]
        try:
            wanted = cells.line(values).encode()
        except UnicodeEncodeError:
            wanted = None
        if wanted is None or self._next(len(wanted)) != wanted:
            self._break(f"The line is not that of {place}.", report)

    def end(self, report: Report) -> None:
        """Reports content after the last row."""
        if not self._broken and self._columns is None:
            self._heading(report)
        if not self._broken and self._next(1):
            self._break("There are more lines than rows.", report)

    def _heading(self, report: Report) -> None:
        line = b""
        while len(line) < 1 << 14 and not line.endswith(b"\r\n") and (each := self._next(1)):
            line += each
        text = line.removeprefix(BYTE_ORDER_MARK).removesuffix(b"\r\n").decode("ascii", "replace")
        if not line.startswith(BYTE_ORDER_MARK) or not line.endswith(b"\r\n") or not text:
            self._break("It does not begin with a byte order mark and a heading.", report)
        else:
            self._columns = text.split(",")

    def _next(self, size: int) -> bytes:
        while len(self._held) < self._at + size and (block := next(self._blocks, b"")):
            self._held, self._at = self._held[self._at :] + block, 0
        self._at += size
        return self._held[self._at - size : self._at]

    def _break(self, sentence: str, report: Report) -> None:
        report.fault(Check.REGISTER, self._name, (), sentence)
        self._broken = True


def _is_same(given: object, value: object) -> bool:
    """Whether two JSON values are the same. Python considers some numbers and booleans equal that JSON distinguishes,
    within lists and objects too."""
    if isinstance(value, dict):
        return (
            isinstance(given, dict)
            and given.keys() == value.keys()
            and all(_is_same(given[name], each) for name, each in value.items())
        )
    if isinstance(value, list):
        return isinstance(given, list) and len(given) == len(value) and all(map(_is_same, given, value))
    return type(given) is type(value) and given == value


def _file_of(row: Mapping[str, object]) -> str:
    return f"policies/{row.get('course_release_id')}.html"


def _without_titles(row: dict[str, object]) -> dict[str, object]:
    """A course version without the titles of its lessons, which are joined at read."""
    lessons = row.get("lessons")
    if not isinstance(lessons, list) or not all(isinstance(each, dict) and "title" in each for each in lessons):
        return row
    listed = cast("list[dict[str, object]]", lessons)
    bare = [{name: value for name, value in each.items() if name != "title"} for each in listed]
    return row | {"lessons": bare}
