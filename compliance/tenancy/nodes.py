"""Reads of all companies together, node by node: a node that is away costs its own companies, and nobody else's.

On a cluster a statement that names no company asks every node, and fails as a whole while one of them is away. So the
few reads that need all companies (what is due, where histories end, whose code or address it is) say `OF` of their
column and are asked once a node, of the companies that live there. One plain PostgreSQL is asked once, of all.
"""

import uuid
from collections.abc import Collection
from typing import Any

import structlog
from django.conf import settings
from django.db import connection

from compliance.tenancy import lost, sql
from compliance.tenancy.directory import JOINED_NODE, TABLE_WITH_COMPANY
from compliance.tenancy.postgresql import behind

logger = structlog.get_logger(__name__)

_MOST_TRIES = 16
_NODES = f"""
SELECT n.nodename || ':' || n.nodeport, array_agg(o.organization_id) FROM tenancy_organization o {JOINED_NODE}
WHERE %(only)s::uuid[] IS NULL OR o.organization_id = ANY(%(only)s::uuid[])
GROUP BY 1 ORDER BY 1
"""  # noqa: S608 - declared


def of(column: str) -> str:
    """The condition on a column that holds companies; `fetch` gives its parameter `companies`."""
    return f"(%(companies)s::uuid[] IS NULL OR {column} = ANY(%(companies)s::uuid[]))"


def fetch(
    statement: str,
    parameters: dict[str, Any] | None = None,
    *,
    only: Collection[uuid.UUID] | None = None,
    away: set[uuid.UUID] | None = None,
) -> list[sql.Row]:
    """The rows of all companies, or of these `only`, whose node answers. The statement has the condition `of`.

    A node that is away is named in the log and passed over; its companies are put into `away`, if that is given.
    """
    given = parameters or {}
    asked = None if only is None else list(only)
    if not settings.CLUSTER:
        return sql.fetch(statement, {**given, "companies": asked})
    found: list[sql.Row] = []
    for node, companies in sql.fetch(_NODES, {"only": asked}):
        try:
            behind.nodes.concern(connection, companies[0])
            found += sql.fetch(statement, {**given, "companies": companies})
        except lost.ERRORS as error:
            if not lost.is_lost(error):
                raise
            _go_on()
            logger.warning("database_node_away", node=node, companies=len(companies))
            if away is not None:
                away.update(companies)
        finally:
            behind.nodes.forget(connection)
    return found


def new_company() -> uuid.UUID:
    """An identifier for a new company, on a node that answers. Raises Django's OperationalError where none does."""
    found = uuid.uuid4()
    for _ in range(_MOST_TRIES if settings.CLUSTER else 0):
        try:
            behind.nodes.concern(connection, found)
            sql.fetch(f"SELECT 1 FROM {TABLE_WITH_COMPANY} WHERE organization_id = %s::uuid", [found])  # noqa: S608 - declared
        except lost.ERRORS as error:
            if not lost.is_lost(error):
                raise
            _go_on()
            found = uuid.uuid4()
        else:
            break
        finally:
            behind.nodes.forget(connection)
    return found


def _go_on() -> None:
    """Lets go of a connection that was cut off while a node stood still: the next node is asked by another one.

    One that is well, and one within a transaction, stay.
    """
    connection.close_if_unusable_or_obsolete()
