"""Reads from PostgreSQL's system catalogue, in one statement, who may do what and what guards the tables.

Each row describes one aspect of one object. Objects that belong to extensions are left out. Of roles, settings and the
schema the statement returns only what could weaken the tenant boundary, so any such row is a difference. The servers of
a cluster are asked the same about their shards.
"""

import json
from typing import NamedTuple

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections

from compliance.tenancy import servers
from compliance.tenancy.expected import PLACEMENT, SystemCatalogue
from compliance.tenancy.placement import Placement
from compliance.tenancy.roles import RUNTIME_ROLES

_SYSTEM_CATALOGUE = """
WITH relation AS (
    SELECT c.oid, c.relname AS name, c.relkind, c.relowner, c.relacl, c.relrowsecurity, c.relforcerowsecurity
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        AND NOT EXISTS (SELECT 1 FROM pg_depend d
            WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
), shown AS (
    SELECT *, CASE relkind WHEN 'S' THEN 'sequence ' ELSE 'table ' END || name AS subject FROM relation
), function AS (
    SELECT p.*, format('function %%s(%%s)', p.proname, pg_get_function_arguments(p.oid)) AS subject, l.lanname
    FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE p.pronamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT 1 FROM pg_depend d
            WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
), runtime AS (SELECT * FROM pg_roles WHERE rolname = ANY(%(roles)s)
), schema_owner AS (SELECT oid FROM pg_roles WHERE rolname = %(owner)s
), guarded AS (
    SELECT r.* FROM pg_roles r WHERE r.rolname = ANY(%(roles)s) OR r.oid = (SELECT oid FROM schema_owner)
)
SELECT subject, 'kind', CASE relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
    WHEN 'f' THEN 'foreign table' ELSE 'partitioned table' END FROM shown WHERE relkind <> 'S'
UNION ALL SELECT subject, 'owner', pg_get_userbyid(relowner) FROM shown WHERE relkind <> 'S'
UNION ALL SELECT subject, 'row-level security', CASE WHEN relrowsecurity AND relforcerowsecurity THEN 'forced'
    WHEN relrowsecurity THEN 'on' WHEN relforcerowsecurity THEN 'off, though forced' ELSE 'off' END
    FROM shown WHERE relkind <> 'S'
UNION ALL SELECT s.subject, 'policy ' || p.polname, concat_ws(' ',
    CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END, 'FOR',
    CASE p.polcmd WHEN '*' THEN 'ALL' WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
        ELSE 'DELETE' END,
    'TO', (SELECT string_agg(CASE each WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(each)::text END, ', ' ORDER BY each)
        FROM unnest(p.polroles) each),
    'USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
    'WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
    FROM pg_policy p JOIN shown s ON s.oid = p.polrelid
UNION ALL SELECT s.subject, 'trigger ' || t.tgname, CASE t.tgenabled WHEN 'O' THEN '' WHEN 'D' THEN 'disabled: '
        WHEN 'R' THEN 'only on replicas: ' ELSE 'always: ' END || pg_get_triggerdef(t.oid)
    FROM pg_trigger t JOIN shown s ON s.oid = t.tgrelid WHERE NOT t.tgisinternal OR t.tgenabled <> 'O'
UNION ALL SELECT s.subject, 'rule ' || r.rulename, pg_get_ruledef(r.oid)
    FROM pg_rewrite r JOIN shown s ON s.oid = r.ev_class WHERE s.relkind NOT IN ('v', 'm')
UNION ALL SELECT s.subject, 'grants to ' || CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee) END,
    string_agg(a.privilege_type || CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, ', '
        ORDER BY a.privilege_type)
    FROM shown s, aclexplode(s.relacl) a WHERE a.grantee <> s.relowner
        AND (s.relkind <> 'S' OR a.is_grantable OR NOT (a.privilege_type IN ('SELECT', 'USAGE')
            AND a.grantee IN (SELECT oid FROM runtime)))
    GROUP BY s.subject, a.grantee
UNION ALL SELECT s.subject, format('grants to %%s on column %%s',
        CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(x.grantee) END, a.attname),
    string_agg(x.privilege_type || CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, ', '
        ORDER BY x.privilege_type)
    FROM shown s JOIN pg_attribute a ON a.attrelid = s.oid AND a.attacl IS NOT NULL, aclexplode(a.attacl) x
    WHERE x.grantee <> s.relowner GROUP BY s.subject, x.grantee, a.attname
UNION ALL SELECT subject, 'owner', pg_get_userbyid(proowner) FROM function
UNION ALL SELECT subject, 'definition', concat_ws(' ', 'RETURNS', pg_get_function_result(oid), 'LANGUAGE', lanname,
    CASE provolatile WHEN 'v' THEN 'VOLATILE' WHEN 's' THEN 'STABLE' ELSE 'IMMUTABLE' END, 'SECURITY',
    CASE WHEN prosecdef THEN 'DEFINER' ELSE 'INVOKER' END,
    (SELECT string_agg('SET ' || each, ' ') FROM unnest(proconfig) each)) FROM function
UNION ALL SELECT subject, 'body', coalesce(prosrc, '') FROM function
UNION ALL SELECT f.subject, 'grants to ' || CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee) END,
    string_agg(a.privilege_type || CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, ', ')
    FROM function f, aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a WHERE a.grantee <> f.proowner
    GROUP BY f.subject, a.grantee
UNION ALL SELECT 'role ' || rolname, 'attribute', concat_ws(', ', CASE WHEN rolsuper THEN 'SUPERUSER' END,
    CASE WHEN rolbypassrls THEN 'BYPASSRLS' END, CASE WHEN rolcreaterole THEN 'CREATEROLE' END,
    CASE WHEN rolreplication THEN 'REPLICATION' END)
    FROM guarded WHERE rolsuper OR rolbypassrls OR rolcreaterole OR rolreplication
UNION ALL SELECT 'role ' || r.rolname, 'member of', pg_get_userbyid(m.roleid)
    FROM pg_auth_members m JOIN guarded r ON r.oid = m.member
-- Whoever may create roles could make themselves a member anyway: the administrator of a managed server is one.
UNION ALL SELECT 'role ' || r.rolname, 'member ' || other.rolname, 'has its rights'
    FROM pg_auth_members m JOIN guarded r ON r.oid = m.roleid JOIN pg_roles other ON other.oid = m.member
    WHERE NOT other.rolcreaterole AND NOT other.rolsuper
UNION ALL SELECT CASE s.setrole WHEN 0 THEN 'every role' ELSE 'role ' || pg_get_userbyid(s.setrole) END, 'setting', each
    FROM pg_db_role_setting s, unnest(s.setconfig) each
    WHERE (s.setrole = 0 OR s.setrole IN (SELECT oid FROM guarded))
        AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        AND split_part(each, '=', 1) IN ('search_path', 'row_security', 'session_replication_role', 'role',
            'app.organization', 'default_transaction_read_only', 'local_preload_libraries', 'check_function_bodies')
UNION ALL SELECT 'role ' || CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee) END,
    'may set', p.parname FROM pg_parameter_acl p, aclexplode(p.paracl) a
    WHERE a.grantee IN (SELECT oid FROM guarded) OR a.grantee = 0
UNION ALL SELECT 'schema public', 'objects may be made by',
    CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee) END
    FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.nspname = 'public' AND a.privilege_type = 'CREATE'
        AND a.grantee NOT IN (n.nspowner, (SELECT oid FROM schema_owner))
-- By its default, "$user", public, a role looks in a schema of its own name first.
UNION ALL SELECT 'schema ' || n.nspname, 'searched before public by', g.rolname
    FROM pg_namespace n JOIN guarded g ON g.rolname = n.nspname
"""


