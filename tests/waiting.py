"""For tests of two simultaneous transactions: waits until one really waits for the other, wherever its rows are."""

import time

from django.conf import settings

from compliance.tenancy import sql

_LONGEST_SECONDS = 60

# On a cluster, all nodes know the connection by this number.
_THIS_SESSION = "SELECT citus_backend_gpid()" if settings.CLUSTER else "SELECT pg_backend_pid()"
_WAITING_FOR = (
    "SELECT 1 FROM citus_lock_waits WHERE blocking_gpid = %s"
    if settings.CLUSTER
    else "SELECT 1 FROM pg_locks WHERE %s = ANY(pg_blocking_pids(pid)) LIMIT 1"
)


def until_somebody_waits_for_this_transaction() -> None:
    """Returns when another connection waits for a lock that this one holds."""
    ((session,),) = sql.fetch(_THIS_SESSION)
    deadline = time.monotonic() + _LONGEST_SECONDS
    while not sql.fetch(_WAITING_FOR, [session]):
        assert time.monotonic() < deadline, "nobody waits for a lock"
        time.sleep(0.01)
