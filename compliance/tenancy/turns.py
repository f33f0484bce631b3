"""Turns: what takes long is done for one company one piece at a time, so that it never holds all workers.

A turn is a lock of PostgreSQL on a connection of its own, outside of any transaction: it ends with its process,
however that ends, and no row tells of it. It is given back before the connection is closed: PostgreSQL gives a closed
connection's locks back a moment later, and who asked in between would have been refused.
"""

import contextlib
import uuid
from collections.abc import Iterator

from django.db import Error, connection


@contextlib.contextmanager
def turn(organization_id: uuid.UUID, what: str) -> Iterator[bool]:
    """Takes the company's turn for `what` until the block ends; False, at once, where somebody has it."""
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
