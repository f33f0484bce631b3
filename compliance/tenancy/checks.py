"""Compares the protections of the tenant boundary, word for word, with those that the code expects.

This happens at start-up and each night. `expected` derives the protections from the models' declarations, and
`system_catalogue` reads those that the database has. A process whose database differs in anything refuses to start.
`manage.py migrate` creates what is missing (`establishing`). On a cluster the rows are in shards on its nodes, which
the coordinator's catalogue does not describe, so each node is compared too.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import structlog
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader

from compliance.tenancy import expected, sql, system_catalogue
from compliance.tenancy.errors import NotDistributedError, NotMigratedError, UnprotectedTableError, UnsafeRoleError
from compliance.tenancy.roles import RUNTIME_ROLES

logger = structlog.get_logger(__name__)

MOST_SENTENCES = 20


class Difference(NamedTuple):
    """One aspect of one object that is not as expected; `found` or `expected` is None where there is no such aspect."""

    subject: str
    aspect: str
    found: str | None
    expected: str | None
    where: str = ""
    """The server of a cluster (`host:port`) and on how many of its shards; empty for the database that clients ask."""

    @property
    def sentence(self) -> str:
        """The difference in one plain sentence."""
        subject = f"{self.subject} on {self.where}" if self.where else self.subject
        if self.aspect == "body" and self.found is not None and self.expected is not None:
            return f"{subject}: its text is another than expected"
        if self.found is None:
            return f"{subject}: {self.aspect} is missing, expected `{self.expected}`"
        if self.expected is None:
            return f"{subject}: {self.aspect} is `{self.found}`, expected none"
        return f"{subject}: {self.aspect} is `{self.found}`, expected `{self.expected}`"


def refuse_unsafe_role() -> None:
    """Raises UnsafeRoleError when the connected role is none of the runtime roles, or could see more than they may."""
    ((role, superuser, bypass, owns),) = sql.fetch(
        "SELECT rolname::text, rolsuper, rolbypassrls, EXISTS (SELECT 1 FROM pg_class WHERE relowner = pg_roles.oid"
        " AND relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace)"
        " FROM pg_roles WHERE rolname = current_user"
    )
    found = [word for word, holds in (("a superuser", superuser), ("BYPASSRLS", bypass), ("the owner", owns)) if holds]
    if found:
        raise UnsafeRoleError(
            f"The application's database role is {' and '.join(found)}: it would see every company's rows."
            " Point DATABASE_URL at the role of the process, or at `app` (docs/operations.md)."
        )
    if role not in RUNTIME_ROLES:
        raise UnsafeRoleError(
            f"The application's database role `{role}` is none of {', '.join(RUNTIME_ROLES)}, so nothing is known of"
            " what it may do. Point DATABASE_URL at the role of the process, or at `app` (docs/operations.md)."
        )


def refuse_unprotected_tables(alias: str = DEFAULT_DB_ALIAS) -> None:
    """Raises UnprotectedTableError with every difference, or NotMigratedError where migrations are missing.

    Raises NotDistributedError where tables are not where their declaration places them on a cluster.
    An empty database raises Django's ProgrammingError.
    """
    found = differences(alias)
    if not found:
        return
    sentences = [each.sentence for each in found]
    listed = "; ".join(sentences[:MOST_SENTENCES]) + (
        f"; and {len(sentences) - MOST_SENTENCES} more" if len(sentences) > MOST_SENTENCES else ""
    )
    if _migrations(alias).missing:
        raise NotMigratedError(f"The database lacks migrations. Run `manage.py migrate` first. It differs: {listed}.")
    absent = {each.subject for each in found if each.aspect == "kind" and each.found is None}
    if any(each.aspect == expected.PLACEMENT and each.subject not in absent for each in found):
        # This comes before all other differences: `distribute` drops a table's protections to move it and restores all.
        raise NotDistributedError(_not_distributed(listed))
    raise UnprotectedTableError(
        f"The database is not protected as this version expects: {listed}."
        " Follow `Tables are not protected` in docs/operations.md."
    )


def _not_distributed(listed: str) -> str:
    if not settings.CLUSTER:
        return "This database is a cluster: set CLUSTER=1 for every process (docs/scale.md)."
    return f"Tables are not where they belong on a cluster. Run `manage.py distribute` (docs/scale.md): {listed}."


def differences(alias: str = DEFAULT_DB_ALIAS) -> list[Difference]:
    """Every difference of the system catalogue from the expected one, by object; on a cluster, that of each server.

    The coordinator is compared first, and the other servers only once it is right: Citus hands its changes on to them.
    While a later release's migrations are applied and this version still serves, objects that only the later release
    knows are ignored; every object that this version knows must be as it expects.
    """
    actual = system_catalogue.read(alias)
    found = compared(actual)
    unknown = [each for each in found if each.expected is None and each.aspect in _EXISTENCE]
    if unknown and _migrations(alias).later:
        found = [each for each in found if each not in unknown]
    return found or on_servers(actual, alias)


def compared(actual: system_catalogue.Found) -> list[Difference]:
    """The differences of a system catalogue from the expected one.

    A table or function that no code declares gives one difference: that it exists. Its other aspects are ignored.
    """
    wanted = expected.system_catalogue(actual.owner, actual.roles)
    known = {subject for subject, _ in wanted}
    found = []
    for subject, aspect in sorted(actual.entries.keys() | wanted.keys()):
        value, right = actual.entries.get((subject, aspect)), wanted.get((subject, aspect))
        declared = subject in known or not subject.startswith(("table ", "function "))
        if value != right and (declared or aspect in _EXISTENCE):
            found.append(Difference(subject, aspect, value, right))
    return found


def on_servers(actual: system_catalogue.Found, alias: str) -> list[Difference]:
    """The differences of a cluster's servers from what each must have, by server and object; none without a cluster.

    A server that takes no connection is logged and skipped: calls for its companies are answered 503. A server that
    refuses the login, or whose catalogue cannot be read, is a difference. An object that a server lacks altogether, a
    function or a table without shards there, is none: nobody can use it there.
    """
    if not settings.CLUSTER:
        return []
    wanted = expected.on_servers(actual.owner, actual.roles)
    found: list[Difference] = []
    for server in system_catalogue.read_servers(actual.owner, alias):
        if server.is_away:
            logger.warning("database_node_away", node=server.name, reason=server.fault)
        elif server.fault:
            found.append(Difference("server", "system catalogue", server.fault, "readable", server.name))
        else:
            found += _on_server(server, wanted, actual)
    return found


def _on_server(
    server: system_catalogue.Server, wanted: expected.SystemCatalogue, actual: system_catalogue.Found
) -> Iterator[Difference]:
    known = {subject for subject, _ in wanted}
    of_all: dict[str, int] = {}
    shards: dict[tuple[str, str | None, str | None], str] = {}
    counts: dict[tuple[str, str], Counter[str | None]] = {key: Counter() for key in wanted}
    for each in server.aspects:
        kind, _, name = each.subject.partition(" ")
        if kind == "table" and each.of_all == 0:
            if f"public.{name}" not in server.passing:
                yield Difference(each.subject, "kind", each.value, None, server.name)
            continue
        if kind in ("table", "function") and each.subject not in known:
            # An object of a later release was ignored at the coordinator already.
            if each.aspect == "definition" and (each.subject, each.aspect) not in actual.entries:
                yield Difference(each.subject, each.aspect, each.value, None, server.name)
            continue
        if each.subject == f"role {actual.owner}" and _is_of_a_move(each, server):
            continue
        of_all[each.subject] = each.of_all
        shards[each.subject, each.aspect, each.value] = each.first
        shards.setdefault((each.subject, None, None), each.first)
        if each.aspect is not None and each.value is not None:
            counts.setdefault((each.subject, each.aspect), Counter())[each.value] += each.shards
    for (subject, aspect), values in sorted(counts.items()):
        whole, right = of_all.get(subject, 0), wanted.get((subject, aspect))
        if right is not None and not expected.may_lack(right):
            values[None] = whole - values.total()
        for value, number in values.items():
            if number > 0 and value != right:
                where = server.name
                if subject.startswith("table "):
                    first = shards.get((subject, aspect, value)) or shards[subject, None, None]
                    others = f" and {number - 1} more" if number > 1 else ""
                    where = f"{server.name} ({number} of {whole} shards: {first}{others})"
                yield Difference(subject, aspect, value, right, where)


def _is_of_a_move(each: system_catalogue.Aspect, server: system_catalogue.Server) -> bool:
    """Whether a move to this node, under way or interrupted, explains this difference of the owner's role.

    The owner bypasses row-level security there (`administration`), and Citus replicates as a role that it makes a
    member of the owner. Citus records that role beforehand for removal, so a role with a similar name does not count.
    """
    return each.value == "BYPASSRLS" or (each.aspect or "").removeprefix("member ") in server.passing


_EXISTENCE = ("kind", "definition")


class _Migrations(NamedTuple):
    missing: bool
    later: bool


def _migrations(alias: str) -> _Migrations:
    loader = MigrationLoader(connections[alias])
    known, applied = set(loader.disk_migrations), set(loader.applied_migrations)
    ours = {room for room, _ in known}
    return _Migrations(
        bool(known - applied), any(room in ours for room, _ in applied - known - set(loader.replacements))
    )
