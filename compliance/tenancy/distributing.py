"""`manage.py distribute`: moves every table to its declared place on a cluster, as the schema's owner.

It is needed after each `migrate` on a cluster, which creates tables at the coordinator alone. Tables in their place are
skipped, so the command may be run again at any time, also after it was interrupted.
"""

from collections.abc import Iterator

import psycopg
from django.db import DatabaseError, connections, transaction

from compliance.tenancy import checks, expected, servers, system_catalogue
from compliance.tenancy.errors import NotDistributedError
from compliance.tenancy.establishing import establish
from compliance.tenancy.placement import Placement

LOCK_SECONDS = 30
"""How long to wait for a table that somebody else uses."""

# Lists the settings that a server lacks (docs/scale.md); empty where it lacks none.
_LACKING = """
SELECT concat_ws(', ',
  CASE WHEN current_setting('citus.enable_unsafe_triggers') = 'off' THEN 'citus.enable_unsafe_triggers = on' END,
  CASE WHEN current_setting('wal_level') <> 'logical' THEN 'wal_level = logical' END,
  CASE WHEN current_setting('max_prepared_transactions') = '0' THEN 'max_prepared_transactions' END)"""
_NODES = "SELECT count(*) FROM pg_dist_node WHERE noderole = 'primary' AND shouldhaveshards"


def distribute(alias: str) -> Iterator[str]:
    """Moves each table in a transaction of its own, and yields one sentence for each.

    Raises NotDistributedError where the database is no cluster, its servers are not ready for tables, a table is in
    use, or a table is neither in its place nor at the coordinator.
    """
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT to_regclass('pg_dist_partition') IS NOT NULL")
        if not cursor.fetchone()[0]:
            raise NotDistributedError(
                "This database has no extension citus: it is one plain PostgreSQL. Take CLUSTER out of the"
                " environment, or follow `From one machine to a cluster` in docs/scale.md."
            )
    tables = {f"table {each.name}": each for each in expected.tables()}
    out_of_place = [each for each in checks.compared(system_catalogue.read(alias)) if each.aspect == expected.PLACEMENT]
    if out_of_place:
        _refuse_unready(alias)
    for each in out_of_place:
        if each.found is not None:
            raise NotDistributedError(f"{each.sentence}. Bring it back with undistribute_table first.")
        try:
            with transaction.atomic(using=alias):
                _place(alias, tables[each.subject])
        except DatabaseError as error:
            raise NotDistributedError(f"{each.subject} could not be moved: {_reason(error)}") from error
        yield f"{each.subject}: {each.expected}"
    yield from establish(alias)
    # Nodes are compared only once the coordinator is right, so by the second call. Citus lets everybody call the
    # functions that it creates on a node.
    yield from establish(alias)


def _refuse_unready(alias: str) -> None:
    """Raises NotDistributedError where no node takes tables, or a server does not answer or lacks a setting."""
    with connections[alias].cursor() as cursor:
        cursor.execute(_NODES)
        if cursor.fetchone()[0] == 0:
            raise NotDistributedError(
                "The cluster has no node yet. SELECT citus_add_node('HOST', PORT) at the coordinator (docs/scale.md)."
            )
    for each in servers.ask(_LACKING, alias):
        if each.fault:
            raise NotDistributedError(f"The coordinator cannot ask {each.name}: {each.fault} (docs/scale.md).")
        if each.value:
            raise NotDistributedError(
                f"{each.name} lacks a setting, and must be restarted with it: {each.value} (docs/scale.md)."
            )


def _reason(error: DatabaseError) -> str:
    """The message of PostgreSQL or Citus, as one sentence."""
    if isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
        return (
            f"somebody has used it for {LOCK_SECONDS} seconds. Stop web, workers and whatever else is connected; run"
            " the command again."
        )
    return f"{str(error).splitlines()[0].rstrip('.')}. Put that right, and run the command again."


def _place(alias: str, table: expected.Table) -> None:
    with connections[alias].cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
        if table.placement is Placement.COORDINATOR_IN_STEP:
            cursor.execute("SELECT citus_add_local_table_to_metadata(%s)", [table.name])
            return
        # The protections would hide rows from the owner, or keep them from leaving the coordinator.
        for trigger in expected.triggers(table):
            cursor.execute(f"DROP TRIGGER IF EXISTS {trigger} ON {table.name}")
        if table.of_companies:
            cursor.execute(f"ALTER TABLE {table.name} NO FORCE ROW LEVEL SECURITY")
            # Citus refuses the sub-select that the policy has on one plain PostgreSQL.
            cursor.execute(f"DROP POLICY IF EXISTS company ON {table.name}")
        cursor.execute(
            "SELECT create_distributed_table(%s, 'organization_id', colocate_with => %s)",
            [table.name, _colocated(alias)],
        )
        # The coordinator's copy would otherwise stay for ever, and erasure would not clear it.
        cursor.execute("SELECT truncate_local_data_after_distributing_table(%s)", [table.name])


def _colocated(alias: str) -> str:
    """The table with which others are colocated: the first distributed one, or `none`."""
    with connections[alias].cursor() as cursor:
        cursor.execute(
            "SELECT logicalrelid::regclass::text FROM pg_dist_partition WHERE partmethod = 'h' ORDER BY 1 LIMIT 1"
        )
        found = cursor.fetchone()
    return found[0] if found else "none"
