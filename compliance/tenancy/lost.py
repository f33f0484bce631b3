"""Which errors mean that the database is away, rather than that a statement was wrong.

A primary that dies, is shut down or becomes a standby ends its connections or refuses writes, in many ways that all
mean the same to a caller: try again, another server will have taken over. Interfaces answer these errors with 503, and
tasks are tried again; this module alone decides which errors they are.
"""

import re
from typing import Final

import psycopg
from django.db import InterfaceError, InternalError, OperationalError, connections

RETRY_AFTER_SECONDS: Final = 5
"""How long callers are asked to wait. A failover takes ten to thirty seconds; asking again sooner does not help."""

ERRORS: Final = (OperationalError, InterfaceError, InternalError)
"""Django's classes of these errors, which other errors have too; for code that tries again after any of them."""

_CONNECTION_EXCEPTION: Final = "08"
_STATES: Final = frozenset(
    {
        "57P01",  # the server is shut down, or somebody ended the connection
        "57P02",  # a process of the server died, so all were ended
        "57P03",  # the server starts, or shuts down
        "57P05",  # the connection was idle for longer than the server allows
        "25006",  # the server has become a standby: it refuses writes
        "53300",  # the server has no connection left
    }
)
_INTERNAL: Final = "XX000"
_OF_A_NODE: Final = "while executing command on"
"""How Citus names an error's node. A broken connection to it has no SQLSTATE of its own: Citus gives _INTERNAL."""
_BROKE: Final = re.compile(
    r"terminating connection|server closed the connection|connection (lost|not open)"
    r"|failure on connection marked as essential"
)
"""Messages of Citus, with _INTERNAL, for a broken connection to a node that they do not name."""
_ENDS: Final = "postmaster was shut down"
"""The message of Citus, with _INTERNAL, in a process of a coordinator that was killed."""


def is_lost(error: BaseException | None) -> bool:
    """Whether an error, or the driver's error that caused it, means that the database is away."""
    if isinstance(error, InterfaceError) and error.__cause__ is None:
        return True  # Django's own: the connection is closed
    return any(_says_so(each) for each in (error, getattr(error, "__cause__", None)))


class NodeAwayError(psycopg.OperationalError):
    """A node of a cluster is silent. Handled as a lost connection, although the one to the coordinator works."""


def node_away() -> OperationalError:
    """The error for statements about a company whose node does not answer; callers see a lost connection."""
    error = OperationalError("A node of the database does not answer.")
    error.__cause__ = NodeAwayError(*error.args)
    return error


def let_go(error: BaseException | None) -> None:
    """Closes the connections of this thread, so that the next statement looks for the primary again.

    A server that refuses writes answers everything else, so nothing else would close them. A connection within a
    transaction that was opened around the request (the suite does so) is kept. So are connections to a coordinator that
    only lacks a node: every call for a company there would connect again, at the expense of all others.
    """
    if _is_of_a_node(error):
        for connection in connections.all(initialized_only=True):
            connection.close_if_unusable_or_obsolete()
        return
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


def _is_of_a_node(error: BaseException | None) -> bool:
    """Whether a working coordinator reports that a node is away; for a lost coordinator libpq gives no SQLSTATE."""
    cause = getattr(error, "__cause__", None) or error
    if not isinstance(cause, psycopg.Error):
        return False
    state = cause.sqlstate or ""
    return isinstance(cause, NodeAwayError) or state.startswith(_CONNECTION_EXCEPTION) or _tells_of_a_node(cause)


def _tells_of_a_node(error: psycopg.Error) -> bool:
    if _OF_A_NODE in (error.diag.context or ""):
        return True
    return error.sqlstate == _INTERNAL and _BROKE.search(error.diag.message_primary or "") is not None


def _says_so(error: BaseException | None) -> bool:
    if not isinstance(error, psycopg.Error):
        return False
    state = error.sqlstate
    if state is None:  # libpq's own: it reached no server, or the connection broke
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    if state == _INTERNAL:
        return _tells_of_a_node(error) or _ENDS in (error.diag.message_primary or "")
    return state.startswith(_CONNECTION_EXCEPTION) or state in _STATES
