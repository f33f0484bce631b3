"""Detects servers that are silent: frozen, cut off from the network, or waiting for a standby that is gone.

TCP detects a machine that is gone, but not one whose programs hang while its network still answers: a thread would wait
for it for ever. So one thread of each process checks the connections several times a second. When a statement has had
no answer for a while, it asks the server for a sign of life. Without one it cuts the connection, which the waiting
thread sees as a lost connection (`tenancy/lost.py`). A server that answers statements is not asked.
"""

import contextlib
import os
import socket
import struct
import threading
import time
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import psycopg
from psycopg import pq

from compliance.tenancy.postgresql.behind import Ask, nodes

# Fractions of the patience, at most 1 in sum: the time between two checks; how long a statement is without an answer
# before its server is asked; how long an earlier sign of life counts; how long the next may take.
_LOOKS: Final = 0.1
_WITHOUT_ANSWER: Final = 0.3
_SUSPICIOUS: Final = 0.2  # for a node of a cluster, which is asked through the coordinator
_COUNTS: Final = 0.2
_ANSWERS: Final = 0.4

_SIGN_OF_LIFE: Final = struct.pack("!ii", 8, 80877103)
"""The first message of a client that wants TLS (SSLRequest). Any server answers it with one byte, before all else."""

_TCP_INFO_LAST: Final = struct.Struct("=8B9I4I")
"""The beginning of Linux's `struct tcp_info`. The last four fields: milliseconds since data and
acknowledgements were sent, and since they were received."""


class Server(NamedTuple):
    """Where a PostgreSQL is served."""

    host: str
    port: int


class _Watched(NamedTuple):
    """A connection. `ends` are its addresses: its file descriptor may be another connection's when it is to be cut."""

    server: Server
    ends: tuple[object, object]
    patience: float
    longest: float | None
    ask: Ask | None


class Watcher:
    """The connections of one process, and the servers that give no sign of life."""

    def __init__(self) -> None:
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._connections: WeakKeyDictionary[psycopg.Connection[object], _Watched] = WeakKeyDictionary()
        self._silent: dict[Server, float] = {}
        self._answered: dict[Server, float] = {}
        self._thread: threading.Thread | None = None

    def watch(
        self, connection: "psycopg.Connection[object]", patience: float, longest: float | None, ask: Ask | None = None
    ) -> None:
        """Checks the connection from now on, until it is closed.

        `ask` opens another connection to the coordinator of a cluster; it is None on one plain server.
        """
        with contextlib.suppress(OSError), _socket_of(connection) as own:
            if own.family not in (socket.AF_INET, socket.AF_INET6) or not hasattr(socket, "TCP_INFO"):
                return
            server = Server(connection.info.host, connection.info.port)
            with self._lock:
                self._silent.pop(server, None)
                self._connections[connection] = _Watched(server, _ends(own), patience, longest, ask)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._look, name="watches connections", daemon=True)
                    self._thread.start()

    def answering(self, servers: list[Server], patience: float) -> list[Server]:
        """Those of `servers` that are not known to be silent; where there are several, each is asked first."""
        now = time.monotonic()
        if len(servers) > 1:
            for server in servers:
                if not self._is_silent(server, now) and not _gives_sign(server, patience * _ANSWERS):
                    self.note_silent([server], patience)
        return [server for server in servers if not self._is_silent(server, now)]

    def note_silent(self, servers: list[Server], patience: float) -> None:
        """Keeps new connections from trying these servers for `patience` seconds."""
        for server in servers:
            self._silent[server] = time.monotonic() + patience

    def _is_silent(self, server: Server, now: float) -> bool:
        """Whether it gave no sign of life when it was last asked, a short time ago."""
        return self._silent.get(server, 0.0) > now

    def _look(self) -> None:
        while (pause := self._look_once()) is not None:
            time.sleep(pause)

    def _look_once(self) -> float | None:
        """Checks every connection. Returns after how many seconds to do so again; None when none is left."""
        with self._lock:
            watched = list(self._connections.items())
            if not watched:
                self._thread = None
                return None
        asked = [(connection, each, _seconds_without_answer(connection)) for connection, each in watched]
        waiting = [each for each in asked if each[2] > each[1].patience * _WITHOUT_ANSWER]
        silent = self._ask({each.server: each.patience for _, each, _ in waiting})
        for connection, each, seconds in waiting:
            if each.server in silent or (each.longest is not None and seconds > each.longest):
                _cut(connection, each)
        for connection, each, seconds in asked:
            company = nodes.concerned(connection)
            if each.ask is not None and company is not None and seconds > each.patience * _SUSPICIOUS:
                if nodes.is_silent(company):
                    _cut(connection, each)  # its statement was sent before that was known
                else:
                    nodes.suspect(company, each.ask, each.patience, self._cut_silent)
        return min(each.patience for _, each in watched) * _LOOKS

    def _cut_silent(self) -> None:
        """Cuts the connections that wait for a silent node."""
        with self._lock:
            watched = list(self._connections.items())
        for connection, each in watched:
            company = nodes.concerned(connection)
            waits = _seconds_without_answer(connection) > each.patience * _SUSPICIOUS
            if waits and company is not None and nodes.is_silent(company):
                _cut(connection, each)

    def _ask(self, servers: dict[Server, float]) -> set[Server]:
        """Those of `servers`, each with its patience, that give no sign of life."""
        found = set()
        for server, patience in servers.items():
            if time.monotonic() - self._answered.get(server, -patience) < patience * _COUNTS:
                continue
            if _gives_sign(server, patience * _ANSWERS):
                self._answered[server] = time.monotonic()
            else:
                found.add(server)
                self.note_silent([server], patience)
        return found


watcher: Final = Watcher()
"""The watcher of this process."""


def _seconds_without_answer(connection: "psycopg.Connection[object]") -> float:
    """How long a statement has been under way without a byte of an answer; 0 when none is."""
    try:
        if connection.closed or connection.pgconn.transaction_status != pq.TransactionStatus.ACTIVE:
            return 0.0
        with _socket_of(connection) as own:
            info = own.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_LAST.size)
    except (OSError, psycopg.Error):
        return 0.0  # its thread has just closed it
    sent, _, came, _ = _TCP_INFO_LAST.unpack(info)[-4:]
    return float(min(sent, came)) / 1000


def _gives_sign(server: Server, seconds: float) -> bool:
    """Whether the server answers. A closed port counts as an answer: connecting to it fails at once."""
    try:
        with socket.create_connection(server, timeout=seconds) as asked:
            asked.settimeout(seconds)
            asked.sendall(_SIGN_OF_LIFE)
            return bool(asked.recv(1))
    except TimeoutError:
        return False
    except OSError:
        return True


def _cut(connection: "psycopg.Connection[object]", watched: _Watched) -> None:
    """Shuts the connection down while its thread waits, unless its file descriptor is another connection's by now."""
    with contextlib.suppress(OSError, psycopg.Error), _socket_of(connection) as own:
        if _ends(own) == watched.ends:
            own.shutdown(socket.SHUT_RDWR)


def _socket_of(connection: "psycopg.Connection[object]") -> socket.socket:
    """The connection's socket under another file descriptor: closing it does not close the connection."""
    return socket.socket(fileno=os.dup(connection.pgconn.socket))


def _ends(own: socket.socket) -> tuple[object, object]:
    return own.getsockname(), own.getpeername()
