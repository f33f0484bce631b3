"""The company context: a transaction in which row-level security shows one company's rows (design 11)."""

import contextlib
import uuid
from collections.abc import Iterator
from contextvars import ContextVar

from django.db import connection, transaction

from compliance.tenancy.errors import OtherCompanyError

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
    token = _company.set(organization_id)
    try:
        with transaction.atomic():
            _set(str(organization_id))
            yield
            if len(connection.savepoint_ids) > 0:
                # Someone opened a transaction around this block (the suite does): leave it without a company.
                _set("")
    finally:
        _company.reset(token)


def current_company() -> uuid.UUID | None:
    """The company whose context is open, None outside of one."""
    return _company.get()


def _set(value: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('app.organization', %s, true)", [value])
