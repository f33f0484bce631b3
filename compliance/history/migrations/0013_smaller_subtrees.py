"""Roots of subtrees of 16, 4,096, 1,048,576, ... rows, of what the trees cover already: a proof reads fewer hashes.

A transaction a company, beside its captures, so that a migration that was broken off goes on where it ended. Each root
is made, in PostgreSQL, of the 16 that are four heights below: of rows, or of subtrees that are kept.
"""

from django.db import migrations, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

STEP = 4
HEIGHTS = range(STEP, 60, 2 * STEP)

_ROWS = r"""
SELECT r.sequence - 1 AS index, sha256('\x00'::bytea || r.row_sha256) AS root
FROM history_historyhead h JOIN history_historyrow r
    ON r.organization_id = h.organization_id AND r.sequence BETWEEN 1 AND h.tree_size
WHERE h.organization_id = %(organization)s
"""
_KEPT = "SELECT index, root FROM history_subtree WHERE organization_id = %(organization)s AND height = {height}"
_NODES = r"""
SELECT index >> 1 AS index, sha256('\x01'::bytea || string_agg(root, ''::bytea ORDER BY index)) AS root
FROM ({below}) below GROUP BY index >> 1 HAVING count(*) = 2
"""
_KEEP = """
INSERT INTO history_subtree (organization_id, height, index, root)
SELECT %(organization)s, {height}, index, root FROM ({nodes}) nodes ON CONFLICT DO NOTHING
"""


def _statement(height: int) -> str:
    nodes = _ROWS if height == STEP else _KEPT.format(height=height - STEP)
    for _ in range(STEP):
        nodes = _NODES.format(below=nodes)
    return _KEEP.format(height=height, nodes=nodes)


def keep_smaller(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Keeps the roots of every company that are not kept yet."""
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        cursor.execute("SELECT organization_id FROM history_historyhead ORDER BY 1")
        companies = [organization_id for (organization_id,) in cursor.fetchall()]
        for organization_id in companies:
            with transaction.atomic(using=connection.alias):
                cursor.execute(f"SET LOCAL app.organization = '{organization_id}'")
                for height in HEIGHTS:
                    cursor.execute(_statement(height), {"organization": organization_id})


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("history", "0012_company_keys")]

    operations = [migrations.RunPython(keep_smaller, migrations.RunPython.noop)]
