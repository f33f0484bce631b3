"""Start-up refuses a database whose protections differ in one word; a superuser makes each attack."""

# ruff: noqa: E501 - an attack and the message about it are on one line

import contextlib
import re
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection, connections, transaction

from compliance.tenancy import checks, context, establishing, expected, shards, sql, system_catalogue
from compliance.tenancy.administration import Administration
from compliance.tenancy.errors import NotEstablishedError, NotMigratedError, UnprotectedTableError
from compliance.tenancy.roles import RUNTIME_ROLES
from development.embedded import ports

ROOT = Path(__file__).resolve().parents[2]
ROW = "history_historyrow"

ATTACKS = {
    "a dropped trigger": (
        f"DROP TRIGGER {ROW}_append_only ON {ROW}", f"table {ROW}: trigger {ROW}_append_only is missing"),
    "a disabled trigger": (
        "ALTER TABLE pending_fact DISABLE TRIGGER USER", "table pending_fact: trigger pending_fact_append_only is `disabled"),
    "a trigger only for replicas": (
        f"ALTER TABLE {ROW} ENABLE REPLICA TRIGGER {ROW}_append_only", f"{ROW}_append_only is `only on replicas"),
    "a trigger that never fires": (
        f"DROP TRIGGER {ROW}_append_only ON {ROW}; CREATE TRIGGER {ROW}_append_only BEFORE UPDATE OR DELETE ON {ROW}"
        " FOR EACH ROW WHEN (false) EXECUTE FUNCTION refuse_change()", f"{ROW}_append_only is `.* WHEN \\(false\\)"),
    "a trigger that calls another function": (
        "CREATE SCHEMA other; CREATE FUNCTION other.refuse_change() RETURNS trigger LANGUAGE plpgsql AS"
        f" 'BEGIN RETURN NEW; END'; DROP TRIGGER {ROW}_append_only ON {ROW}; CREATE TRIGGER {ROW}_append_only BEFORE"
        f" UPDATE OR DELETE ON {ROW} FOR EACH ROW EXECUTE FUNCTION other.refuse_change()", "other.refuse_change"),
    "an extra trigger": (
        "CREATE TRIGGER more BEFORE INSERT ON people_team FOR EACH ROW EXECUTE FUNCTION refuse_change()",
        "table people_team: trigger more is `CREATE TRIGGER.*expected none"),
    "a granted UPDATE": (
        f"GRANT UPDATE ON {ROW} TO app",
        f"table {ROW}: grants to app is `INSERT, SELECT, UPDATE`, expected `INSERT, SELECT`"),
    "a granted UPDATE of one column": (
        f"GRANT UPDATE (body) ON {ROW} TO app", f"table {ROW}: grants to app on column body is `UPDATE`, expected none"),
    "a granted TRUNCATE": ("GRANT TRUNCATE ON people_team TO app", "people_team: grants to app is `.*TRUNCATE"),
    "a grant to everybody": (
        "GRANT SELECT ON people_profile TO PUBLIC", "table people_profile: grants to PUBLIC is `SELECT`, expected none"),
    "a grant to a stranger": (
        "CREATE ROLE stranger; GRANT SELECT ON people_profile TO stranger", "people_profile: grants to stranger is `SELECT`"),
    "a grant that may be passed on": (
        "GRANT SELECT ON people_profile TO app WITH GRANT OPTION", "people_profile: grants to app is `.*WITH GRANT OPTION"),
    "a missing grant": (
        "REVOKE INSERT ON people_team FROM app", "people_team: grants to app is `DELETE, SELECT, UPDATE`"),
    "a record of migrations that the application may write": (
        "GRANT INSERT ON django_migrations TO app", "django_migrations: grants to app is `INSERT, SELECT`"),
    "a sequence that may be set": (
        "GRANT UPDATE ON SEQUENCE people_team_id_seq TO app", "sequence people_team_id_seq: grants to app is `UPDATE`"),
    "a policy that shows everything": (
        "ALTER POLICY company ON people_team USING (true)", "people_team: policy company is `.*USING \\(true\\)"),
    "a policy that lets everything in": (
        "ALTER POLICY company ON people_team WITH CHECK (true)", "people_team: policy company is `.*CHECK \\(true\\)"),
    "a policy for reading alone": (
        "DROP POLICY company ON people_team; CREATE POLICY company ON people_team FOR SELECT USING"
        " (organization_id = nullif(current_setting('app.organization', true), '')::uuid)",
        "people_team: policy company is `PERMISSIVE FOR SELECT"),
    "a dropped policy": ("DROP POLICY company ON people_team", "table people_team: policy company is missing"),
    "an extra policy": (
        "CREATE POLICY more ON people_team TO app USING (true)",
        "table people_team: policy more is `PERMISSIVE FOR ALL TO app USING \\(true\\)`, expected none"),
    "a backup policy for the application": (
        f"ALTER POLICY backup ON {ROW} TO app", f"table {ROW}: policy backup is `PERMISSIVE FOR SELECT TO app"),
    "row-level security that is off": (
        "ALTER TABLE people_team DISABLE ROW LEVEL SECURITY",
        "table people_team: row-level security is `off`, expected `on`"),
    "row-level security that is not forced": (
        f"ALTER TABLE {ROW} NO FORCE ROW LEVEL SECURITY", f"table {ROW}: row-level security is `on`, expected `forced`"),
    "check codes that everybody sees": (
        "ALTER TABLE certificates_checkcode DISABLE ROW LEVEL SECURITY", "certificates_checkcode: row-level security"),
    "a function with another text": (
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql"
        " SET search_path = pg_catalog, public AS 'BEGIN RETURN NEW; END'",
        "function refuse_change\\(\\): its text is another than expected"),
    "a function without its search path": (
        "ALTER FUNCTION pending_work(timestamptz, uuid[]) RESET ALL", "function pending_work.*: definition is `"),
    "a function of another owner": (
        "ALTER FUNCTION certificate_of_code(text, uuid[]) OWNER TO postgres", "certificate_of_code.*: owner is `postgres`"),
    "a function with the owner's rights": (
        "ALTER FUNCTION refuse_change() SECURITY DEFINER", "refuse_change.*: definition is `.*DEFINER"),
    "a function that everybody may call": (
        "GRANT EXECUTE ON FUNCTION certificate_of_code(text, uuid[]) TO PUBLIC", "certificate_of_code.*: grants to PUBLIC"),
    "an extra function": (
        "CREATE FUNCTION more() RETURNS SETOF people_profile LANGUAGE sql SECURITY DEFINER AS"
        " 'SELECT * FROM people_profile'", "function more\\(\\): definition is `.*DEFINER.*expected none"),
    "an extra table": ("CREATE TABLE more (name text)", "table more: kind is `table`, expected none"),
    "a view": ("CREATE VIEW more AS SELECT * FROM people_profile", "table more: kind is `view`, expected none"),
    "a materialized view": (
        "CREATE MATERIALIZED VIEW more AS SELECT * FROM people_profile", "table more: kind is `materialized view`"),
    "a missing table": ("DROP TABLE console_step", "table console_step: kind is missing"),
    "a table of another owner": ("ALTER TABLE people_team OWNER TO app", "table people_team: owner is `app`, expected `owner`"),
    "a rule": (
        f"CREATE RULE more AS ON INSERT TO {ROW} DO INSTEAD NOTHING", f"table {ROW}: rule more is"),
    "a role that passes by row-level security": ("ALTER ROLE app BYPASSRLS", "role app: attribute is `BYPASSRLS`"),
    "a role that makes roles": ("ALTER ROLE app CREATEROLE", "role app: attribute is `CREATEROLE`"),
    "an owner who is superuser": ("ALTER ROLE owner SUPERUSER", "role owner: attribute is `SUPERUSER`"),
    "a role that reads everything": ("GRANT pg_read_all_data TO app", "role app: member of is `pg_read_all_data`"),
    "a role that may become the owner": ("GRANT owner TO app", "role app: member of is `owner`"),
    "a stranger among the owner's members": (
        "CREATE ROLE stranger LOGIN; GRANT owner TO stranger", "role owner: member stranger"),
    "a role with another search path": (
        "ALTER ROLE app SET search_path = other, public", "role app: setting is `search_path=other, public`"),
    "a role whose triggers do not fire": (
        "ALTER ROLE app SET session_replication_role = replica", "role app: setting is `session_replication_role=replica`"),
    "a role that may switch triggers off": (
        "GRANT SET ON PARAMETER session_replication_role TO app", "role app: may set is `session_replication_role`"),
    "a schema in which the application makes objects": (
        "GRANT CREATE ON SCHEMA public TO app", "schema public: objects may be made by is `app`"),
    "a schema whose objects a role finds before those of public": (
        "CREATE SCHEMA app_web; GRANT USAGE ON SCHEMA app_web TO app_web; CREATE VIEW app_web.access_apikey AS"
        " SELECT * FROM public.access_apikey", "schema app_web: searched before public by is `app_web`, expected none"),
}  # fmt: skip


