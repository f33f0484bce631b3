"""Which company is on which node of a cluster, how much space it takes there, and which companies share its shard.

Citus divides the hashes of all companies into ranges. The rows of the companies in one range, in all tables, are one
shard: they are on one node, and they are moved together.
Only the coordinator's catalogue is read, so that a node that is away is listed too; sizes are read from the nodes.
"""

import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from django.conf import settings
from django.db import connection

from compliance.tenancy import lost, sql
from compliance.tenancy.directory import TABLE_WITH_COMPANY
from compliance.tenancy.errors import NoSuchNodeError


class Fetch(Protocol):
    """Runs one statement at the coordinator: as the application, or as the administrator who moves companies."""

    def __call__(self, statement: str, parameters: Sequence[Any] = ..., /) -> list[tuple[Any, ...]]:
        """All rows of the answer."""


class Node(NamedTuple):
    """A server of the cluster that may hold companies; `takes_companies` is off while it is drained."""

    number: int
    host: str
    port: int
    takes_companies: bool

    @property
    def name(self) -> str:
        """The name that operators and the log use."""
        return f"{self.host}:{self.port}"


class Shard(NamedTuple):
    """A range of hashes, from `first` to `last`, and its companies; `number` is the shard's of `TABLE_WITH_COMPANY`."""

    number: int
    first: int
    last: int
    node: int
    companies: tuple[uuid.UUID, ...]


class Use(NamedTuple):
    """What is on a node. `bytes` is None where it did not answer, `left_over` counts tables that are to be removed."""

    node: Node
    answers: bool
    shards: int
    companies: int
    bytes: int | None
    left_over: int


def nodes(fetch: Fetch = sql.fetch) -> list[Node]:
    """The servers that may hold companies, in the order of their names; the coordinator is none of them."""
    return [
        Node(*row)
        for row in fetch(
            "SELECT nodeid, nodename, nodeport, shouldhaveshards FROM pg_dist_node"
            " WHERE noderole = 'primary' AND groupid <> 0 ORDER BY nodename, nodeport"
        )
    ]


def named(name: str, fetch: Fetch = sql.fetch) -> Node:
    """The node of that name, `host:port`. Raises NoSuchNodeError, which lists the existing ones."""
    found = nodes(fetch)
    for each in found:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in found) or "none"
    raise NoSuchNodeError(f"The cluster has no node {name} that holds companies. Its nodes: {known}.")


def shards(fetch: Fetch = sql.fetch) -> list[Shard]:
    """Every shard with its companies, in the order of the ranges."""
    rows = fetch(
        f"""
        SELECT s.shardid, s.shardminvalue::int, s.shardmaxvalue::int, n.nodeid,
            coalesce(c.companies, ARRAY[]::uuid[])
        FROM pg_dist_shard s
        JOIN pg_dist_placement p USING (shardid)
        JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
        LEFT JOIN (
            SELECT get_shard_id_for_distribution_column('{TABLE_WITH_COMPANY}', organization_id) AS shardid,
                array_agg(organization_id ORDER BY organization_id) AS companies
            FROM tenancy_organization GROUP BY 1
        ) c ON c.shardid = s.shardid
        WHERE s.logicalrelid = '{TABLE_WITH_COMPANY}'::regclass ORDER BY s.shardminvalue::int
        """  # noqa: S608 - a declared name
    )
    return [Shard(number, first, last, node, tuple(companies)) for number, first, last, node, companies in rows]


def of_company(organization_id: uuid.UUID, fetch: Fetch = sql.fetch) -> Shard:
    """The shard in which a company is, whether or not it has rows already."""
    ((number,),) = fetch(
        f"SELECT get_shard_id_for_distribution_column('{TABLE_WITH_COMPANY}', %s::uuid)",
        [organization_id],
    )
    return next(each for each in shards(fetch) if each.number == number)


def sizes(fetch: Fetch = sql.fetch) -> dict[int, int]:
    """The bytes of each shard in all its tables, by its number; those of nodes that are away are missing."""
    return dict(
        fetch(
            f"""
            SELECT one.shardid, sum(z.size)::bigint
            FROM pg_dist_shard one
            JOIN pg_dist_shard each ON each.shardminvalue = one.shardminvalue
            JOIN pg_dist_partition t ON t.logicalrelid = each.logicalrelid AND t.partmethod = 'h'
            JOIN citus_shard_sizes() z ON z.shard_id = each.shardid
            WHERE one.logicalrelid = '{TABLE_WITH_COMPANY}'::regclass GROUP BY 1
            """  # noqa: S608 - a declared name
        )
    )


class State(NamedTuple):
    """A node as monitoring sees it: whether the coordinator can connect to it, and how many companies are on it."""

    node: str
    answers: bool
    companies: int


def states() -> list[State]:
    """The state of each node, in as many statements whatever their number; empty where there is no cluster."""
    if not settings.CLUSTER:
        return []
    found, all_shards = nodes(), shards()
    answering = answering_nodes(found)
    return [
        State(
            node.name,
            answering[node.number],
            sum(len(each.companies) for each in all_shards if each.node == node.number),
        )
        for node in found
    ]


def uses() -> list[Use]:
    """What is on each node, in as many statements whatever their number."""
    found, all_shards = nodes(), shards()
    answering = answering_nodes(found)
    known = sizes() if any(answering.values()) else {}
    waiting: dict[int, int] = dict(
        sql.fetch(
            "SELECT n.nodeid, count(*) FROM pg_dist_cleanup c JOIN pg_dist_node n ON n.groupid = c.node_group_id"
            " GROUP BY 1"
        )
    )
    listed = []
    for node in found:
        own = [each for each in all_shards if each.node == node.number]
        answers = answering[node.number]
        listed.append(
            Use(
                node,
                answers,
                len(own),
                sum(len(each.companies) for each in own),
                sum(known.get(each.number, 0) for each in own) if answers else None,
                waiting.get(node.number, 0),
            )
        )
    return listed


def answering_nodes(found: Sequence[Node]) -> dict[int, bool]:
    """Whether the coordinator can connect to each node, by the node's number.

    Uses a connection of its own: in this session the coordinator would reuse a connection that it had kept, and wait
    for a node that hangs.
    """
    own = connection.copy()
    try:
        with own.cursor() as cursor:
            cursor.execute(
                "SELECT nodeid, citus_check_connection_to_node(nodename, nodeport) FROM pg_dist_node"
                " WHERE nodeid = ANY(%s::int[])",
                [[each.number for each in found]],
            )
            return dict(cursor.fetchall())
    except lost.ERRORS as error:
        if not lost.is_lost(error):
            raise
        return dict.fromkeys((each.number for each in found), False)
    finally:
        own.close()
