"""For tests of two simultaneous transactions: waits until one really waits for the other, wherever its rows are."""

import time

from django.conf import settings

from compliance.tenancy import sql

_LONGEST_SECONDS = 60

_THIS = "SELECT citus_backend_gpid()" if settings.CLUSTER else "SELECT pg_backend_pid()"
_WAITING_FOR = (
    "SELECT 1 FROM citus_lock_waits WHERE blocking_gpid = %s"
    if settings.CLUSTER
    else "SELECT 1 FROM pg_locks WHERE %s = ANY(pg_blocking_pids(pid)) LIMIT 1"
)
_WAITING = (
    "SELECT 1 FROM citus_lock_waits WHERE waiting_gpid = %s"
    if settings.CLUSTER
    else "SELECT 1 FROM pg_locks WHERE pid = %s AND NOT granted LIMIT 1"
)


def this_session() -> int:
    """The number of this connection in the database; on a cluster all of its nodes know it."""
    ((found,),) = sql.fetch(_THIS)
    return int(found)


def until_somebody_waits_for_this_transaction() -> None:
    """Returns when another connection waits for a lock that this one holds."""
    _until(_WAITING_FOR, this_session())


def until_waiting(session: int) -> None:
    """Returns when the connection with the number of `this_session` waits for a lock."""
    _until(_WAITING, session)


def _until(statement: str, session: int) -> None:
    deadline = time.monotonic() + _LONGEST_SECONDS
    while not sql.fetch(statement, [session]):
        assert time.monotonic() < deadline, "nobody waits for a lock"
        time.sleep(0.01)