# On one shard of one node, which is called NAME in the messages.
ATTACKS_ON_A_NODE = {
    "row-level security that is off": (
        "ALTER TABLE people_team_NUMBER DISABLE ROW LEVEL SECURITY",
        "table people_team on NAME (1 of N shards: people_team_NUMBER): row-level security is `off`, expected `on`"),
    "row-level security that is not forced": (
        f"ALTER TABLE {ROW}_NUMBER NO FORCE ROW LEVEL SECURITY",
        f"table {ROW} on NAME (1 of N shards: {ROW}_NUMBER): row-level security is `on`, expected `forced`"),
    "a dropped policy": (
        "DROP POLICY company ON people_team_NUMBER", "table people_team on NAME (1 of N shards: people_team_NUMBER): policy company is missing"),
    "a policy that shows everything": (
        "ALTER POLICY company ON people_team_NUMBER USING (true)",
        "table people_team on NAME (1 of N shards: people_team_NUMBER): policy company is `PERMISSIVE FOR ALL TO PUBLIC USING (true)"),
    "a granted UPDATE": (
        f"GRANT UPDATE ON {ROW}_NUMBER TO app",
        f"table {ROW} on NAME (1 of N shards: {ROW}_NUMBER): grants to app is `INSERT, SELECT, UPDATE`, expected `INSERT, SELECT`"),
    "a granted UPDATE of one column": (
        f"GRANT UPDATE (body) ON {ROW}_NUMBER TO app",
        f"table {ROW} on NAME (1 of N shards: {ROW}_NUMBER): grants to app on column body is `UPDATE`, expected none"),
    "a dropped trigger": (
        f"DROP TRIGGER {ROW}_append_only_NUMBER ON {ROW}_NUMBER",
        f"table {ROW} on NAME (1 of N shards: {ROW}_NUMBER): trigger {ROW}_append_only is missing"),
    "a disabled trigger": (
        f"ALTER TABLE {ROW}_NUMBER DISABLE TRIGGER {ROW}_append_only_NUMBER",
        f"table {ROW} on NAME (1 of N shards: {ROW}_NUMBER): trigger {ROW}_append_only is `disabled: CREATE TRIGGER"),
    "a trigger that never fires": (
        f"DROP TRIGGER {ROW}_append_only_NUMBER ON {ROW}_NUMBER; CREATE TRIGGER {ROW}_append_only_NUMBER BEFORE UPDATE OR"
        f" DELETE ON {ROW}_NUMBER FOR EACH ROW WHEN (false) EXECUTE FUNCTION refuse_change()", "WHEN (false)"),
    "a function with another text": (
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql"
        " SET search_path = pg_catalog, public AS 'BEGIN RETURN NEW; END'",
        "function refuse_change() on NAME: its text is another than expected"),
}  # fmt: skip

