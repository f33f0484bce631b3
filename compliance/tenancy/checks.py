"""What guards the tenant boundary is compared, word for word, with what the code expects: at start-up and each night.

`expected` derives it from the models' declarations, `system_catalogue` reads what the database has, and a process whose
database differs in anything refuses to start. `manage.py migrate` brings about what is missing (`establishing`). On a
cluster the rows are on its nodes, in shards that the coordinator's catalogue does not know: each node is compared, too.
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

MOST_SAID = 20


class Difference(NamedTuple):
    """One aspect of one object that is not as expected; None where there is none."""

    subject: str
    aspect: str
    found: str | None
    expected: str | None
    where: str = ""
    """On which server of a cluster (`host:port`), and on how many of its shards; empty for what everybody asks."""

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
    """Raises UnsafeRoleError when the connected role is none of the runtime roles, or could see more than these."""
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

    NotDistributedError where tables are not where their declaration puts them on a cluster.
    An empty database raises Django's ProgrammingError.
    """
    found = differences(alias)
    if not found:
        return
    sentences = [each.sentence for each in found]
    said = "; ".join(sentences[:MOST_SAID]) + (
        f"; and {len(sentences) - MOST_SAID} more" if len(sentences) > MOST_SAID else ""
    )
    if _migrations(alias).missing:
        raise NotMigratedError(f"The database lacks migrations. Run `manage.py migrate` first. It differs: {said}.")
    absent = {each.subject for each in found if each.aspect == "kind" and each.found is None}
    if any(each.aspect == expected.PLACEMENT and each.subject not in absent for each in found):
        # Whatever else differs, that comes first: `distribute` takes the guards off what it moves, and puts all back.
        raise NotDistributedError(_not_distributed(said))
    raise UnprotectedTableError(
        f"The database is not protected as this version expects: {said}."
        " Follow `Tables are not protected` in docs/operations.md."
    )


def _not_distributed(said: str) -> str:
    if not settings.CLUSTER:
        return "This database is a cluster: set CLUSTER=1 for every process (docs/scale.md)."
    return f"Tables are not where they belong on a cluster. Run `manage.py distribute` (docs/scale.md): {said}."


def differences(alias: str = DEFAULT_DB_ALIAS) -> list[Difference]:
    """Everything in which the system catalogue is not as expected, by object; of a cluster, that of each server.

    The coordinator comes first, and the other servers once it is right: what is changed there is handed on to all.
    While a later release's migrations are there already, and this version still serves, what only that release knows
    is passed over; whatever this version knows must be as it expects.
    """
    stands = system_catalogue.read(alias)
    found = compared(stands)
    unknown = [each for each in found if each.expected is None and each.aspect in _EXISTENCE]
    if unknown and _migrations(alias).later:
        found = [each for each in found if each not in unknown]
    return found or on_servers(stands, alias)


def compared(stands: system_catalogue.Found) -> list[Difference]:
    """The differences of a system catalogue from the expected one.

    A table or function that no code declares gives one difference: that it exists. Its other aspects are passed over.
    """
    wanted = expected.system_catalogue(stands.owner, stands.roles)
    known = {subject for subject, _ in wanted}
    found = []
    for subject, aspect in sorted(stands.entries.keys() | wanted.keys()):
        value, right = stands.entries.get((subject, aspect)), wanted.get((subject, aspect))
        declared = subject in known or not subject.startswith(("table ", "function "))
        if value != right and (declared or aspect in _EXISTENCE):
            found.append(Difference(subject, aspect, value, right))
    return found


def on_servers(stands: system_catalogue.Found, alias: str) -> list[Difference]:
    """The differences of a cluster's servers from what each must have, by server and object; none without a cluster.

    A server that takes no connection is named in the log and passed over: its companies are answered 503. One that
    refuses the login, or does not say what it has, is a difference. What a server does not have at all, a function or a
    table without shards there, nobody can use there.
    """
    if not settings.CLUSTER:
        return []
    wanted = expected.on_servers(stands.owner, stands.roles)
    found: list[Difference] = []
    for server in system_catalogue.read_servers(stands.owner, alias):
        if server.is_away:
            logger.warning("database_node_away", node=server.name, reason=server.fault)
        elif server.fault:
            found.append(Difference("server", "system catalogue", server.fault, "readable", server.name))
        else:
            found += _on_server(server, wanted, stands)
    return found


def _on_server(
    server: system_catalogue.Server, wanted: expected.SystemCatalogue, stands: system_catalogue.Found
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
            # A later release's has been passed over at the coordinator.
            if each.aspect == "definition" and (each.subject, each.aspect) not in stands.entries:
                yield Difference(each.subject, each.aspect, each.value, None, server.name)
            continue
        if each.subject == f"role {stands.owner}" and _is_of_a_move(each, server):
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
    """Whether the owner is as it is on a node that a company is moved to, or was until the move was cut off.

    It passes by row-level security (`administration`), and Citus replicates as a role that it makes a member of it, and
    has noted before to take away again: a name that looks like one excuses nobody.
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
