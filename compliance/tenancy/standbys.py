"""Streaming standbys that may answer in the primary's place (setting READ_DATABASE_URLS), and connections to them.

Each process checks each standby twice a second, on a thread and a connection of its own. A standby counts as healthy
while its last answer is fresh, so one that is dead, frozen or behind a broken network is left out within two seconds
and comes back by itself. A request neither connects nor waits for a connection: a pool makes connections in the
background, and a request that finds none asks the primary. The checking thread cuts off statements that hang.

Each transaction that reads asks again whether the standby has replayed far enough (`Written.condition`): nothing is
cached here that could let a reader see less than the primary had written.
"""

import contextlib
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from prometheus_client import Counter as MetricCounter
from psycopg import pq
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from compliance.tenancy import prepared, sql
from compliance.tenancy.errors import BehindError
from compliance.tenancy.prepared import Driver

LOOK_SECONDS = 0.5
"""The time from one check of a standby to the next."""
ANSWER_SECONDS = 1.0
"""How long a check may take; a statement may take twice that before it counts as hanging."""
FRESH_SECONDS = LOOK_SECONDS + ANSWER_SECONDS
STATEMENT_MILLISECONDS = 1000
"""After this the standby ends a statement, and the primary is asked, with all of READ_TIMEOUT_MILLISECONDS."""
MOST_CONNECTIONS = 16
LEFT_OUT_SECONDS = 1.0
"""How long a standby is not asked after a connection to it failed."""
_BEHIND_SECONDS = (0.01, 0.5)
"""How long it is not asked after it was behind: the first time, and at most."""
_WAIT_SECONDS = 0.001
LAGGING_SECONDS = 5.0
"""A standby that is further behind has the state `behind`."""

READS = MetricCounter(
    "svc_standby_reads", "Reads begun on a standby: answered, or left to the primary.", ["standby", "outcome"]
)


class Written(NamedTuple):
    """How far the primary had written when a question was pinned: what a standby must have replayed to answer it.

    `position` is after everything that was committed by then, including names and erasures. A standby that did not
    follow when another became the primary may be at a later position of an earlier timeline. `holds` is SQL of a
    further condition.
    """

    system_identifier: int
    timeline: int
    position: str
    holds: str

    @property
    def condition(self) -> str:
        """SQL of whether the standby that runs it has replayed as far."""
        return f"""pg_is_in_recovery()
AND (SELECT system_identifier FROM pg_control_system()) = {int(self.system_identifier)}
AND (SELECT greatest(c.timeline_id, r.min_recovery_end_timeline)
     FROM pg_control_checkpoint() c, pg_control_recovery() r) = {int(self.timeline)}
AND pg_last_wal_replay_lsn() >= '{position_text(self.position)}'::pg_lsn AND {self.holds}"""  # noqa: S608 - our own words


POSITION = """(SELECT system_identifier FROM pg_control_system()),
    CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) END,
    CASE WHEN pg_is_in_recovery() THEN NULL
         WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
         ELSE pg_current_wal_flush_lsn() END::text"""
"""SQL of three columns of the primary, for `written`. Commits are flushed before anybody sees them, unless
`synchronous_commit` is off: then all that was written counts."""


def written(system_identifier: int, timeline: str | None, position: str | None, holds: str) -> Written | None:
    """The meaning of the columns of POSITION; None where no primary answered."""
    if timeline is None or position is None:
        return None
    return Written(system_identifier, int(timeline, 16), position, holds)


def position_text(position: str) -> str:
    """A position in the write-ahead log as PostgreSQL writes it. Raises ValueError for any other text."""
    number = position_number(position)
    return f"{number >> 32:X}/{number & 0xFFFFFFFF:X}"


def position_number(position: str) -> int:
    """A position in the write-ahead log as a number of bytes."""
    high, low = position.split("/")
    return (int(high, 16) << 32) + int(low, 16)


class Seen(NamedTuple):
    """What a standby answered when it was last checked; `at` is of `time.monotonic`."""

    at: float
    in_recovery: bool
    system_identifier: int
    timeline: int
    position: str | None
    seconds: float
    """The time since the commit of the last transaction that it has replayed."""


_LOOK = b"""
SELECT pg_is_in_recovery(), s.system_identifier, greatest(c.timeline_id, r.min_recovery_end_timeline),
    pg_last_wal_replay_lsn(), coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0)
FROM pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r"""


