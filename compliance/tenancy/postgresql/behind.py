"""Detects nodes of a cluster that hang while the coordinator answers.

The coordinator waits for such a node as long as it is silent: no timeout ends the wait, since the coordinator first
asks the node to cancel. So once a statement about a company has had no answer for a while, a thread of this process
asks the coordinator whether the company's node takes a new connection. If it does not, connections that wait for it are
cut, and until it does, statements about its companies fail at once.
"""

import os
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

import psycopg
import structlog
from django.db.backends.base.base import BaseDatabaseWrapper

from compliance.tenancy import lost
from compliance.tenancy.directory import JOINED_NODE

logger = structlog.get_logger(__name__)

# Fractions of the patience: how long a node may take for a new connection, how soon a silent one is asked again, and
# how long a good answer counts.
_ANSWERS: Final = 0.3
_AGAIN: Final = 0.25
_COUNTS: Final = 0.5

Node = tuple[str, int]
Ask = Callable[[], "psycopg.Connection[Any]"]

_NODES_OF: Final = (
    f"SELECT DISTINCT n.nodename, n.nodeport FROM unnest(%s::uuid[]) AS o (organization_id) {JOINED_NODE}"  # noqa: S608
)
_COMPANIES_OF: Final = (
    f"SELECT o.organization_id FROM tenancy_organization o {JOINED_NODE} WHERE n.nodename = %s AND n.nodeport = %s"  # noqa: S608
)


class Nodes:
    """What one process knows about the nodes: which connection serves which company, and which nodes are silent."""

    def __init__(self) -> None:
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._concerned: WeakKeyDictionary[psycopg.Connection[Any], uuid.UUID] = WeakKeyDictionary()
        self._silent: dict[Node, frozenset[uuid.UUID]] = {}
        self._suspected: set[uuid.UUID] = set()
        self._well: dict[uuid.UUID, float] = {}
        self._thread: threading.Thread | None = None

    def concern(self, django: BaseDatabaseWrapper, organization_id: uuid.UUID) -> None:
        """Records which company the next statements of a connection are about.

        Raises OperationalError at once, as for a lost connection, when the company's node is known to be silent.
        """
        if self.is_silent(organization_id):
            raise lost.node_away()
        if django.connection is not None:
            self._concerned[django.connection] = organization_id

    def forget(self, django: BaseDatabaseWrapper) -> None:
        """Records that the next statements of a connection are about no company: no node can delay them."""
        if django.connection is not None:
            self._concerned.pop(django.connection, None)

    def concerned(self, connection: "psycopg.Connection[Any]") -> uuid.UUID | None:
        """The company that a connection's statements are about, if it was recorded."""
        return self._concerned.get(connection)

    def is_silent(self, organization_id: uuid.UUID) -> bool:
        """Whether the company's node took no connection when it was last asked, a short time ago."""
        return any(organization_id in companies for companies in self._silent.values())

    def suspect(self, organization_id: uuid.UUID, ask: Ask, patience: float, found: Callable[[], None]) -> None:
        """Starts to check a company's node, on a connection to the coordinator that `ask` opens, and returns at once.

        Another thread calls `found` when it has found a silent node.
        """
        if time.monotonic() - self._well.get(organization_id, -patience) < patience * _COUNTS:
            return
        with self._lock:
            self._suspected.add(organization_id)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._look, args=[ask, patience, found], name="asks nodes", daemon=True
                )
                self._thread.start()

    def _look(self, ask: Ask, patience: float, found: Callable[[], None]) -> None:
        """Checks nodes until none is silent or suspected, or until the coordinator itself is away."""
        try:
            with ask() as connection:
                connection.execute(f"SET citus.node_connection_timeout = {int(patience * _ANSWERS * 1000)}")
                # The coordinator would wait without limit for a connection that it had kept.
                connection.execute("SET citus.max_cached_conns_per_worker = 0")
                while self._look_once(connection, found):
                    time.sleep(patience * _AGAIN)
        except psycopg.Error:
            with self._lock:
                self._thread = None
                self._silent = {}

    def _look_once(self, connection: "psycopg.Connection[Any]", found: Callable[[], None]) -> bool:
        """Checks the nodes that are silent or suspected. Returns whether to go on."""
        with self._lock:
            suspected, self._suspected = self._suspected, set()
        asked = connection.execute(_NODES_OF, [list(suspected)]).fetchall()
        for node in {*asked, *self._silent}:
            answers = connection.execute("SELECT citus_check_connection_to_node(%s::text, %s::int)", node).fetchone()
            if answers == (True,):
                if node in self._silent:
                    logger.info("database_node_back", node=f"{node[0]}:{node[1]}")
                self._silent = {each: companies for each, companies in self._silent.items() if each != node}
            else:
                companies = frozenset(row[0] for row in connection.execute(_COMPANIES_OF, node))
                if node not in self._silent:
                    logger.warning("database_node_away", node=f"{node[0]}:{node[1]}", companies=len(companies))
                self._silent = {**self._silent, node: companies}
        if self._silent:
            found()
        moment = time.monotonic()
        self._well = {
            **{each: since for each, since in self._well.items() if moment - since < 60},
            **{each: moment for each in suspected if not self.is_silent(each)},
        }
        with self._lock:
            going_on = bool(self._silent or self._suspected)
            if not going_on:
                self._thread = None
        return going_on


nodes: Final = Nodes()
"""The nodes as this process knows them."""
