"""`manage.py distribute`: brings every table to where its declaration puts it on a cluster, by the schema's owner.

After each `migrate` on a cluster, which makes tables at the coordinator alone. What is in its place already is passed
over, so the command may be run again at any time, and after having been cut short.
"""

from collections.abc import Iterator

from django.db import connections, transaction

from compliance.tenancy import checks, expected, system_catalogue
from compliance.tenancy.errors import NotDistributedError
from compliance.tenancy.establishing import establish
from compliance.tenancy.placement import Placement


def distribute(alias: str) -> Iterator[str]:
    """Yields one sentence for each table that was moved to its place, each in a transaction of its own.

    Raises NotDistributedError where the database is no cluster, or where a table is somewhere else than at the
    coordinator and not in its place.
    """
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT to_regclass('pg_dist_partition') IS NOT NULL")
        if not cursor.fetchone()[0]:
            raise NotDistributedError(
                "This database has no extension citus: it is one plain PostgreSQL. Take CLUSTER out of the"
                " environment, or follow `From one machine to a cluster` in docs/scale.md."
            )
    tables = {f"table {each.name}": each for each in expected.tables()}
    for each in checks.compared(system_catalogue.read(alias)):
        if each.aspect != expected.PLACEMENT:
            continue
        if each.found is not None:
            raise NotDistributedError(f"{each.sentence}. Bring it back with undistribute_table first.")
        with transaction.atomic(using=alias):
            _place(alias, tables[each.subject])
        yield f"{each.subject}: {each.expected}"
    yield from establish(alias)
    # Nodes are compared once the coordinator is right. Citus leaves functions that it brings to one to everybody there.
    yield from establish(alias)


def _place(alias: str, table: expected.Table) -> None:
    with connections[alias].cursor() as cursor:
        if table.placement is Placement.COORDINATOR_IN_STEP:
            cursor.execute("SELECT citus_add_local_table_to_metadata(%s)", [table.name])
            return
        # What guards the rows would hide them from the owner, or keep them from leaving the coordinator.
        for trigger in expected.triggers(table):
            cursor.execute(f"DROP TRIGGER IF EXISTS {trigger} ON {table.name}")
        if table.of_companies:
            cursor.execute(f"ALTER TABLE {table.name} NO FORCE ROW LEVEL SECURITY")
        cursor.execute(
            "SELECT create_distributed_table(%s, 'organization_id', colocate_with => %s)",
            [table.name, _colocated(alias)],
        )
        # What was copied would lie here for ever, out of reach of erasure.
        cursor.execute("SELECT truncate_local_data_after_distributing_table(%s)", [table.name])


def _colocated(alias: str) -> str:
    """The table with which others are together: the first that is distributed."""
    with connections[alias].cursor() as cursor:
        cursor.execute(
            "SELECT logicalrelid::regclass::text FROM pg_dist_partition WHERE partmethod = 'h' ORDER BY 1 LIMIT 1"
        )
        found = cursor.fetchone()
    return found[0] if found else "none"
