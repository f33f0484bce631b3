"""Runs one statement on every server of a cluster, including the coordinator, and finds why a server does not answer.

Citus gives the reason as text only, and only when it is asked to connect and do nothing else.
"""

import re
from typing import NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections

_ON_ALL = """
SELECT n.nodename || ':' || n.nodeport, n.groupid, r.success, r.result
FROM run_command_on_all_nodes(%s) r JOIN pg_dist_node n USING (nodeid) ORDER BY 1
"""
_CONNECTS = """
SELECT citus_check_connection_to_node(nodename, nodeport) FROM pg_dist_node
WHERE nodename || ':' || nodeport = ANY(%s)
"""
_REASON = re.compile(r"connection to the remote node .*@(\S+) failed(?: with the following error: (.*))?")
_NO_ANSWER = "no answer in time"

# Messages for a server that is not there: from Citus, from the server while it stops or starts, and from libpq. Any
# other message means that a server has answered.
_AWAY = re.compile(
    rf"{_NO_ANSWER}$|query result unavailable$|FATAL:  the database system is "
    r"|FATAL:  terminating connection (due to administrator command|because of crash of another server process)"
    r"|(?![A-Z]+: ).*(Connection refused|Connection reset by peer|[Tt]imed out|timeout expired|No route to host"
    r"|Network is unreachable|could not (translate host name|connect)|server closed the connection unexpectedly)"
)


class Answer(NamedTuple):
    """The `value` that a server, `host:port`, gave for a statement; `fault` is why it gave none, else empty.

    `group` is the server's number among Citus's groups of servers; the coordinator's is 0.
    """

    name: str
    group: int
    value: str
    fault: str

    @property
    def is_away(self) -> bool:
        """Whether the coordinator could not connect to it, or the connection was lost.

        A server that answers and refuses is not away. Nor is the coordinator, which asks the others.
        """
        return self.group != 0 and _AWAY.match(self.fault) is not None


def ask(statement: str, alias: str = DEFAULT_DB_ALIAS) -> list[Answer]:
    """The answers of all servers, in the order of their names.

    The coordinator makes new connections for this: it would wait for one that it had kept to a node that hangs.
    """
    with connections[alias].cursor() as cursor:
        cursor.execute(_ON_ALL, [statement])
        rows = cursor.fetchall()
    unconnected = [name for name, _, success, text in rows if not success and text == f"failed to connect to {name}"]
    reasons = _reasons(unconnected, alias) if unconnected else {}
    return [
        Answer(name, group, text if success else "", "" if success else reasons.get(name, text))
        for name, group, success, text in rows
    ]


def _reasons(names: list[str], alias: str) -> dict[str, str]:
    """Why the coordinator cannot connect to these servers: nobody answers, or the login is refused.

    Uses a connection of its own to the coordinator, which would otherwise reuse one that it had kept to the server.
    """
    warnings: list[str] = []
    own = connections[alias].copy()
    try:
        own.ensure_connection()
        own.connection.add_notice_handler(lambda notice: warnings.append(notice.message_primary or ""))
        with own.cursor() as cursor:
            cursor.execute(_CONNECTS, [names])
    finally:
        own.close()
    matches = [found for each in warnings if (found := _REASON.match(each))]
    return {found[1]: found[2] or _NO_ANSWER for found in matches}
