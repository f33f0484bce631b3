"""Builds the tree of every company from the stored row digests, so that its next capture covers all rows since the first.

A transaction a company, under the lock of its head, so that captures of other companies go on and a migration that was
broken off goes on where it ended. The digests are streamed: memory does not grow with the history. What the old release
captures after this is taken in by the first capture of the new one.
"""

import uuid
from collections.abc import Iterator

from django.db import migrations, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from compliance.proofs.merkle import CompactRange, leaf_hash

KEPT_HEIGHTS = (8, 16, 24, 32)
AT_ONCE = 10_000

_INSERT = "INSERT INTO history_subtree (organization_id, height, index, root) VALUES (%s, %s, %s, %s)"


def build_trees(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Builds those that are not built yet."""
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        cursor.execute("SELECT organization_id FROM history_historyhead WHERE tree_size < sequence ORDER BY 1")
        companies = [organization_id for (organization_id,) in cursor.fetchall()]
    for organization_id in companies:
        with transaction.atomic(using=connection.alias):
            _build(connection, organization_id)


def _build(connection: BaseDatabaseWrapper, organization_id: uuid.UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('app.organization', %s, true)", [str(organization_id)])
        cursor.execute(
            "SELECT sequence, tree_size, tree_range FROM history_historyhead WHERE organization_id = %s FOR UPDATE",
            [organization_id],
        )
        last, size, hashes = cursor.fetchone()
        tree = CompactRange.from_bytes(size, bytes(hashes))
        complete: list[tuple[uuid.UUID, int, int, bytes]] = []
        for digest in _digests(connection, organization_id, size, last):
            for height, index, root in tree.append(leaf_hash(digest)):
                if height in KEPT_HEIGHTS:
                    complete.append((organization_id, height, index, root))
            if len(complete) >= AT_ONCE:
                cursor.executemany(_INSERT, complete)
                complete.clear()
        if tree.size != last:
            raise ValueError(f"Organization {organization_id} lacks rows before {last}: run verify_history.")
        cursor.executemany(_INSERT, complete)
        cursor.execute(
            "UPDATE history_historyhead SET tree_size = %s, tree_range = %s WHERE organization_id = %s",
            [tree.size, tree.to_bytes(), organization_id],
        )


def _digests(connection: BaseDatabaseWrapper, organization_id: uuid.UUID, after: int, last: int) -> Iterator[bytes]:
    with connection.chunked_cursor() as rows:
        rows.execute(
            "SELECT row_sha256 FROM history_historyrow WHERE organization_id = %s AND sequence > %s AND sequence <= %s"
            " ORDER BY sequence",
            [organization_id, after, last],
        )
        while found := rows.fetchmany(AT_ONCE):
            for (digest,) in found:
                yield bytes(digest)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("history", "0009_trees")]

    operations = [migrations.RunPython(build_trees, migrations.RunPython.noop)]
