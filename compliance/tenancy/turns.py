"""Turns: long work for one company is done one piece at a time, so that it never occupies all workers.

A turn is an advisory lock of PostgreSQL on a connection of its own, outside of any transaction. It ends with its
process, however that ends, and is stored in no row. It is released before the connection is closed: PostgreSQL releases
a closed connection's locks a moment later, and a caller in between would be refused.
"""

import contextlib
import uuid
from collections.abc import Iterator

from django.db import Error, connection


@contextlib.contextmanager
def turn(organization_id: uuid.UUID, what: str) -> Iterator[bool]:
    """Takes the company's turn for `what` until the block ends. Gives False, at once, where another process has it."""
    own = connection.copy()
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [f"{what} {organization_id}"])
            (mine,) = cursor.fetchone()
            try:
                yield bool(mine)
            finally:
                with contextlib.suppress(Error):  # a connection that was lost has lost its lock
                    cursor.execute("SELECT pg_advisory_unlock_all()")
    finally:
        own.close()
