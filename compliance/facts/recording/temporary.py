"""Temporary databases for data that grows with a file and must be sorted or looked up before it is recorded.

They are SQLite's temporary databases: in memory while small, then in an unnamed file that ends with the process.
"""

import sqlite3
from collections.abc import Iterable
from typing import Any

CACHE_KIBIBYTES = 16 * 1024
"""The most memory that one database uses."""


def temporary_database() -> sqlite3.Connection:
    """A private temporary database. It is never read after a crash, so it is not protected against one."""
    database = sqlite3.connect("", isolation_level=None)
    for pragma in (f"cache_size = -{CACHE_KIBIBYTES}", "journal_mode = OFF", "synchronous = OFF", "temp_store = FILE"):
        database.execute(f"PRAGMA {pragma}")
    return database


def write(database: sqlite3.Connection, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Runs a statement for each row, within one transaction: one for each row would take longer than the row."""
    database.execute("BEGIN")
    database.executemany(statement, rows)
    database.execute("COMMIT")
