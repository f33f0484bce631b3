"""The end of `manage.py migrate`: what guards the tables is made as the models declare it, by the schema's owner.

Only what differs is touched, and each change is told. What nobody declared is left for an operator to look at: an extra
policy, trigger or table, a grant to a stranger. Start-up goes on refusing it. On a cluster Citus hands each statement
on to every shard, so what differs on a node alone is put right by the same statements.
"""

from collections.abc import Iterable, Iterator

from django.db import connections, transaction

from compliance.tenancy import checks, expected, functions, roles, system_catalogue
from compliance.tenancy.protection import COMPANY


def establish(alias: str) -> Iterator[str]:
    """Yields one sentence for each object that was changed, all in one transaction on the connection `alias`."""
    connection = connections[alias]
    tables = {f"table {each.name}": each for each in expected.tables()}
    declared = {f"function {each.signature}": each for each in functions.declared()}
    with transaction.atomic(using=alias):
        stands = system_catalogue.read(alias)
        changed: dict[str, list[checks.Difference]] = {}
        for each in checks.compared(stands) or checks.on_servers(stands, alias):
            changed.setdefault(each.subject, []).append(each)
        with connection.cursor() as cursor:
            for role in sorted(stands.roles):
                cursor.execute("SELECT has_schema_privilege(%s, 'public', 'USAGE')", [role])
                if not cursor.fetchone()[0]:
                    cursor.execute(f"GRANT USAGE ON SCHEMA public TO {role}")
                    yield f"schema public: used by {role}"
        for subject, found in changed.items():
            aspects = [each.aspect for each in found if each.expected is not None or each.aspect.startswith("grants")]
            statements: list[str] = []
            if subject in declared:
                statements = list(_function(declared[subject], stands.roles))
            elif subject in tables and (subject, "kind") in stands.entries:
                statements = list(_table(tables[subject], aspects, stands))
            if statements:
                with connection.cursor() as cursor:
                    for statement in statements:
                        cursor.execute(statement)
                yield f"{subject}: {', '.join(dict.fromkeys(aspects))}"


def _function(function: functions.DatabaseFunction, existing: Iterable[str]) -> Iterator[str]:
    yield function.statement()
    yield f"REVOKE ALL ON FUNCTION {function.signature} FROM PUBLIC"
    for role in existing:
        verb, word = ("GRANT", "TO") if role in function.callers else ("REVOKE", "FROM")
        yield f"{verb} EXECUTE ON FUNCTION {function.signature} {word} {role}"


def _table(table: expected.Table, aspects: list[str], stands: system_catalogue.Found) -> Iterator[str]:
    name = table.name
    if "row-level security" in aspects:
        yield f"ALTER TABLE {name} {'ENABLE' if table.of_companies else 'DISABLE'} ROW LEVEL SECURITY"
        yield f"ALTER TABLE {name} {'FORCE' if table.forced else 'NO FORCE'} ROW LEVEL SECURITY"
    if "policy company" in aspects:
        yield f"DROP POLICY IF EXISTS company ON {name}"
        yield (
            f"CREATE POLICY company ON {name} USING (organization_id = {COMPANY})"
            f" WITH CHECK (organization_id = {COMPANY})"
        )
    if "policy backup" in aspects:
        yield f"DROP POLICY IF EXISTS backup ON {name}"
        yield f'CREATE POLICY backup ON {name} FOR SELECT TO "{stands.owner}" USING (true)'
    for trigger, definition in expected.triggers(table).items():
        if f"trigger {trigger}" in aspects:
            yield f"DROP TRIGGER IF EXISTS {trigger} ON {name}"
            yield definition
    for role in sorted(stands.roles):
        if any(aspect.split(" on column ")[0] == f"grants to {role}" for aspect in aspects):
            granted = roles.granted(role, name, append_only=table.append_only)
            yield f"REVOKE ALL ON TABLE {name} FROM {role}"
            if granted.table:
                yield f"GRANT {', '.join(sorted(granted.table))} ON TABLE {name} TO {role}"
            if granted.updates:
                yield f"GRANT UPDATE ({', '.join(granted.updates)}) ON TABLE {name} TO {role}"