_OWNER = """
SELECT pg_get_userbyid(relowner)::text, ARRAY(SELECT rolname::text FROM pg_roles WHERE rolname = ANY(%s)),
    to_regclass('pg_dist_partition') IS NOT NULL
FROM pg_class WHERE oid = 'django_migrations'::regclass
"""


_PLACEMENTS = """
WITH placed AS (
    SELECT p.logicalrelid, p.partmethod, p.colocationid, column_to_column_name(p.logicalrelid, p.partkey) AS by
    FROM pg_dist_partition p
), largest AS (
    SELECT colocationid FROM placed WHERE partmethod = 'h' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1
)
SELECT 'table ' || logicalrelid::regclass, CASE
    WHEN partmethod = 'h' AND by = 'organization_id' AND colocationid = (SELECT colocationid FROM largest) THEN %s
    WHEN partmethod = 'h' THEN 'by ' || by || ', apart from the others'
    WHEN colocationid = 0 THEN %s
    ELSE 'on every node' END
FROM placed
"""


# A shard and its triggers have their table's name with a number at the end, and are reported under the table's name.
# A table that is none of the cluster's is reported as of 0 shards; at the coordinator it is compared with the
# declarations.
_SHARDS = f"""
WITH shard AS (
    SELECT t.relname AS name, t.relname || '_' || s.shardid AS own_name, '_' || s.shardid AS ending,
        count(*) OVER (PARTITION BY t.oid) AS of_all
    FROM pg_dist_placement p JOIN pg_dist_shard s USING (shardid) JOIN pg_class t ON t.oid = s.logicalrelid
    WHERE p.groupid = (SELECT groupid FROM pg_dist_local_group)
), found (subject, aspect, value) AS ({_SYSTEM_CATALOGUE}), told AS (
    SELECT 'table ' || s.name AS subject, f.aspect, f.value, s.own_name, s.of_all
    FROM shard s LEFT JOIN found f ON f.subject = 'table ' || s.own_name AND f.aspect NOT LIKE 'trigger %%'
    UNION ALL SELECT 'table ' || s.name, regexp_replace(f.aspect, s.ending || '$', ''),
        replace(regexp_replace(f.value, '(CREATE TRIGGER \\S+)' || s.ending || ' ', '\\1 '),
            format(' ON public.%%I ', s.own_name), format(' ON public.%%I ', s.name)), s.own_name, s.of_all
    FROM shard s JOIN found f ON f.subject = 'table ' || s.own_name AND f.aspect LIKE 'trigger %%'
    UNION ALL SELECT subject, aspect, value, subject, 1 FROM found
    WHERE subject NOT LIKE 'table %%' AND subject NOT LIKE 'sequence %%'
    UNION ALL SELECT subject, aspect, value, subject, 0 FROM found
    WHERE subject LIKE 'table %%' AND aspect = 'kind' AND (SELECT groupid FROM pg_dist_local_group) <> 0
        AND subject NOT IN (SELECT 'table ' || own_name FROM shard)
        AND subject NOT IN (
            SELECT 'table ' || t.relname FROM pg_dist_partition p JOIN pg_class t ON t.oid = p.logicalrelid
        )
), counted AS (
    SELECT subject, aspect, value, count(DISTINCT own_name) AS shards, of_all, min(own_name) AS first
    FROM told GROUP BY 1, 2, 3, 5
), lacking AS (
    SELECT a.subject, a.aspect, NULL, count(*), s.of_all, min(s.own_name)
    FROM (SELECT subject, aspect FROM told GROUP BY 1, 2, of_all HAVING count(DISTINCT own_name) < of_all) a
    JOIN shard s ON 'table ' || s.name = a.subject
    WHERE (a.subject, a.aspect, s.own_name) NOT IN (SELECT subject, aspect, own_name FROM told WHERE aspect IS NOT NULL)
        AND a.aspect IS NOT NULL
    GROUP BY 1, 2, s.of_all
)
SELECT coalesce(json_agg(json_build_array(subject, aspect, value, shards, of_all, first)), '[]')
FROM (TABLE counted UNION ALL TABLE lacking) each
"""  # noqa: S608 - two statements of our own