class State(NamedTuple):
    """The state of a standby in one word, and how far it is behind its primary; None where that is not known."""

    standby: str
    state: str
    lag_bytes: int | None
    lag_seconds: float | None


class Loan:
    """A connection to a standby while a block reads on it. `since`: when the statement that it waits for was sent."""

    def __init__(self, standby: "Standby", driver: Driver) -> None:
        self.standby, self.driver = standby, driver
        self.since: float | None = None
        self._failed = False

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """Surrounds work that may wait for the standby. What hangs is cut off and raises psycopg's OperationalError."""
        self.since = time.monotonic()
        try:
            yield
        finally:
            self.since = None

    def cut_off(self) -> None:
        """Shuts the connection down while another thread waits for it."""
        with contextlib.suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(self.driver.fileno())) as held:
            held.shutdown(socket.SHUT_RDWR)

    def failed(self, error: Exception) -> None:
        """Records that the standby did not answer, so that it is left out for a while."""
        self._failed = True
        self.standby.note(self, error)

    def end(self) -> None:
        """Gives the connection back."""
        self.standby.take_back(self, answered=not self._failed)


class Standby:
    """One standby, as this process sees it."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.name = f"{parts.hostname}:{parts.port or 5432}"
        self.seen: Seen | None = None
        self.looked_at = False
        self.outcomes: Counter[str] = Counter()
        """How often it answered, was behind, or failed."""
        self._address = address
        self._loans: set[Loan] = set()
        self._lock = threading.Lock()
        self._left_out_until = 0.0
        self._behind = _BEHIND_SECONDS[0]
        self._ended = threading.Event()
        self._pool = ConnectionPool(
            address, kwargs=_connecting(), min_size=0, max_size=MOST_CONNECTIONS, num_workers=1, reconnect_timeout=5,
            open=True, name=f"standby {self.name}",
        )  # fmt: skip
        self._thread = threading.Thread(target=self._look_on, name=f"standby {self.name}", daemon=True)
        self._thread.start()

    def borrow(self, needed: Written) -> Loan | None:
        """A connection to it, if it is healthy and the pool has one; else None."""
        now, seen = time.monotonic(), self.seen
        if (
            seen is None
            or now - seen.at > FRESH_SECONDS
            or now < self._left_out_until
            or not seen.in_recovery
            or (seen.system_identifier, seen.timeline) != (needed.system_identifier, needed.timeline)
        ):
            return None
        try:
            loan = Loan(self, self._pool.getconn(timeout=_WAIT_SECONDS))
        except (PoolTimeout, PoolClosed):
            return None
        with self._lock:
            self._loans.add(loan)
        return loan

    def note(self, loan: Loan, error: Exception) -> None:
        """Leaves the standby out for a while after an error: a moment when it is behind, longer when it is lost."""
        now = time.monotonic()
        if isinstance(error, BehindError):
            self._count("behind")
            self._left_out_until = now + self._behind
            self._behind = min(self._behind * 2, _BEHIND_SECONDS[1])
            return
        self._count("failed")
        if loan.driver.pgconn.status != pq.ConnStatus.OK:
            self._left_out_until = now + LEFT_OUT_SECONDS

    def take_back(self, loan: Loan, *, answered: bool) -> None:
        """Returns the connection to the pool; one with an open transaction is closed first."""
        with self._lock:  # from here on nobody cuts it off
            self._loans.discard(loan)
        if answered:
            self._count("answered")
            self._behind = _BEHIND_SECONDS[0]
        if loan.driver.pgconn.transaction_status != pq.TransactionStatus.IDLE:
            loan.driver.close()
        self._pool.putconn(loan.driver)

    def state(self, system_identifier: int, timeline: int, position: str) -> State:
        """Its state, compared with that of its primary."""
        seen = self.seen
        if seen is None or time.monotonic() - seen.at > FRESH_SECONDS:
            return State(self.name, "unreachable" if self.looked_at else "unknown", None, None)
        if seen.system_identifier != system_identifier:
            return State(self.name, "other_database", None, None)
        if not seen.in_recovery or seen.position is None:
            return State(self.name, "not_a_standby", None, None)
        if seen.timeline != timeline:
            return State(self.name, "other_timeline", None, None)
        bytes_behind = max(position_number(position) - position_number(seen.position), 0)
        seconds = seen.seconds if bytes_behind else 0.0
        return State(self.name, "behind" if seconds > LAGGING_SECONDS else "ok", bytes_behind, round(seconds, 3))

    def close(self) -> None:
        """Ends its thread and its connections."""
        self._ended.set()
        self._thread.join()
        self._pool.close()

    def _count(self, outcome: str) -> None:
        self.outcomes[outcome] += 1
        READS.labels(self.name, outcome).inc()

    def _look_on(self) -> None:
        connection: Driver | None = None
        while True:
            try:
                if connection is None:
                    connection = psycopg.connect(self._address, **_connecting())
                self.seen = _looked(connection)
            except (psycopg.Error, OSError):
                self.seen = None
                if connection is not None:
                    connection.close()
                    connection = None
            self.looked_at = True
            self._cut_off(2 * ANSWER_SECONDS if self.seen is not None else 0.0)
            if self._ended.wait(LOOK_SECONDS):
                break
        if connection is not None:
            connection.close()

    def _cut_off(self, seconds: float) -> None:
        """Shuts down the connections whose statement has taken longer than `seconds`."""
        now = time.monotonic()
        with self._lock:
            for loan in self._loans:
                since = loan.since
                if since is not None and now - since > seconds:
                    loan.cut_off()


def _connecting() -> dict[str, Any]:
    """The parameters of a connection to a standby: short timeouts, read-only."""
    return {
        "autocommit": True,
        "prepare_threshold": None,
        "client_encoding": "utf8",
        "application_name": "compliance",
        "connect_timeout": 2,
        "tcp_user_timeout": 1500,
        "keepalives_idle": 2,
        "keepalives_interval": 1,
        "keepalives_count": 2,
        "options": "-c default_transaction_read_only=on",
    }


def _looked(connection: Driver) -> Seen:
    """The state that the standby reports. Raises OperationalError when it does not answer in time."""
    libpq = connection.pgconn
    libpq.send_query(_LOOK)
    libpq.flush()
    prepared.wait(connection, ANSWER_SECONDS)
    result = libpq.get_result()
    prepared.wait(connection, ANSWER_SECONDS)
    if result is None or libpq.get_result() is not None or result.status != pq.ExecStatus.TUPLES_OK:
        raise psycopg.OperationalError("The standby does not say where it is.")
    in_recovery, system_identifier, timeline, position, seconds = (
        (result.get_value(0, column) or b"").decode() for column in range(5)
    )
    return Seen(
        time.monotonic(), in_recovery == "t", int(system_identifier), int(timeline), position or None, float(seconds)
    )


_standbys: tuple[Standby, ...] = ()
_addresses: tuple[str, ...] = ()
_choosing = threading.Lock()
_turn = count()
_inherited: list[tuple[Standby, ...]] = []
"""Standbys of the process that this one was forked from: never used, as their connections are in use there."""


def of_process() -> tuple[Standby, ...]:
    """The standbys of READ_DATABASE_URLS, checked from the first call on; none where the setting is empty."""
    global _standbys, _addresses
    wanted = tuple(settings.READ_DATABASE_URLS)
    if wanted != _addresses:
        with _choosing:
            if wanted != _addresses:
                for each in _standbys:
                    each.close()
                _standbys, _addresses = tuple(Standby(address) for address in wanted), wanted
    return _standbys


def borrow(needed: Written) -> Loan | None:
    """A connection to a healthy standby, each in turn; None where the primary has to answer."""
    found = of_process()
    first = next(_turn)
    for number in range(len(found)):
        loan = found[(first + number) % len(found)].borrow(needed)
        if loan is not None:
            return loan
    return None


def states() -> list[State]:
    """The state of each standby compared with the primary, which is asked; empty where the setting is empty."""
    found = of_process()
    if not found:
        return []
    ((system_identifier, timeline, position),) = sql.fetch(f"SELECT {POSITION}")
    if timeline is None:
        return [State(each.name, "unknown", None, None) for each in found]
    return [each.state(system_identifier, int(timeline, 16), position) for each in found]


def _forget_in_child() -> None:
    """A forked process has none of its parent's threads: it begins anew."""
    global _standbys, _addresses
    _inherited.append(_standbys)
    _standbys, _addresses = (), ()


os.register_at_fork(after_in_child=_forget_in_child)
