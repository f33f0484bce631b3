"""The end of `manage.py migrate`: what guards the tables is made as the models declare it, by the schema's owner.

Only what differs is touched, and each change is told. What nobody declared is left for an operator to look at: an extra
policy, trigger or table, a grant to a stranger. Start-up goes on refusing it. On a cluster Citus hands each statement
on to every shard, so what differs on a node alone is put right by the same statements; triggers against TRUNCATE alone
it leaves to the coordinator, so those of shards are taken away there.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from django.db import connections, transaction

from compliance.tenancy import checks, expected, functions, roles, system_catalogue
from compliance.tenancy.errors import NotEstablishedError
from compliance.tenancy.protection import COMPANY

# On one shard, whose name Citus puts in; bit 0 of a trigger's type says that it is for each row.
_EACH_DROPPED: Final = """
DO $do$ DECLARE name text; BEGIN
    FOR name IN SELECT tgname FROM pg_trigger
        WHERE tgrelid = '%1$s'::regclass AND NOT tgisinternal AND tgtype & 1 = 0
    LOOP EXECUTE 'DROP TRIGGER ' || quote_ident(name) || ' ON %1$s'; END LOOP;
END $do$
"""


def establish(alias: str) -> Iterator[str]:
    """Yields one sentence for each object that was changed, all in one transaction on the connection `alias`.

    Raises NotEstablishedError where only a superuser may change an object, or where the change has changed nothing.
    """
    connection = connections[alias]
    tables = {f"table {each.name}": each for each in expected.tables()}
    declared = {f"function {each.signature}": each for each in functions.declared()}
    told: list[tuple[str, list[str]]] = []
    with transaction.atomic(using=alias):
        stands = system_catalogue.read(alias)
        before = checks.compared(stands) or checks.on_servers(stands, alias)
        _refuse_other_owners(before, [*tables, *declared])
        changed: dict[str, list[checks.Difference]] = {}
        for each in before:
            changed.setdefault(each.subject, []).append(each)
        # By connections of their own to the nodes, which would wait for what this transaction has changed there.
        for subject, found in changed.items():
            if subject in tables and any(
                each.where and "FOR EACH STATEMENT" in (each.expected or "") for each in found
            ):
                _without_statement_triggers(alias, tables[subject].name)
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
                told.append((subject, aspects))
                yield f"{subject}: {', '.join(dict.fromkeys(aspects))}"
    if told:
        _refuse_unchanged(alias, told)


def _refuse_other_owners(found: Iterable[checks.Difference], declared: Collection[str]) -> None:
    others = [each for each in found if each.aspect == "owner" and each.found and each.subject in declared]
    if others:
        statements = dict.fromkeys(
            f"ALTER {kind.upper()} {name} OWNER TO {each.expected}"
            for each in others
            for kind, _, name in [each.subject.partition(" ")]
        )
        raise NotEstablishedError(
            f"{'; '.join(each.sentence for each in others[: checks.MOST_SAID])}. Only a superuser may change that:"
            f" run `{'; '.join(statements)}` as one at the coordinator, then migrate again."
        )


def _refuse_unchanged(alias: str, told: Iterable[tuple[str, list[str]]]) -> None:
    claimed = {(subject, aspect) for subject, aspects in told for aspect in aspects}
    stands = system_catalogue.read(alias)
    left = [
        each.sentence
        for each in checks.compared(stands) or checks.on_servers(stands, alias)
        if (each.subject, each.aspect) in claimed and (each.expected is not None or each.aspect.startswith("grants"))
    ]
    if left:
        raise NotEstablishedError(
            f"This was changed and is as it was: {'; '.join(left[: checks.MOST_SAID])}. Change it on that server as its"
            " superuser (`Tables are not protected` in docs/operations.md), then migrate again."
        )


def _without_statement_triggers(alias: str, table: str) -> None:
    """Takes away the triggers of a table's shards that only the coordinator needs (`expected.may_lack`)."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT result FROM run_command_on_placements(%s, %s) WHERE NOT success", [table, _EACH_DROPPED])
        if refused := cursor.fetchone():
            raise NotEstablishedError(f"table {table}: a node keeps a trigger of a shard: {refused[0]}")


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