# Created on a node alone, from rows of companies there; with the statement that removes it.
STRANGERS_ON_A_NODE = {
    "a view": (
        f"CREATE VIEW more AS SELECT * FROM {ROW}_NUMBER; GRANT SELECT ON more TO app", "DROP VIEW more",
        "table more on NAME: kind is `view`, expected none"),
    "a materialized view": (
        f"CREATE MATERIALIZED VIEW more AS SELECT * FROM {ROW}_NUMBER", "DROP MATERIALIZED VIEW more",
        "table more on NAME: kind is `materialized view`, expected none"),
    "a table": (
        f"CREATE TABLE more AS SELECT * FROM {ROW}_NUMBER", "DROP TABLE more",
        "table more on NAME: kind is `table`, expected none"),
    "a table that is called as one of the coordinator": (
        f"CREATE TABLE django_migrations AS SELECT * FROM {ROW}_NUMBER", "DROP TABLE django_migrations",
        "table django_migrations on NAME: kind is `table`, expected none"),
    "a table that is called as a shard": (
        f"CREATE TABLE {ROW}_1 AS SELECT * FROM {ROW}_NUMBER", f"DROP TABLE {ROW}_1",
        f"table {ROW}_1 on NAME: kind is `table`, expected none"),
    "a function with the owner's rights": (
        f"CREATE FUNCTION more() RETURNS SETOF {ROW}_NUMBER LANGUAGE sql SECURITY DEFINER AS 'SELECT * FROM {ROW}_NUMBER'",
        "DROP FUNCTION more()", "function more() on NAME: definition is `RETURNS SETOF"),
}  # fmt: skip

