"""`manage.py distribute`: brings every table to where its declaration puts it on a cluster, by the schema's owner.

After each `migrate` on a cluster, which makes tables at the coordinator alone. What is in its place already is passed
over, so the command may be run again at any time, and after having been cut short.
"""

from collections.abc import Iterator
from typing import NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from compliance.tenancy import expected
from compliance.tenancy.errors import NotDistributedError
from compliance.tenancy.establishing import establish
from compliance.tenancy.placement import Placement

_PLACEMENTS = """
SELECT p.logicalrelid::regclass::text, p.partmethod = 'h', p.colocationid, a.attname::text
FROM pg_dist_partition p LEFT JOIN pg_attribute a ON a.attrelid = p.logicalrelid
    AND p.partmethod = 'h' AND a.attnum = (SELECT (regexp_match(p.partkey, ':varattno (\\d+)'))[1]::smallint)
"""


class Misplaced(NamedTuple):
    """A table that is not where its declaration puts it."""

    table: expected.Table
    found: str

    @property
    def sentence(self) -> str:
        """The difference in one plain sentence."""
        return f"table {self.table.name} is {self.found}, expected {self.table.placement}"


def misplaced(alias: str = DEFAULT_DB_ALIAS) -> list[Misplaced]:
    """The tables that are not in their place. Raises NotDistributedError where the database is no cluster."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT to_regclass('pg_dist_partition') IS NOT NULL")
        if not cursor.fetchone()[0]:
            raise NotDistributedError(
                "CLUSTER=1, but this database has no extension citus: it is one plain PostgreSQL. Take CLUSTER out of"
                " the environment, or follow `From one machine to a cluster` in docs/scale.md."
            )
        cursor.execute(_PLACEMENTS)
        rows = cursor.fetchall()
    found = {name: (distributed, group, column) for name, distributed, group, column in rows}
    groups = [group for _, (distributed, group, _) in sorted(found.items()) if distributed]
    group = max(set(groups), key=groups.count, default=None)
    return [
        Misplaced(table, where) for table in expected.tables()
        if (where := _where(found.get(table.name), group)) != table.placement
    ]  # fmt: skip


def _where(found: tuple[bool, int, str] | None, group: int | None) -> str:
    """A placement, or a sentence of what the declarations know no word for."""
    match found:
        case None:
            return Placement.COORDINATOR
        case (False, 0, _):
            return Placement.COORDINATOR_IN_STEP
        case (False, _, _):
            return "on every node"
        case (True, known, "organization_id") if known == group:
            return Placement.WITH_COMPANY
        case (True, _, column):
            return f"distributed by {column}, not in one group with the others"


def refuse_misplaced_tables(alias: str = DEFAULT_DB_ALIAS) -> None:
    """Raises NotDistributedError with every table that is not in its place."""
    if found := misplaced(alias):
        raise NotDistributedError(
            f"Run `manage.py distribute`: {'; '.join(each.sentence for each in found[:20])}"
            + (f"; and {len(found) - 20} more." if len(found) > 20 else ".")
        )


def distribute(alias: str) -> Iterator[str]:
    """Yields one sentence for each table that was moved to its place, each in a transaction of its own.

    Raises NotDistributedError where a table is somewhere from which it cannot be brought to its place.
    """
    for each in misplaced(alias):
        table = each.table
        if each.found != Placement.COORDINATOR:
            raise NotDistributedError(f"{each.sentence}: bring it back with undistribute_table first.")
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            if table.placement is Placement.COORDINATOR_IN_STEP:
                cursor.execute("SELECT citus_add_local_table_to_metadata(%s)", [table.name])
            else:
                # What guards the rows would hide them from the owner, or keep them from leaving the coordinator.
                for trigger in expected.triggers(table):
                    cursor.execute(f"DROP TRIGGER IF EXISTS {trigger} ON {table.name}")
                if table.of_companies:
                    cursor.execute(f"ALTER TABLE {table.name} NO FORCE ROW LEVEL SECURITY")
                cursor.execute(
                    "SELECT create_distributed_table(%s, 'organization_id', colocate_with => %s)",
                    [table.name, _colocated(alias)],
                )
                cursor.execute("SELECT truncate_local_data_after_distributing_table(%s)", [table.name])
        yield f"table {table.name}: {table.placement}"
    yield from establish(alias)


def _colocated(alias: str) -> str:
    """The table with which others are together: the first that is distributed."""
    with connections[alias].cursor() as cursor:
        cursor.execute(
            "SELECT logicalrelid::regclass::text FROM pg_dist_partition WHERE partmethod = 'h' ORDER BY 1 LIMIT 1"
        )
        found = cursor.fetchone()
    return found[0] if found else "none"
