"""The signer's memory of what it has signed, outside of the database: an SQLite file in the log's folder.

It is written in one transaction with each signed checkpoint, before anything is published. So a signer that dies at any
point continues from here: it publishes what it had signed and never signs another tree of the same size.
"""

import contextlib
import sqlite3
import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Self

from compliance.history.verify import Known
from compliance.log import folder
from compliance.log.errors import LogFolderError
from compliance.proofs.errors import TreeProofRefused
from compliance.proofs.merkle import CompactRange

_SCHEMA = """
CREATE TABLE IF NOT EXISTS signed (
    only INTEGER PRIMARY KEY CHECK (only = 1), origin TEXT NOT NULL, size INTEGER NOT NULL, tree_range BLOB NOT NULL,
    note TEXT NOT NULL, signed_at TEXT NOT NULL, size_before INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS leaf (
    position INTEGER PRIMARY KEY, kind TEXT NOT NULL, organization_id TEXT NOT NULL, capture_sequence INTEGER NOT NULL,
    entry BLOB NOT NULL, statement TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS company (
    organization_id TEXT PRIMARY KEY, capture_sequence INTEGER, chain_hash TEXT, tree_size INTEGER, tree_range BLOB
) STRICT, WITHOUT ROWID;
"""


class Signed(NamedTuple):
    """The newest signed checkpoint, and the size of the one before it (0: none)."""

    origin: str
    tree: CompactRange
    note: str
    signed_at: datetime
    size_before: int

    @property
    def size(self) -> int:
        """How many entries the checkpoint covers."""
        return self.tree.size


class NewLeaf(NamedTuple):
    """An entry of the log that has no place yet. `statement`: the text of an acceptance."""

    kind: str
    organization_id: uuid.UUID
    capture_sequence: int
    entry: bytes
    statement: str = ""


class Memory:
    """The open file. Every method raises LogFolderError when the file cannot be read or is not one of ours."""

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self._connection = connection
        self._file = file

    @classmethod
    @contextlib.contextmanager
    def opened(cls) -> Iterator[Self]:
        """Opens the file; it is made if it does not exist. Call it within `folder.locked`."""
        file = folder.made() / folder.MEMORY
        with _reported(file):
            connection = sqlite3.connect(file, isolation_level=None)
        try:
            with _reported(file):
                connection.execute("PRAGMA synchronous = EXTRA")
                connection.executescript(_SCHEMA)
                file.chmod(0o600)
            yield cls(connection, file)
        finally:
            connection.close()

    def signed(self) -> Signed | None:
        """The newest signed checkpoint; None before the first. Raises LogFolderError if the leaves do not match it."""
        with _reported(self._file):
            row = self._connection.execute(
                "SELECT origin, size, tree_range, note, signed_at, size_before FROM signed"
            ).fetchone()
            ((last,),) = self._connection.execute("SELECT coalesce(max(position) + 1, 0) FROM leaf").fetchall()
        if last != (row[1] if row else 0):
            raise LogFolderError(f"The file {self._file} does not hold the leaves of the checkpoint that it states.")
        if row is None:
            return None
        origin, size, hashes, note, signed_at, before = row
        return Signed(origin, self._range(size, hashes), note, datetime.fromisoformat(signed_at), before)

    def companies(self) -> dict[uuid.UUID, Known]:
        """For every company in the log, its newest signed capture and its tree after it."""
        with _reported(self._file):
            rows = self._connection.execute(
                "SELECT organization_id, capture_sequence, chain_hash, tree_size, tree_range FROM company"
                " WHERE capture_sequence IS NOT NULL"
            ).fetchall()
        return {uuid.UUID(company): Known(*known) for company, *known in rows}

    def unknown(self) -> set[uuid.UUID]:
        """The companies with remembered leaves but without a known newest capture: they are still to be accepted."""
        with _reported(self._file):
            rows = self._connection.execute("SELECT organization_id FROM company WHERE capture_sequence IS NULL")
            return {uuid.UUID(company) for (company,) in rows}

    def leaves(self, begin: int, end: int) -> Iterator[NewLeaf]:
        """The leaves from place `begin` up to, not including, `end`."""
        with _reported(self._file):
            rows = self._connection.execute(
                "SELECT kind, organization_id, capture_sequence, entry, statement FROM leaf"
                " WHERE position >= ? AND position < ? ORDER BY position",
                [begin, end],
            )
            for kind, company, number, entry, statement in rows:
                yield NewLeaf(kind, uuid.UUID(company), number, entry, statement)

    def captures_of(self, organization_id: uuid.UUID) -> dict[int, bytes]:
        """The valid entries of a company's captures, without those that an acceptance ended."""
        found: dict[int, bytes] = {}
        with _reported(self._file):
            rows = self._connection.execute(
                "SELECT kind, capture_sequence, entry FROM leaf WHERE organization_id = ? ORDER BY position",
                [str(organization_id)],
            )
            for kind, number, entry in rows:
                if kind == "capture":
                    found[number] = entry
                else:
                    found = {each: known for each, known in found.items() if each <= number}
        return found

    def commit(self, signed: Signed, leaves: Iterable[NewLeaf], companies: Mapping[uuid.UUID, Known | None]) -> None:
        """Stores a signed checkpoint, the leaves that it adds, and the companies' newest captures; all or nothing."""
        first = signed.size_before
        with _reported(self._file):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(
                    "INSERT INTO leaf VALUES (?, ?, ?, ?, ?, ?)",
                    (
                        (place, each.kind, str(each.organization_id), each.capture_sequence, each.entry, each.statement)
                        for place, each in enumerate(leaves, first)
                    ),
                )
                self._connection.executemany(
                    "INSERT OR REPLACE INTO company VALUES (?, ?, ?, ?, ?)",
                    ((str(company), *(known or (None,) * len(Known._fields))) for company, known in companies.items()),
                )
                self._connection.execute(
                    "INSERT OR REPLACE INTO signed VALUES (1, ?, ?, ?, ?, ?, ?)",
                    [
                        signed.origin, signed.size, signed.tree.to_bytes(), signed.note,
                        signed.signed_at.isoformat(), first,
                    ],
                )  # fmt: skip
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _range(self, size: int, hashes: bytes) -> CompactRange:
        try:
            return CompactRange.from_bytes(size, hashes)
        except TreeProofRefused as error:
            raise LogFolderError(f"The file {self._file} holds a tree that cannot be. {error}") from error


@contextlib.contextmanager
def _reported(file: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError, ValueError) as error:
        raise LogFolderError(f"The file {file} cannot be used ({error}).") from error