# What a role may be refused at a node, and the node's reason.
REFUSALS = {
    "the role may not log in": ("ALTER ROLE {role} NOLOGIN", "role .* is not permitted to log in"),
    "the role has another password": ("ALTER ROLE {role} PASSWORD 'other'", "password authentication failed for user"),
    "the role may not connect": (
        "REVOKE CONNECT ON DATABASE {database} FROM PUBLIC", "permission denied for database"),
    "the role has no connection left": ("ALTER ROLE {role} CONNECTION LIMIT 0", "too many connections for role"),
    "the role's statements end too early": (
        "ALTER ROLE {role} SET transaction_timeout = '1ms'", "terminating connection due to transaction timeout"),
}  # fmt: skip


def execute(alias: str, statements: str) -> None:
    """Runs statements one after the other: a cluster hands each on separately."""
    with connections[alias].cursor() as cursor:
        for statement in re.split(r";\s+(?=(?:CREATE|DROP|ALTER|GRANT|INSERT|DELETE)\b)", statements):
            cursor.execute(statement)


@pytest.mark.django_db
def test_a_database_as_migrate_left_it_is_accepted_in_two_statements(django_assert_num_queries):
    # On a cluster also: where tables are, all nodes, and, before and after, what Citus is to remove.
    with django_assert_num_queries(6 if settings.CLUSTER else 2):
        checks.refuse_unprotected_tables()


@pytest.mark.parametrize(("attack", "sentence"), ATTACKS.values(), ids=ATTACKS.keys())
def test_each_attack_is_refused_and_named(tampering, attack, sentence):
    checks.refuse_unprotected_tables(tampering)
    execute(tampering, attack)
    with pytest.raises(UnprotectedTableError) as refused:
        checks.refuse_unprotected_tables(tampering)
    assert re.search(sentence, str(refused.value)), refused.value
    assert "Tables are not protected" in str(refused.value)


class Node(NamedTuple):
    """A node of the cluster, `host:port`, asked directly as its superuser, who may change shards there."""

    name: str
    connection: psycopg.Connection

    def attack(self, statements: str) -> str:
        """Runs a statement on one shard of the table alone, as somebody logged in on its server. Returns its number."""
        (first,) = self.connection.execute(
            "SELECT min(s.shardid) FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid)"
            " WHERE p.groupid = (SELECT groupid FROM pg_dist_local_group) AND s.logicalrelid = %s::regclass",
            [ROW if ROW in statements else "people_team"],
        ).fetchone()
        self.connection.execute(statements.replace("NUMBER", str(first)))
        return str(first)


@pytest.fixture
def node(committed, administration):
    """A node of the cluster that holds companies. Whatever a test changes there is restored."""
    known = administration.info
    (host, port) = administration.execute(
        "SELECT n.nodename, n.nodeport FROM pg_dist_shard s JOIN pg_dist_placement USING (shardid)"
        " JOIN pg_dist_node n USING (groupid) WHERE s.logicalrelid = 'people_team'::regclass ORDER BY s.shardid LIMIT 1"
    ).fetchone()
    address = {"host": host, "port": port, "user": known.user, "password": known.password, "dbname": known.dbname}
    with psycopg.connect(**address, autocommit=True) as connection:
        connection.execute("SET citus.enable_ddl_propagation = off")
        connection.execute("SET citus.enable_manual_changes_to_shards = on")
        try:
            yield Node(f"{host}:{port}", connection)
        finally:
            list(establishing.establish("owner"))
            connections["owner"].close()


