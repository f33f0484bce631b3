"""Reads across all companies, node by node: a node that is away affects its own companies and no others.

On a cluster a statement that names no company asks every node, and fails as a whole while one of them is away. The few
reads that need all companies (what is due, where histories end, whose code or address it is) therefore restrict their
column by `of`, and run once per node, for its companies. On one plain PostgreSQL they run once, for all.
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
    """The rows of all companies, or of those in `only`, whose node answers. The statement must have the condition `of`.

    A node that is away is logged and skipped; its companies are added to `away`, if given.
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
    """Closes a connection that was cut off because a node hung, so that the next node is asked on another one.

    A working connection, and one within a transaction, are kept.
    """
    connection.close_if_unusable_or_obsolete()
