"""Reads with a time limit: a page is rendered without the result of a read that takes too long."""

from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, transaction
from psycopg.errors import QueryCanceled

from compliance.tenancy import sql

Found = TypeVar("Found")


def within(milliseconds: int, read: Callable[[], Found]) -> Found | None:
    """What `read` returns; None if one of its statements takes longer than `milliseconds`."""
    try:
        with transaction.atomic():
            ((before,),) = sql.fetch("SELECT current_setting('statement_timeout')")
            sql.execute(f"SET LOCAL statement_timeout = {int(milliseconds)}")
            found = read()
            sql.execute(f"SET LOCAL statement_timeout = '{before}'")
            return found
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            return None
        raise