@pytest.mark.cluster
@pytest.mark.parametrize(("attack", "sentence"), ATTACKS_ON_A_NODE.values(), ids=ATTACKS_ON_A_NODE.keys())
def test_each_attack_on_a_shard_is_refused_with_its_node_and_mended_by_migrate(node, attack, sentence):
    assert checks.differences() == []
    number = node.attack(attack)
    with pytest.raises(UnprotectedTableError) as refused:
        checks.refuse_unprotected_tables()
    expected_sentence = sentence.replace("NAME", node.name).replace("NUMBER", number)
    assert expected_sentence in re.sub(r"of \d+ shards", "of N shards", str(refused.value))
    assert len(checks.differences()) == 1
    assert len(list(establishing.establish("owner"))) == 1
    assert checks.differences() == []


@pytest.mark.cluster
def test_a_disabled_trigger_against_truncate_on_a_shard_is_mended_by_migrate(node):
    """A move creates one on each shard that it copies; only the coordinator needs it, and Citus hands no change on."""
    node.attack(
        f"CREATE OR REPLACE TRIGGER {ROW}_no_truncate_NUMBER BEFORE TRUNCATE ON {ROW}_NUMBER FOR EACH STATEMENT"
        f" EXECUTE FUNCTION refuse_change(); ALTER TABLE {ROW}_NUMBER DISABLE TRIGGER USER"
    )
    assert {each.aspect for each in checks.differences()} == {
        f"trigger {ROW}_append_only",
        f"trigger {ROW}_no_truncate",
    }
    assert len(list(establishing.establish("owner"))) == 1
    assert checks.differences() == []
    assert list(establishing.establish("owner")) == []


@pytest.mark.cluster
def test_migrate_names_a_shard_of_another_owner_and_the_statement_that_mends_it(node, administration):
    node.attack("ALTER TABLE people_team_NUMBER OWNER TO app; ALTER POLICY company ON people_team_NUMBER USING (true)")
    try:
        with pytest.raises(CommandError) as refused:
            call_command("migrate", database="owner", verbosity=0)
        (statement,) = re.findall(r"run `(.*)` as one at the coordinator", str(refused.value))
    finally:
        administration.execute("ALTER TABLE people_team OWNER TO owner")
    assert f"table people_team on {node.name} (1 of " in str(refused.value)
    assert statement == "ALTER TABLE people_team OWNER TO owner"
    assert len(list(establishing.establish("owner"))) == 1
    assert checks.differences() == []


@pytest.mark.cluster
@pytest.mark.parametrize(("attack", "undone", "sentence"), STRANGERS_ON_A_NODE.values(), ids=STRANGERS_ON_A_NODE.keys())
def test_what_is_made_on_a_node_alone_is_refused_with_its_node(node, attack, undone, sentence):
    assert checks.differences() == []
    node.attack(attack)
    try:
        with pytest.raises(UnprotectedTableError) as refused:
            checks.refuse_unprotected_tables()
        assert sentence.replace("NAME", node.name) in str(refused.value)
        assert len(checks.differences()) == 1
    finally:
        node.connection.execute(undone)
    assert checks.differences() == []


@pytest.mark.cluster
def test_a_member_of_the_owner_that_is_called_as_those_of_a_move_is_refused_where_nothing_is_moved(node):
    # Another owner than that of the tables: roles belong to the whole server, and other tests check theirs.
    owner, member = f"role_{uuid.uuid4().hex[:8]}", f"citus_shard_move_subscription_role_{uuid.uuid4().hex[:8]}"
    actual = system_catalogue.read()
    node.connection.execute(f"CREATE ROLE {owner}; CREATE ROLE {member} LOGIN; GRANT {owner} TO {member}")
    try:
        found = [each.sentence for each in checks.on_servers(actual._replace(owner=owner), "default")]
    finally:
        node.connection.execute(f"DROP ROLE {owner}, {member}")
    assert f"role {owner} on {node.name}: member {member} is `has its rights`, expected none" in found


