"""Which errors mean that the database is away, and not that something is wrong with what was asked of it.

A primary that dies, is shut down or becomes a standby ends its connections or refuses writes, in many ways that all
mean the same to whoever asks: try again, another server will have taken over. Interfaces answer 503 to these errors,
tasks are tried again; this module alone says which they are.
"""

import re
from typing import Final

import psycopg
from django.db import InterfaceError, InternalError, OperationalError, connections

RETRY_AFTER_SECONDS: Final = 5
"""What callers are asked to wait. A failover takes some ten to thirty seconds; asking again sooner helps nobody."""

ERRORS: Final = (OperationalError, InterfaceError, InternalError)
"""The classes of Django's that such errors have, among others, for whoever tries again after any of these."""

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
"""How Citus names the node of an error. A connection to it that broke has no SQLSTATE: Citus gives _INTERNAL."""
_BROKE: Final = re.compile(
    r"terminating connection|server closed the connection|connection (lost|not open)"
    r"|failure on connection marked as essential"
)
"""What else Citus says with _INTERNAL of a connection to a node that broke, without its name."""
_ENDS: Final = "postmaster was shut down"
"""What Citus says with _INTERNAL in a process of a coordinator that was killed."""


def is_lost(error: BaseException | None) -> bool:
    """Whether an error, or the one that Django made it from, says that the database is away."""
    if isinstance(error, InterfaceError) and error.__cause__ is None:
        return True  # Django's own: the connection is closed
    return any(_says_so(each) for each in (error, getattr(error, "__cause__", None)))


class NodeAwayError(psycopg.OperationalError):
    """A node of a cluster is known to be silent: as a connection that was lost, and that of the coordinator is well."""


def node_away() -> OperationalError:
    """The error for who asks about a company whose node does not answer: to callers, as a connection that was lost."""
    error = OperationalError("A node of the database does not answer.")
    error.__cause__ = NodeAwayError(*error.args)
    return error


def let_go(error: BaseException | None) -> None:
    """Closes the connections of this thread, so that the next statement looks for the primary anew.

    A server that refuses writes answers all else, so nothing would notice by itself. A connection within a transaction
    that someone opened around the request (the suite does) stays, and so do those to a coordinator of which only a node
    is away: everybody who asks for a company there would connect anew, at the expense of all others.
    """
    if _is_of_a_node(error):
        for connection in connections.all(initialized_only=True):
            connection.close_if_unusable_or_obsolete()
        return
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


def _is_of_a_node(error: BaseException | None) -> bool:
    """Whether a coordinator that is well says that a node is away; of a lost coordinator libpq gives no SQLSTATE."""
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
