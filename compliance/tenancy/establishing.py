"""The end of `manage.py migrate`: the schema's owner creates the tables' protections as the models declare them.

Only what differs is changed, and each change is reported. What nobody declared (an extra policy, trigger or table, a
grant to an unknown role) is left for an operator to examine; start-up keeps refusing it. On a cluster Citus hands each
statement on to every shard, so the same statements correct what differs on a node alone. Only triggers against TRUNCATE
stay at the coordinator, so those on shards are dropped there.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from django.db import connections, transaction

from compliance.tenancy import checks, expected, functions, roles, system_catalogue
from compliance.tenancy.errors import NotEstablishedError
from compliance.tenancy.protection import COMPANY

# Runs on one shard, whose name Citus fills in. Bit 0 of a trigger's type is set for triggers FOR EACH ROW.
_EACH_DROPPED: Final = """
DO $do$ DECLARE name text; BEGIN
    FOR name IN SELECT tgname FROM pg_trigger
        WHERE tgrelid = '%1$s'::regclass AND NOT tgisinternal AND tgtype & 1 = 0
    LOOP EXECUTE 'DROP TRIGGER ' || quote_ident(name) || ' ON %1$s'; END LOOP;
END $do$
"""


def establish(alias: str) -> Iterator[str]:
    """Changes each object in a transaction of its own on the connection `alias`, and yields one sentence for each.

    In one transaction for all, a table would stay locked while it waits for another, and requests that hold that one
    and wait for the first would end in a deadlock.

    Raises NotEstablishedError where only a superuser may change an object, or where a statement had no effect.
    """
    connection = connections[alias]
    tables = {f"table {each.name}": each for each in expected.tables()}
    declared = {f"function {each.signature}": each for each in functions.declared()}
    reported: list[tuple[str, list[str]]] = []
    actual = system_catalogue.read(alias)
    before = checks.compared(actual) or checks.on_servers(actual, alias)
    _refuse_other_owners(before, [*tables, *declared])
    changed: dict[str, list[checks.Difference]] = {}
    for each in before:
        changed.setdefault(each.subject, []).append(each)
    for subject, found in changed.items():
        if subject in tables and any(each.where and "FOR EACH STATEMENT" in (each.expected or "") for each in found):
            _without_statement_triggers(alias, tables[subject].name)
    with connection.cursor() as cursor:
        for role in sorted(actual.roles):
            cursor.execute("SELECT has_schema_privilege(%s, 'public', 'USAGE')", [role])
            if not cursor.fetchone()[0]:
                cursor.execute(f"GRANT USAGE ON SCHEMA public TO {role}")
                yield f"schema public: used by {role}"
    for subject, found in changed.items():
        aspects = [each.aspect for each in found if each.expected is not None or each.aspect.startswith("grants")]
        statements: list[str] = []
        if subject in declared:
            statements = list(_function(declared[subject], actual.roles))
        elif subject in tables and (subject, "kind") in actual.entries:
            statements = list(_table(tables[subject], aspects, actual))
        if statements:
            with transaction.atomic(using=alias), connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
            reported.append((subject, aspects))
            yield f"{subject}: {', '.join(dict.fromkeys(aspects))}"
    if reported:
        _refuse_unchanged(alias, reported)


def _refuse_other_owners(found: Iterable[checks.Difference], declared: Collection[str]) -> None:
    others = [each for each in found if each.aspect == "owner" and each.found and each.subject in declared]
    if others:
        statements = dict.fromkeys(
            f"ALTER {kind.upper()} {name} OWNER TO {each.expected}"
            for each in others
            for kind, _, name in [each.subject.partition(" ")]
        )
        raise NotEstablishedError(
            f"{'; '.join(each.sentence for each in others[: checks.MOST_SENTENCES])}. Only a superuser may change that:"
            f" run `{'; '.join(statements)}` as one at the coordinator, then migrate again."
        )


def _refuse_unchanged(alias: str, reported: Iterable[tuple[str, list[str]]]) -> None:
    claimed = {(subject, aspect) for subject, aspects in reported for aspect in aspects}
    actual = system_catalogue.read(alias)
    left = [
        each.sentence
        for each in checks.compared(actual) or checks.on_servers(actual, alias)
        if (each.subject, each.aspect) in claimed and (each.expected is not None or each.aspect.startswith("grants"))
    ]
    if left:
        raise NotEstablishedError(
            f"This was changed and is as it was: {'; '.join(left[: checks.MOST_SENTENCES])}. Change it on that server"
            " as its superuser (`Tables are not protected` in docs/operations.md), then migrate again."
        )


def _without_statement_triggers(alias: str, table: str) -> None:
    """Drops the triggers of a table's shards that only the coordinator needs (`expected.may_lack`)."""
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


def _table(table: expected.Table, aspects: list[str], actual: system_catalogue.Found) -> Iterator[str]:
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
        yield f'CREATE POLICY backup ON {name} FOR SELECT TO "{actual.owner}" USING (true)'
    for trigger, definition in expected.triggers(table).items():
        if f"trigger {trigger}" in aspects:
            yield f"DROP TRIGGER IF EXISTS {trigger} ON {name}"
            yield definition
    for role in sorted(actual.roles):
        if any(aspect.split(" on column ")[0] == f"grants to {role}" for aspect in aspects):
            granted = roles.granted(role, name, append_only=table.append_only)
            yield f"REVOKE ALL ON TABLE {name} FROM {role}"
            if granted.table:
                yield f"GRANT {', '.join(sorted(granted.table))} ON TABLE {name} TO {role}"
            if granted.updates:
                yield f"GRANT UPDATE ({', '.join(granted.updates)}) ON TABLE {name} TO {role}"
            if granted.reads:
                yield f"GRANT SELECT ({', '.join(granted.reads)}) ON TABLE {name} TO {role}"
