"""The company context: a transaction in which row-level security shows one company's rows."""

import contextlib
import uuid
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Literal

from django.conf import settings
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import pq

from compliance.tenancy.errors import OtherCompanyError
from compliance.tenancy.postgresql.behind import nodes

_company: ContextVar[uuid.UUID | None] = ContextVar("company", default=None)


@contextlib.contextmanager
def company(organization_id: uuid.UUID) -> Iterator[None]:
    """Opens a transaction that sees and writes rows of `organization_id` only.

    Used by requests, tasks and commands alike. May be nested for the same company; for another one it raises
    OtherCompanyError, since the setting belongs to the transaction and not to the block.
    """
    before = _company.get()
    if before is not None:
        if before != organization_id:
            raise OtherCompanyError("A transaction serves one company; finish it before the next one.")
        with transaction.atomic():
            yield
        return
    close_unfinished(connection)
    token = _company.set(organization_id)
    try:
        with transaction.atomic():
            if settings.CLUSTER:
                nodes.concern(connection, organization_id)
            _set(organization_id)
            yield
            if len(connection.savepoint_ids) > 0:
                # Someone opened a transaction around this block (the suite does): leave it without a company.
                _set("")
    finally:
        close_unfinished(connection)
        if settings.CLUSTER:
            nodes.forget(connection)
        _company.reset(token)


def close_unfinished(django: BaseDatabaseWrapper) -> None:
    """Closes a connection whose transaction is still open although no block of Django's is.

    COMMIT or ROLLBACK may itself be interrupted, by a lost connection or by an exception from a signal handler. The
    company is set in that transaction, and the next user of the connection would be in it.
    """
    driver = django.connection
    if (
        driver is not None
        and not django.in_atomic_block
        and driver.pgconn.transaction_status != pq.TransactionStatus.IDLE
    ):
        django.close()
        django.autocommit = True  # its value after `connect`; a block that failed to end left it False


def current_company() -> uuid.UUID | None:
    """The company whose context is open, None outside of one."""
    return _company.get()


def _set(value: uuid.UUID | Literal[""]) -> None:
    # No function: Citus passes SET LOCAL on to its nodes, but not the effect of a function.
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL app.organization = '{value}'")
