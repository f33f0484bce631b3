"""One statement asked of every server of a cluster, the coordinator too, and why a server does not answer.

Citus says the reason in words alone, and only when it is asked to connect and do nothing else.
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

# What is said of a server that is not there: by Citus, by the server as it goes or comes, and by PostgreSQL's library.
# Whatever else is said, somebody has answered.
_AWAY = re.compile(
    rf"{_NO_ANSWER}$|query result unavailable$|FATAL:  the database system is "
    r"|FATAL:  terminating connection (due to administrator command|because of crash of another server process)"
    r"|(?![A-Z]+: ).*(Connection refused|Connection reset by peer|[Tt]imed out|timeout expired|No route to host"
    r"|Network is unreachable|could not (translate host name|connect)|server closed the connection unexpectedly)"
)


class Answer(NamedTuple):
    """What a server, `host:port`, says to a statement that gives one value; `fault` is why it does not, else empty.

    `group` is its number among Citus's groups of servers, 0 that of the coordinator.
    """

    name: str
    group: int
    said: str
    fault: str

    @property
    def is_away(self) -> bool:
        """Whether the coordinator could not connect to it, or the connection was lost.

        A server that answers and refuses is not away, nor is the coordinator, which would then not be asking.
        """
        return self.group != 0 and _AWAY.match(self.fault) is not None


def ask(statement: str, alias: str = DEFAULT_DB_ALIAS) -> list[Answer]:
    """The answers of all servers, in the order of their names.

    They are asked by connections made for it: one that the coordinator has kept to a node that stands still would be
    waited for.
    """
    with connections[alias].cursor() as cursor:
        cursor.execute(_ON_ALL, [statement])
        rows = cursor.fetchall()
    unconnected = [name for name, _, success, said in rows if not success and said == f"failed to connect to {name}"]
    reasons = _reasons(unconnected, alias) if unconnected else {}
    return [
        Answer(name, group, said if success else "", "" if success else reasons.get(name, said))
        for name, group, success, said in rows
    ]


def _reasons(names: list[str], alias: str) -> dict[str, str]:
    """Why the coordinator cannot connect to these servers: nobody is there, or somebody refuses the login.

    Asked by a connection of its own, for the coordinator would ask by one that it has kept, if that is there.
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
    said = [found for each in warnings if (found := _REASON.match(each))]
    return {found[1]: found[2] or _NO_ANSWER for found in said}
