"""Temporary databases for what grows with a file and must be sorted, or known again, before it is recorded.

SQLite's own kind: in memory while it is small, then in a file without a name, which is gone with the process.
"""

import sqlite3
from collections.abc import Iterable
from typing import Any

CACHE_KIBIBYTES = 16 * 1024
"""How much of one is held in memory at most."""


def temporary_database() -> sqlite3.Connection:
    """A database that nobody else sees. Nothing is asked of it after a crash, so nothing is kept for one."""
    database = sqlite3.connect("", isolation_level=None)
    for pragma in (f"cache_size = -{CACHE_KIBIBYTES}", "journal_mode = OFF", "synchronous = OFF", "temp_store = FILE"):
        database.execute(f"PRAGMA {pragma}")
    return database


def write(database: sqlite3.Connection, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Runs a statement for each row, within one transaction: each of its own costs more than the row."""
    database.execute("BEGIN")
    database.executemany(statement, rows)
    database.execute("COMMIT")