@pytest.mark.cluster
def test_nothing_of_a_move_is_a_difference_while_it_runs(node, administration):
    ((shard, there, other),) = administration.execute(
        "SELECT s.shardid, p.nodeid, o.nodeid FROM pg_dist_shard s JOIN pg_dist_placement USING (shardid)"
        " JOIN pg_dist_node p USING (groupid) JOIN pg_dist_node o ON o.groupid NOT IN (0, p.groupid)"
        " WHERE s.logicalrelid = 'people_team'::regclass ORDER BY s.shardid LIMIT 1"
    ).fetchall()
    ends = {each.number: each for each in shards.nodes()}
    with Administration() as moving, ThreadPoolExecutor(1) as executor:
        for target, source in ((other, there), (there, other)):
            with moving.receiving(ends[target]):
                under_way = executor.submit(
                    moving.run,
                    "SELECT citus_move_shard_placement(%s, %s, %s, 'force_logical')",
                    [shard, source, target],
                    lambda _: None,
                )
                seen = []
                while not under_way.done():
                    seen += [len(checks.differences())]
                under_way.result()
            assert len(seen) > 1
            assert set(seen) == {0}
            assert checks.differences() == []  # the copy that was left is there until it is tidied
            moving.tidy()


@pytest.fixture
def asking(committed, administration):
    """A Django alias that connects as a role of its own, and the role, whose changes affect no other test."""
    role = f"role_{uuid.uuid4().hex[:8]}"
    administration.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{role}'")
    for number in (-1, 0):
        administration.execute("INSERT INTO pg_dist_authinfo VALUES (%s, %s, %s)", [number, role, f"password={role}"])
    connections.databases[role] = connections["default"].settings_dict | {"USER": role, "PASSWORD": role}
    try:
        yield role
    finally:
        connections[role].close()
        del connections[role], connections.databases[role]
        administration.execute("DELETE FROM pg_dist_authinfo WHERE rolename = %s", [role])
        administration.execute(f"DROP ROLE {role}")


