"""Runs the statements that move shards, as the administrator of a cluster, and watches them while they run.

Citus itself moves companies, and requires a superuser at the coordinator (CLUSTER_ADMINISTRATOR_URL). Only the commands
that move companies connect as this superuser. A second connection checks four times a second: writes wait while Citus
hands a shard over, and a move is ended at once when a write has waited for nearly five seconds.

Rows under row-level security that is forced on their owner cannot be replicated as their owner, so the owner bypasses
it on the receiving node for the duration of the move (`receiving`). A killed process leaves this privilege behind, and
copies that nobody reads. Each command first runs `tidy`, which removes both.
"""

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final, Self
from urllib.parse import urlsplit

import psycopg
import psycopg.sql
from django.conf import settings
from django.db import connections

from compliance.tenancy.directory import TABLE_WITH_COMPANY
from compliance.tenancy.errors import MoveBusyError, MoveFailedError, NotDistributedError, WritesWaitedError
from compliance.tenancy.shards import Node

MOST_WAITED_SECONDS: Final = 4.0
"""A move is ended when a write has waited this long; ending it takes time too, so no write waits for five seconds."""
LOOK_SECONDS: Final = 0.25
TELL_SECONDS: Final = 5.0
CLEARING_SECONDS: Final = 10.0
"""`tidy` ends when nothing was removed for this long: Citus waits for readers of an old copy, or removes it later."""
_NAME: Final = "compliance moving"
_NODE: Final = re.compile(r"while executing command on (\S+)")
_WAITED = """
SELECT coalesce(max(extract(epoch FROM clock_timestamp() - l.waitstart)), 0)::float
FROM pg_locks l WHERE NOT l.granted AND l.pid <> %s::int AND %s::int = ANY(pg_blocking_pids(l.pid))
"""
_PROGRESS = """
SELECT lower(max(status)), sum(source_shard_size)::bigint, sum(target_shard_size)::bigint
FROM get_rebalance_progress() WHERE progress = 1
"""

Tell = Callable[[str], None]


