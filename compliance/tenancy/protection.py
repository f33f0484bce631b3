"""Operations for migrations: row-level security, keys of companies and append-only tables.

A table's protections follow from its model (`expected`), and `manage.py migrate` creates them at its end
(`establishing`). These operations protect a table as soon as its own migration has created it.
"""

from typing import Any

from django.db.migrations.operations import RunSQL

from compliance.tenancy import cluster

# What RunSQL takes: a list may also hold pairs of a statement and its parameters.
Statements = list[Any]

COMPANY = cluster.of_company("nullif(current_setting('app.organization', true), '')::uuid")


def company_rows(*tables: str) -> RunSQL:
    """Row-level security for `tables`: a transaction sees and writes only rows of its company."""
    forward: Statements = []
    backward: Statements = []
    for table in tables:
        forward += [
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            f"CREATE POLICY company ON {table} USING (organization_id = {COMPANY}) "
            f"WITH CHECK (organization_id = {COMPANY})",
        ]
        backward += [f"DROP POLICY company ON {table}", f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY"]
    return RunSQL(forward, backward)


def company_keys(*tables: str) -> RunSQL:
    """Makes the primary key of `tables` begin with the company, as every key on a cluster must.

    Django supports no automatic number as part of a key, so in Django `id` alone stays the primary key: numbers come
    from one sequence, and no two rows share one. Each table is locked while its index is built: some seconds per
    million rows.
    """
    forward: Statements = []
    backward: Statements = []
    for table in tables:
        replace = f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey, ADD PRIMARY KEY"
        forward.append(f"{replace} (organization_id, id)")
        backward.append(f"{replace} (id)")
    return RunSQL(forward, backward)


def append_only(*tables: str) -> RunSQL:
    """Makes rows of `tables` final: privileges refuse the application's changes, triggers those of everybody."""
    forward: Statements = [
        """CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME USING ERRCODE = '42501'; END $$"""
    ]
    backward: Statements = []
    for table in tables:
        forward += [
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change()",
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
            f"REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM app",
        ]
        backward += [f"DROP TRIGGER {table}_append_only ON {table}", f"DROP TRIGGER {table}_no_truncate ON {table}"]
    return RunSQL(forward, backward)
