"""Where the rows of each table are on a cluster of several PostgreSQL servers (Citus).

A table's placement follows from its declaration, as its protection does: rows under row-level security are with their
company, directory tables declare theirs (`directory.py`), and Django's own are at the coordinator. On one plain
PostgreSQL, which is the default, placements have no effect.
"""

from enum import StrEnum


class Placement(StrEnum):
    """Where a table's rows are; the values are what `system_catalogue` finds."""

    WITH_COMPANY = "with its company"
    """Distributed by `organization_id`, all tables alike, so everything of a company is on one node."""
    COORDINATOR = "at the coordinator"
    COORDINATOR_IN_STEP = "at the coordinator, in step with the nodes"
    """At the coordinator, and known to Citus: a transaction that writes here and on a node commits both or neither."""
