"""Both servers of one folder, and the file that gives their addresses to the settings.

`servers.env` holds ENVIRONMENT=test, DATABASE_URL, DATABASE_OWNER_URL, DATABASE_SUPERUSER_URL and REDIS_URL. Only its
owner may read it. With the environment variable CITUS, the database is a cluster (`cluster`), and it holds CLUSTER=1.
"""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from development.embedded import binaries, cluster, ports, postgresql, redis
from development.embedded.errors import ServerDidNotStartError

FILE = "servers.env"


def read(folder: Path) -> dict[str, str]:
    """The settings that an earlier start wrote; empty when there was none."""
    try:
        lines = (folder / FILE).read_text().splitlines()
    except FileNotFoundError:
        return {}
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def start(folder: Path, *, major: int = binaries.NEWEST_POSTGRESQL, durable: bool = True) -> dict[str, str]:
    """Starts both servers of `folder` after ending leftovers of a crash; keeps ports and passwords of an earlier start.

    `durable=False` gives up safety against power loss, for tests.
    """
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    before = read(folder)
    cluster.refuse_other_kind(folder, before)
    passwords = postgresql.new_passwords()
    numbers: dict[str, int | None] = {"postgresql": None, "redis": None}
    redis_password = secrets.token_urlsafe(24)
    if before:
        for role, name in (
            (postgresql.SUPERUSER, "DATABASE_SUPERUSER_URL"),
            ("owner", "DATABASE_OWNER_URL"),
            ("app", "DATABASE_URL"),
        ):
            parts = urlsplit(before[name])
            passwords[role] = parts.password or passwords[role]
            numbers["postgresql"] = parts.port
        parts = urlsplit(before["REDIS_URL"])
        redis_password, numbers["redis"] = parts.password or redis_password, parts.port
    stop(folder)
    numbers = {name: port if port and ports.is_free(port) else None for name, port in numbers.items()}
    try:
        of_cluster: dict[str, str] = {}
        if cluster.wanted():
            of_cluster = cluster.start(folder, numbers["postgresql"], passwords, durable, before)
            database_port = int(of_cluster["DATABASE_PORT"])
        else:
            tree = binaries.postgresql_tree(major)
            database_port = postgresql.start(folder, numbers["postgresql"], passwords, tree, durable)
        redis_port = redis.start(folder, numbers["redis"], redis_password)
    except ServerDidNotStartError:
        stop(folder)  # no server is left running whose address nobody knows
        raise
    values = {
        "ENVIRONMENT": "test",
        "DATABASE_URL": postgresql.url(database_port, "app", passwords["app"]),
        "DATABASE_OWNER_URL": postgresql.url(database_port, "owner", passwords["owner"]),
        "DATABASE_SUPERUSER_URL": postgresql.url(database_port, postgresql.SUPERUSER, passwords[postgresql.SUPERUSER]),
        "REDIS_URL": redis.url(redis_port, redis_password),
    }
    if of_cluster:
        values |= of_cluster
        cluster.provide_database(postgresql.DATABASE, values)
    file = folder / FILE
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write("".join(f"{name}={value}\n" for name, value in values.items()))
    return values


def stop(folder: Path) -> None:
    """Ends both servers of `folder`."""
    folder = folder.resolve()
    redis.stop(folder)
    cluster.stop(folder)
    postgresql.stop(folder)


@contextlib.contextmanager
def running(folder: Path, *, major: int = binaries.NEWEST_POSTGRESQL, durable: bool = True) -> Iterator[dict[str, str]]:
    """Both servers for the duration of a `with` block."""
    try:
        yield start(folder, major=major, durable=durable)
    finally:
        stop(folder)
