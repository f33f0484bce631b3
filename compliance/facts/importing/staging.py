"""Holds the lines of a file, by kind, until the whole file is read.

Memory does not grow with the file. The first `KEPT_LINES` short lines are kept parsed; all others are written to an
unnamed temporary file. The keys by which lines are identified, sorted and found stay in memory while there are no more
than `KEPT_LINES` lines, no fact_id occurs twice, and nothing must be divided; otherwise they are in a temporary
database with one table for each kind.
"""

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, BinaryIO, Self
from uuid import UUID

from compliance.facts.importing import portions
from compliance.facts.lines.digests import digest
from compliance.facts.lines.kinds import KINDS, FactLine
from compliance.facts.lines.people import PersonErased
from compliance.facts.lines.reading import ReadLine, RefusedLine
from compliance.facts.recording import Staged
from compliance.facts.recording.temporary import temporary_database, write
from compliance.facts.refusal_reasons import RefusalReason

KEPT_LINES = 50_000
LONG_LINE_BYTES = 16 * 1024
BATCH_LINES = 5_000
BATCH_BYTES = 16 * 1024 * 1024
WRITTEN_AT_ONCE = 2_000

_EPOCH = datetime(1, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TABLE = """
CREATE TABLE {table} (number INTEGER PRIMARY KEY, at INTEGER, fact_id BLOB, digest BLOB, length INTEGER, place INTEGER);
"""
_OF_PEOPLE = """
ALTER TABLE {table} ADD COLUMN profile BLOB; ALTER TABLE {table} ADD COLUMN person BLOB;
ALTER TABLE {table} ADD COLUMN invitation BLOB; ALTER TABLE {table} ADD COLUMN portion INTEGER DEFAULT 0;
"""
_REPEATED = """
WITH line AS ({lines}), repeated AS (SELECT fact_id FROM line GROUP BY fact_id HAVING count(*) > 1)
SELECT fact_id, number, kind, digest FROM line WHERE fact_id IN repeated ORDER BY fact_id, digest, number
"""
_ROW = "number, at, fact_id, digest, length, place"
_ABOUT = "profile, person, invitation"
_Row = tuple[datetime, int, int, bytes, int, int, FactLine | tuple[Any, ...]]
"""The sort key and the place of a line.

`at` and `fact_id` as a number are the sort key; then number, digest, length and place in the temporary file; last the
line itself or, if it is not kept, the identifiers by which it is divided."""


class Staging:
    """The lines read so far. Use as a context manager: it owns temporary files."""

    def __init__(self) -> None:
        self.facts: Counter[str] = Counter()
        self.repeated = 0
        self._staged = 0
        self.erased_at: dict[UUID, datetime] = {}
        self._erasures: dict[int, tuple[UUID, datetime]] = {}
        self._rows: dict[str, list[_Row]] = {}
        self._kept: dict[int, FactLine] = {}  # of the rows in the database
        self._tables: dict[str, str] = {}
        self._database: sqlite3.Connection | None = None  # created when memory is not enough
        self._spool: BinaryIO | None = None  # created for the first line that is not kept
        self._place = 0
        self._named: dict[frozenset[str], set[str]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for temporary in (self._database, self._spool):
            if temporary is not None:
                temporary.close()

    def add(self, read: ReadLine) -> None:
        """Stages a line."""
        number, content, line = read
        kind = line.fact
        self.facts[kind] += 1
        self._staged += 1
        length, place = len(content), self._place
        kept: FactLine | tuple[Any, ...] = line
        if self._staged > KEPT_LINES or length > LONG_LINE_BYTES:
            self._set_aside(content)
            kept = portions.about(line) if kind in portions.TOGETHER else ()
        else:
            self._lighten(line)
        if isinstance(line, PersonErased):
            self._erasures[number] = line.learner_profile_id, line.at
        rows = self._rows.setdefault(kind, [])
        rows.append((line.at, line.fact_id.int, number, digest(line), length, place, kept))
        if self._staged > KEPT_LINES and len(rows) >= WRITTEN_AT_ONCE:
            self._write(kind)

    def settle(self) -> Iterator[RefusedLine]:
        """Call it when all lines are staged, and consume all faults that it yields.

        A fact_id that is repeated with the same content counts once. Of several contents the one with the least digest
        is recorded and every line with another is a fault, so that the order in the file makes no difference.
        """
        if self._database is not None or self._some_repeated():
            yield from self._give_up_repeated(self._write_all())
        for profile_id, at in self._erasures.values():
            self.erased_at[profile_id] = min(self.erased_at.get(profile_id, at), at)

    def divide(self, stored: Callable[[list[UUID], list[UUID]], portions.Stored] | None) -> int:
        """Divides the lines of people's kinds so that each portion can be recorded by itself; returns their number.

        `stored` looks stays and invitations up; None if the company has none.
        """
        if self._database is None and self._of_people() <= portions.PORTION_LINES:
            return 1
        database = self._write_all()
        tables = {kind: self._tables[kind] for kind in portions.TOGETHER if kind in self._tables}
        return portions.divide(database, tables, stored)

    def batches(self, kind: str, portion: int = 0) -> Iterator[list[Staged]]:
        """The lines of a kind and portion in order of (`at`, `fact_id`), in batches bounded by count and bytes."""
        validate = KINDS[kind].__pydantic_validator__.validate_json
        batch: list[Staged] = []
        size = 0
        for number, line_digest, length, place, kept in self._in_order(kind, portion):
            if batch and (len(batch) >= BATCH_LINES or size + length > BATCH_BYTES):
                yield batch
                batch, size = [], 0
            line = kept
            if line is None:
                assert self._spool is not None
                self._spool.seek(place)
                line = validate(self._spool.read(length))
                self._lighten(line)
            batch.append(Staged(number, line, line_digest))
            size += length
        if batch:
            yield batch

    def _in_order(self, kind: str, portion: int) -> Iterator[tuple[int, bytes, int, int, FactLine | None]]:
        """Number, digest, length, place in the temporary file, and the line itself if it is kept."""
        if self._database is None:
            for _, _, number, line_digest, length, place, kept in sorted(self._rows.get(kind, ())):
                yield number, line_digest, length, place, None if isinstance(kept, tuple) else kept
        elif kind in self._tables:
            of_portion = f"WHERE portion = {portion}" if kind in portions.TOGETHER else ""
            for number, line_digest, length, place in self._database.execute(
                f"SELECT number, digest, length, place FROM {self._tables[kind]} {of_portion} ORDER BY at, fact_id"
            ):
                yield number, line_digest, length, place, self._kept.get(number)

    def _some_repeated(self) -> bool:
        return len({row[1] for rows in self._rows.values() for row in rows}) < self._staged

    def _of_people(self) -> int:
        return sum(len(self._rows.get(kind, ())) for kind in portions.TOGETHER)

    def _give_up_repeated(self, database: sqlite3.Connection) -> Iterator[RefusedLine]:
        """Removes all but one of the lines that share a fact_id."""
        gone: list[tuple[int]] = []
        recorded: tuple[bytes, bytes] | None = None
        database.execute("CREATE TABLE gone (number INTEGER PRIMARY KEY)")
        for fact_id, number, kind, line_digest in database.execute(_REPEATED.format(lines=self._all_lines())):
            if recorded is None or recorded[0] != fact_id:
                recorded = fact_id, line_digest
                continue
            gone.append((number,))
            self._erasures.pop(number, None)
            if recorded[1] == line_digest:
                self.repeated += 1
            else:
                sentence = "fact_id: occurs in the file with other content."
                yield RefusedLine(number, RefusalReason.REUSED, sentence, str(UUID(bytes=fact_id)), kind)
            if len(gone) >= WRITTEN_AT_ONCE:
                write(database, "INSERT INTO gone VALUES (?)", gone)
                gone = []
        write(database, "INSERT INTO gone VALUES (?)", gone)
        for table in self._tables.values():
            database.execute(f"DELETE FROM {table} WHERE number IN (SELECT number FROM gone)")

    def _lighten(self, line: FactLine) -> None:
        """Shares one set of field names among lines with the same fields: this saves 700 of a line's 1,600 bytes."""
        named = line.model_fields_set
        object.__setattr__(line, "__pydantic_fields_set__", self._named.setdefault(frozenset(named), named))

    def _set_aside(self, content: bytes) -> None:
        if self._spool is None:
            self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the staging
        self._spool.write(content)
        self._place += len(content)

    def _write_all(self) -> sqlite3.Connection:
        for kind in list(self._rows):
            self._write(kind)
        assert self._database is not None
        return self._database

    def _write(self, kind: str) -> None:
        if self._database is None:
            self._database = temporary_database()
        of_people = kind in portions.TOGETHER
        if kind not in self._tables:
            self._tables[kind] = f"of_{kind}"
            self._database.executescript((_TABLE + (_OF_PEOPLE if of_people else "")).format(table=self._tables[kind]))
        rows: list[tuple[Any, ...]] = []
        for at, fact_id, number, line_digest, length, place, kept in self._rows.pop(kind):
            about = kept
            if not isinstance(kept, tuple):
                self._kept[number] = kept
                about = portions.about(kept) if of_people else ()
            moment = (at - _EPOCH) // _MICROSECOND
            rows.append((number, moment, fact_id.to_bytes(16, "big"), line_digest, length, place, *about))
        columns = _ROW + (f", {_ABOUT}" if of_people else "")
        places = ", ".join("?" * len(rows[0]))
        write(self._database, f"INSERT INTO {self._tables[kind]} ({columns}) VALUES ({places})", rows)

    def _all_lines(self) -> str:
        """SQL of all lines."""
        each = (f"SELECT fact_id, number, '{kind}' AS kind, digest FROM {self._tables[kind]}" for kind in self._tables)
        return " UNION ALL ".join(each)