class Administration:
    """Two connections as the administrator; at most one of these exists in a cluster."""

    def __init__(self) -> None:
        self._looking = _connect()
        self.longest_wait = 0.0
        """The longest time, in seconds, that any statement was seen to wait for a move."""

    def __enter__(self) -> Self:
        try:
            ((mine,),) = self.fetch("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [_NAME])
            if not mine:
                raise MoveBusyError("Companies are being moved already. Wait until that command has ended.")
            ((self._owner,),) = self.fetch(
                "SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = %s::regclass", [TABLE_WITH_COMPANY]
            )
            self._end_others()
            self.tidy()
        except BaseException:
            self._looking.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._looking.close()

    def fetch(self, statement: str, parameters: Sequence[Any] = (), /) -> list[tuple[Any, ...]]:
        """Runs a statement at the coordinator and returns its rows. Raises MoveFailedError."""
        try:
            cursor = self._looking.execute(statement, parameters or None)
            return cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            raise MoveFailedError(_sentence(error)) from error

    def tidy(self) -> int:
        """Removes what ended moves left on the nodes that answer. Returns how many tables are still left."""
        self._let_owner_pass(self.fetch("SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0"), passes=False)
        before, since = None, time.monotonic()
        while True:
            self.fetch("CALL citus_cleanup_orphaned_resources()")
            ((left,),) = self.fetch("SELECT count(*) FROM pg_dist_cleanup")
            now = time.monotonic()
            if left != before:
                before, since = left, now
            if not left or now - since > CLEARING_SECONDS:
                return int(left)
            time.sleep(LOOK_SECONDS)

    @contextlib.contextmanager
    def receiving(self, node: Node) -> Iterator[None]:
        """Lets the tables' owner bypass row-level security on `node`, and only there, while rows are replicated to it.

        Raises MoveFailedError when the node does not answer.
        """
        place = [(node.host, node.port)]
        if not self._let_owner_pass(place, passes=True):
            raise MoveFailedError(f"The node {node.name} does not answer. Nothing was moved.")
        try:
            yield
        finally:
            with contextlib.suppress(MoveFailedError):  # the next command tidies
                self._let_owner_pass(place, passes=False)

    def run(self, statement: str, parameters: Sequence[Any], tell: Tell) -> None:
        """Runs one statement that moves shards, on a connection of its own, and watches it.

        Raises WritesWaitedError when it was ended because writes had to wait, MoveFailedError when it failed.
        """
        with contextlib.closing(_connect()) as moving, ThreadPoolExecutor(1) as executor:
            mover = moving.info.backend_pid
            under_way = executor.submit(moving.execute, statement, parameters)
            try:
                self._look_on(under_way, mover, tell)
            finally:
                if not under_way.done():
                    with contextlib.suppress(MoveFailedError):
                        self._end(mover)
                wait([under_way])
            try:
                under_way.result()
            except psycopg.Error as error:
                raise MoveFailedError(_sentence(error)) from error

    def _look_on(self, under_way: "Future[Any]", mover: int, tell: Tell) -> None:
        begun = reported = time.monotonic()
        while not wait([under_way], LOOK_SECONDS).done:
            ((waited,),) = self.fetch(_WAITED, [mover, mover])
            self.longest_wait = max(self.longest_wait, waited)
            if waited >= MOST_WAITED_SECONDS:
                self._end(mover)
                raise WritesWaitedError(f"Writes had waited for {waited:.1f} s, so the move was ended.")
            now = time.monotonic()
            if now - reported >= TELL_SECONDS:
                reported = now
                tell(f"{now - begun:.0f} s: {self._progress()}")

    def _progress(self) -> str:
        try:
            ((status, whole, done),) = self.fetch(_PROGRESS)
        except MoveFailedError:  # a node did not answer with the size of its copy; the move reports what is wrong
            status, whole, done = None, 0, 0
        if not status or not whole:
            return "under way"
        return f"{status}, {min(done or 0, whole) / 1e6:,.1f} of {whole / 1e6:,.1f} MB"

    def _end(self, mover: int) -> None:
        # Terminated, not cancelled: its locks are released at once, and `tidy` removes what it leaves.
        self.fetch("SELECT pg_terminate_backend(%s::int, 5000)", [mover])

    def _end_others(self) -> None:
        """Ends the connections of a killed command. No other command is moving, because this one holds the lock."""
        self.fetch(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE application_name = %s AND datname = current_database() AND pid <> pg_backend_pid()",
            [_NAME],
        )

    def _let_owner_pass(self, places: list[tuple[Any, ...]], *, passes: bool) -> bool:
        """Lets the owner bypass row-level security on these nodes alone, or no longer. Returns whether all answered."""
        word = "BYPASSRLS" if passes else "NOBYPASSRLS"
        owner = psycopg.sql.Identifier(self._owner).as_string()
        change = f"SET citus.enable_ddl_propagation = off; ALTER ROLE {owner} {word}"
        hosts, ports = [host for host, _ in places], [port for _, port in places]
        heard = self.fetch(
            "SELECT success FROM master_run_on_worker(%s::text[], %s::int[], %s::text[], false)",
            [hosts, ports, [change] * len(places)],
        )
        return all(success for (success,) in heard)


def _connect() -> psycopg.Connection[Any]:
    """A connection as the administrator, to the service's database. Raises NotDistributedError, MoveFailedError."""
    address = settings.CLUSTER_ADMINISTRATOR_URL
    if not settings.CLUSTER:
        raise NotDistributedError("CLUSTER is not 1: this installation has one PostgreSQL, and nothing is to be moved.")
    if not address:
        raise NotDistributedError(
            "CLUSTER_ADMINISTRATOR_URL is not set: companies are moved by a superuser at the coordinator"
            " (docs/operations.md, `Moving a company`)."
        )
    parts, used = urlsplit(address), connections["default"].settings_dict
    try:
        connection = psycopg.connect(
            parts._replace(path=f"/{used['NAME']}").geturl(),
            autocommit=True,
            connect_timeout=used["OPTIONS"]["connect_timeout"],
            application_name=_NAME,
            # The server ends a statement soon after its client is gone.
            options="-c client_connection_check_interval=1s -c statement_timeout=0",
        )
    except psycopg.Error as error:
        raise MoveFailedError(f"The coordinator does not take the administrator: {_sentence(error)}") from error
    return connection


def _sentence(error: psycopg.Error) -> str:
    """The server's message in one line, without its details, which may quote rows.

    The coordinator repeats a node's message with the node's prefix, and names the node only in the error's context.
    """
    message = (error.diag.message_primary or str(error)).strip().partition("\n")[0] or type(error).__name__
    message = message.removeprefix("ERROR:").strip().rstrip(".")
    message = f"{message[:1].upper()}{message[1:]}."
    node = _NODE.search(error.diag.context or "")
    return message if node is None or node[1] in message else f"The node {node[1]} answers: {message}"