# Objects that Citus records for removal before it creates them: all that a move creates, and what it leaves.
_PASSING = "SELECT node_group_id, object_name FROM pg_dist_cleanup"


class Found(NamedTuple):
    """The entries of the system catalogue, who owns the schema's tables, and which of the runtime roles there are."""

    entries: SystemCatalogue
    owner: str
    roles: frozenset[str]


def read(alias: str = DEFAULT_DB_ALIAS) -> Found:
    """The system catalogue of a connection's database. An empty one raises Django's ProgrammingError."""
    with connections[alias].cursor() as cursor:
        cursor.execute(_OWNER, [list(RUNTIME_ROLES)])
        owner, roles, on_a_cluster = cursor.fetchone()
        cursor.execute(_SYSTEM_CATALOGUE, {"roles": list(RUNTIME_ROLES), "owner": owner})
        rows = cursor.fetchall()
        placements = []
        if on_a_cluster:
            cursor.execute(_PLACEMENTS, [Placement.WITH_COMPANY, Placement.COORDINATOR_IN_STEP])
            placements = cursor.fetchall()
    found: SystemCatalogue = {(subject, PLACEMENT): where for subject, where in placements}
    for subject, aspect, value in rows:
        known = found.get((subject, aspect))
        found[subject, aspect] = value if known is None else f"{known}; {value}"
    return Found(found, owner, frozenset(roles))


class Aspect(NamedTuple):
    """One aspect of one object on a server of a cluster; for a table, the number of `shards` of `of_all` there.

    `aspect` and `value` are None where a shard has no table, `value` alone where some shards lack the aspect. For
    anything but a table `of_all` is 1; for a relation that is neither a shard nor one of the cluster's tables it is 0.
    """

    subject: str
    aspect: str | None
    value: str | None
    shards: int
    of_all: int
    first: str
    """One of the shards, by its own name, which an operator needs to find it on the node."""


class Server(NamedTuple):
    """A server of a cluster, `host:port`, and the aspects of its shards, its functions and its roles.

    `fault` is why these are not known, else empty. `passing` are the objects there that Citus will remove.
    """

    name: str
    aspects: list[Aspect]
    fault: str
    is_away: bool
    passing: frozenset[str]


def read_servers(owner: str, alias: str = DEFAULT_DB_ALIAS) -> list[Server]:
    """What each server of the cluster has, including the coordinator, which has shards of the tables in step.

    All are asked in one statement. Each counts its shards, so that the size of its answer does not depend on their
    number, and decides which they are: a copy that a move has begun or left behind is not one.
    """
    values = {"roles": list(RUNTIME_ROLES), "owner": owner}
    statement = psycopg.ClientCursor(connections[alias].connection).mogrify(_SHARDS, values)
    # A move creates and removes one table after the other meanwhile, so the records are read before and afterwards.
    before = _passing(alias)
    answers = servers.ask(statement, alias)
    passing = before | _passing(alias)
    return [
        Server(
            each.name,
            [Aspect(*one) for one in json.loads(each.value)] if not each.fault else [],
            each.fault,
            each.is_away,
            frozenset(name for group, name in passing if group == each.group),
        )
        for each in answers
    ]


def _passing(alias: str) -> set[tuple[int, str]]:
    with connections[alias].cursor() as cursor:
        cursor.execute(_PASSING)
        return set(cursor.fetchall())