@pytest.mark.cluster
@pytest.mark.parametrize(("attack", "reason"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_node_that_refuses_the_login_is_refused_with_its_reason(node, asking, attack, reason):
    database = node.connection.info.dbname
    assert checks.differences(asking) == []
    node.connection.execute(attack.format(role=asking, database=database))
    try:
        (found,) = checks.differences(asking)
    finally:
        node.connection.execute(f"GRANT CONNECT ON DATABASE {database} TO PUBLIC")
    assert re.match(rf"server on {node.name}: system catalogue is `FATAL:  {reason}", found.sentence)


@pytest.mark.cluster
@pytest.mark.parametrize(
    ("password", "reason"),
    [("password=wrong", "password authentication failed"), (None, "fe_sendauth: no password supplied")],
)
def test_a_coordinator_that_may_log_in_nowhere_is_refused_for_every_server(administration, asking, password, reason):
    if password:
        administration.execute("UPDATE pg_dist_authinfo SET authinfo = %s WHERE rolename = %s", [password, asking])
    else:
        administration.execute("DELETE FROM pg_dist_authinfo WHERE rolename = %s", [asking])
    names = administration.execute("SELECT nodename || ':' || nodeport FROM pg_dist_node ORDER BY 1").fetchall()
    found = checks.differences(asking)
    assert [each.where for each in found] == [name for (name,) in names]
    assert all(reason in each.sentence and "wrong" not in each.sentence for each in found)


@pytest.mark.cluster
def test_a_coordinator_that_cannot_connect_to_itself_is_refused(committed, administration):
    ((node, port),) = administration.execute("SELECT nodeid, nodeport FROM pg_dist_node WHERE groupid = 0").fetchall()
    move, free = "UPDATE pg_dist_node SET nodeport = %s WHERE nodeid = %s", ports.free_port()
    administration.execute(move, [free, node])
    try:
        (found,) = checks.differences()
    finally:
        administration.execute(move, [port, node])
    assert re.fullmatch(rf"server on \S+:{free}: system catalogue is `Connection refused.*`, .*", found.sentence)


@pytest.mark.cluster
def test_a_role_that_passes_by_row_level_security_on_a_node_is_refused_with_the_node(node, monkeypatch):
    role = f"role_{uuid.uuid4().hex[:8]}"  # roles belong to the whole server: other tests use those of the service
    monkeypatch.setattr(system_catalogue, "RUNTIME_ROLES", (*RUNTIME_ROLES, role))
    node.connection.execute(f"CREATE ROLE {role} BYPASSRLS")
    with contextlib.ExitStack() as stack:
        stack.callback(node.connection.execute, f"DROP ROLE {role}")
        with pytest.raises(UnprotectedTableError) as refused:
            checks.refuse_unprotected_tables()
        assert f"role {role} on {node.name}: attribute is `BYPASSRLS`, expected none" in str(refused.value)
    assert checks.differences() == []


@pytest.mark.cluster
def test_a_node_that_answers_but_does_not_say_what_it_has_is_refused(node):
    of_this_database = f"ALTER ROLE app IN DATABASE {node.connection.info.dbname}"
    node.connection.execute(f"{of_this_database} SET statement_timeout = '1ms'")
    try:
        with pytest.raises(UnprotectedTableError) as refused:
            checks.refuse_unprotected_tables()
    finally:
        node.connection.execute(f"{of_this_database} RESET statement_timeout")
    assert f"server on {node.name}: system catalogue is `" in str(refused.value)
    assert "statement timeout" in str(refused.value)


@pytest.mark.cluster
def test_rows_that_stay_at_the_coordinator_are_in_a_shard_that_is_compared_too(node, administration):
    """The rows of a table in step with the nodes are in a shard at the coordinator; the table itself is empty there."""
    ((shard, name),) = administration.execute(
        "SELECT 'console_accesslog_' || s.shardid, n.nodename || ':' || n.nodeport FROM pg_dist_shard s"
        " JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node n USING (groupid)"
        " WHERE s.logicalrelid = 'console_accesslog'::regclass AND n.groupid = 0"
    ).fetchall()
    administration.execute("SET citus.enable_manual_changes_to_shards = on")
    administration.execute(f"GRANT DELETE ON {shard} TO app")
    (found,) = checks.differences()
    assert found.sentence.startswith(
        f"table console_accesslog on {name} (1 of 1 shards: {shard}): grants to app is `DELETE,"
    )
    assert len(list(establishing.establish("owner"))) == 1
    assert checks.differences() == []


@pytest.mark.parametrize(
    "harmless",
    [
        "CREATE ROLE administrator CREATEROLE; GRANT owner TO administrator",
        "ALTER ROLE app SET statement_timeout = '1min'",
        "CREATE SCHEMA other; CREATE TABLE other.more (name text)",
        "CREATE EXTENSION IF NOT EXISTS vector",
        # A later release has been migrated to, and this one still serves.
        "CREATE TABLE more (name text); INSERT INTO django_migrations (app, name, applied)"
        " VALUES ('people', '9999_later', now())",
    ],
)
def test_what_weakens_nothing_is_let_be(tampering, harmless):
    if "EXTENSION" in harmless and not sql.fetch("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"):
        pytest.skip("this PostgreSQL brings no extension that is not the product's")
    execute(tampering, harmless)
    checks.refuse_unprotected_tables(tampering)


def test_a_later_release_excuses_nothing_of_what_this_one_knows(tampering):
    execute(tampering, "INSERT INTO django_migrations (app, name, applied) VALUES ('people', '9999_later', now())")
    execute(tampering, "ALTER TABLE people_team DISABLE ROW LEVEL SECURITY")
    with pytest.raises(UnprotectedTableError, match="people_team: row-level security is `off`"):
        checks.refuse_unprotected_tables(tampering)


def test_a_database_that_lacks_migrations_is_refused_with_that_reason(tampering):
    execute(
        tampering, "DROP TABLE console_step; DELETE FROM django_migrations WHERE name = '0003_completion_from_history'"
    )
    with pytest.raises(NotMigratedError, match=r"manage\.py migrate"):
        checks.refuse_unprotected_tables(tampering)


def test_a_process_refuses_to_start_until_migrate_has_mended_what_was_taken(
    committed, administration, process_environment, tmp_path
):
    """All of it, committed: the attack, a real process that refuses, the repair that reports its changes."""
    environment = process_environment | {"LOG_FOLDER": str(tmp_path / "log")}

    def manage(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, text=True, capture_output=True,
            check=False,
        )  # fmt: skip

    for attack in (
        f"DROP TRIGGER {ROW}_no_truncate ON {ROW}",
        f"GRANT DELETE ON {ROW} TO app",
        "ALTER POLICY company ON people_team USING (true)",
        "ALTER TABLE people_team DISABLE ROW LEVEL SECURITY",
    ):
        administration.execute(attack)
    try:
        refused = manage("safe_to_start")
        assert refused.returncode == 1
        for sentence in (f"{ROW}_no_truncate is missing", "DELETE, INSERT, SELECT", "USING (true)", "is `off`"):
            assert sentence in refused.stderr
    finally:
        mended = manage("migrate")
    assert f"table {ROW}: grants to app, trigger {ROW}_no_truncate" in mended.stdout
    assert "table people_team: policy company, row-level security" in mended.stdout
    assert manage("safe_to_start").returncode == 0
    assert "as the models declare them already" in manage("migrate").stdout


@pytest.mark.django_db(databases=["default", "owner"])
def test_migrate_leaves_strangers_for_somebody_to_look_at(tampering):
    execute(tampering, "CREATE POLICY more ON people_team USING (true); GRANT SELECT ON people_team TO PUBLIC")
    assert list(establishing.establish(tampering)) == []
    with pytest.raises(UnprotectedTableError, match="policy more"):
        checks.refuse_unprotected_tables(tampering)


@pytest.mark.one_server("Citus lets nodes do what a role does by that role's login, and this one has none")
@pytest.mark.django_db(databases=["default", "owner"])
def test_migrate_does_not_claim_what_it_could_not_take_away(tampering):
    """The owner revokes what the owner has granted; grants by another role remain."""
    execute(tampering, f"CREATE ROLE middleman; GRANT DELETE ON {ROW} TO middleman WITH GRANT OPTION")
    execute(tampering, f"SET LOCAL ROLE middleman; GRANT DELETE ON {ROW} TO app_web")
    execute(tampering, "SET LOCAL ROLE NONE")
    with pytest.raises(NotEstablishedError, match=f"changed and is as it was: table {ROW}: grants to app_web is"):
        list(establishing.establish(tampering))


@pytest.mark.django_db
def test_every_model_with_a_company_is_under_row_level_security_or_listed():
    found = {each.name: each for each in expected.tables()}
    assert sum(each.of_companies for each in found.values()) > 30
    assert found[ROW].forced
    assert not found["people_team"].forced


@pytest.mark.django_db(databases=["default", "owner"])
def test_the_owner_reads_final_rows_for_backups_but_writes_none():
    assert connection.alias == "default"
    organization_id = uuid.uuid4()
    with context.company(organization_id):
        sql.execute(
            "INSERT INTO people_erasure (organization_id, learner_profile_id, at, recorded_at)"
            " VALUES (%s, %s, now(), now())",
            [organization_id, uuid.uuid4()],
        )
    execute("owner", "SELECT count(*) FROM people_erasure")
    with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic(using="owner"):
        execute(
            "owner",
            "INSERT INTO people_erasure (organization_id, learner_profile_id, at, recorded_at)"
            f" VALUES ('{organization_id}', '{organization_id}', now(), now())",
        )


def test_a_check_code_is_read_across_companies_by_its_function_alone(committed):
    organization_id, certificate_id = uuid.uuid4(), uuid.uuid4()
    code = f"ATTACK-{uuid.uuid4().hex[:12]}"
    with context.company(organization_id):
        sql.execute(
            "INSERT INTO certificates_checkcode (organization_id, certificate_id, learner_profile_id, check_code)"
            " VALUES (%s, %s, %s, %s)",
            [organization_id, certificate_id, uuid.uuid4(), code],
        )
    assert sql.fetch("SELECT check_code FROM certificates_checkcode") == []
    with context.company(uuid.uuid4()):
        assert sql.fetch("SELECT check_code FROM certificates_checkcode") == []
        assert sql.execute("UPDATE certificates_checkcode SET check_code = NULL") == 0
    ((found, whose, _),) = sql.fetch("SELECT * FROM certificate_of_code(%s::text, NULL)", [code])
    assert (found, whose) == (organization_id, certificate_id)
    assert sql.fetch("SELECT * FROM certificate_of_code(NULL, NULL)") == []
