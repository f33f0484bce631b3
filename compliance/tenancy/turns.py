"""Turns: work for one company is done one piece at a time, so that it never occupies all workers or counts past others.

A turn is an advisory lock of PostgreSQL, on a connection or within a transaction. It ends with its process, however
that ends, and is stored in no row.
"""

import contextlib
import uuid
from collections.abc import Iterator

from django.db import Error, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from compliance.tenancy import sql


@contextlib.contextmanager
def turn(organization_id: uuid.UUID, what: str) -> Iterator[bool]:
    """Takes the company's turn for `what` until the block ends. Gives False, at once, where another process has it.

    It has a connection of its own, so it outlasts whatever happens to the connection of long work. It is released
    before that is closed: PostgreSQL releases a closed connection's locks a moment later, and a caller in between would
    be refused.
    """
    own = connection.copy()
    try:
        with _turn_on(own, organization_id, what) as mine:
            yield mine
    finally:
        own.close()


@contextlib.contextmanager
def short_turn(organization_id: uuid.UUID, what: str) -> Iterator[bool]:
    """As `turn`, for work of seconds: on the connection of this thread, since another one costs more than such work.

    It ends early where that connection is lost, and with it the work. The thread that has it is not refused it.
    """
    with _turn_on(connection, organization_id, what) as mine:
        yield mine


def wait_for_turn(organization_id: uuid.UUID, what: str) -> None:
    """Waits for the company's turn for `what` and has it until this transaction ends.

    Take it before you read what you decide by, and before you read the clock, so that what is recorded is later than
    what was waited for.
    """
    sql.fetch("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"{what} {organization_id}"])


@contextlib.contextmanager
def _turn_on(on: BaseDatabaseWrapper, organization_id: uuid.UUID, what: str) -> Iterator[bool]:
    name = [f"{what} {organization_id}"]
    with on.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", name)
        (mine,) = cursor.fetchone()
    try:
        yield bool(mine)
    finally:
        if mine:
            with contextlib.suppress(Error), on.cursor() as cursor:  # a connection that was lost has lost its lock
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", name)
