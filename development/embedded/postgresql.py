"""One PostgreSQL server from the wheel: initdb, start, roles, stop.

Roles: `owner` owns the schema (migrations, backup), and all processes run as `app`. Neither is a superuser.
"""

import hashlib
import os
import pwd
import secrets
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from development.embedded import ports, processes
from development.embedded.errors import ServerDidNotStartError

DATABASE = "compliance"
SUPERUSER = "postgres"
PROCESS_ROLES = ("app_web", "app_worker", "app_signer")
"""The roles of separate processes: here all processes run as `app`, so nobody logs in with these."""
# The server is for the demo and tests of one machine: durable, but small.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "512MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",
    "max_wal_size": "4GB",
    "wal_buffers": "64MB",  # holds a whole capture, so its inserts do not wait for the disk
    "wal_level": "minimal",  # nothing replicates from this server
    "max_wal_senders": "0",
    "checkpoint_timeout": "30min",
    "log_min_messages": "warning",
    "timezone": "UTC",
    "jit": "off",
}


def _run(arguments: list[str], user: pwd.struct_passwd | None, **more: Any) -> "subprocess.CompletedProcess[str]":
    if user is not None:
        more |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    return subprocess.run(arguments, text=True, env=environment, cwd="/", check=False, **more)


def data_folder(folder: Path) -> Path:
    """The data folder of `folder`: below it, or in /var/tmp where the unprivileged user cannot enter it."""
    user = processes.unprivileged_user()
    if user is None or processes.can_enter(folder / "postgresql", user):
        return folder / "postgresql"
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir() if not Path("/var/tmp").is_dir() else "/var/tmp") / f"compliance-records-{name}"  # noqa: S108


def start(
    folder: Path,
    port: int | None,
    passwords: dict[str, str],
    tree: Path,
    durable: bool,
    more: dict[str, str] | None = None,
) -> int:
    """Starts the server of `folder` from the programs of `tree`, creating it the first time. Returns its port.

    `more` are settings of PostgreSQL besides those of every server here.
    """
    user = processes.unprivileged_user()
    data = data_folder(folder)
    if not (data / "PG_VERSION").exists():
        _create(tree, data, user, passwords[SUPERUSER])
    stop(folder)
    port = port or ports.free_port()
    settings = SETTINGS | {"port": str(port)} | (more or {})
    if not durable:
        settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    (data / "postgresql.auto.conf").write_text("".join(f"{name} = '{value}'\n" for name, value in settings.items()))
    start_again(folder, tree)
    _provide_roles(port, passwords)
    return port


def start_again(folder: Path, tree: Path) -> None:
    """Restarts the server of `folder` with the settings of its last start."""
    data, user = data_folder(folder), processes.unprivileged_user()
    done = _run(
        [str(tree / "bin" / "pg_ctl"), "-D", str(data), "-l", str(data / "server.log"), "-t", "120", "-w", "start"],
        user,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        raise ServerDidNotStartError(not_started(data / "server.log"))


def not_started(log: Path) -> str:
    """The message with the log's path and its end, because its folder may be a temporary one."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return "\n".join([f"PostgreSQL did not start. Its log: {log}", *lines[-8:]])


def _create(tree: Path, data: Path, user: pwd.struct_passwd | None, password: str) -> None:
    data.mkdir(parents=True, exist_ok=True)
    data.chmod(0o700)
    if user is not None:
        os.chown(data, user.pw_uid, user.pw_gid)
    with tempfile.NamedTemporaryFile("w", prefix="compliance-records-") as file:
        file.write(password)
        file.flush()
        if user is not None:
            os.chown(file.name, user.pw_uid, user.pw_gid)
        done = _run(
            [
                *(str(tree / "bin" / "initdb"), "-D", str(data), "-U", SUPERUSER, "-A", "scram-sha-256"),
                *("--pwfile", file.name, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"),
            ],
            user,
            capture_output=True,
        )
    if done.returncode != 0:
        raise ServerDidNotStartError(f"initdb failed: {done.stderr.strip()[-400:]}")


def _provide_roles(port: int, passwords: dict[str, str]) -> None:
    """Creates both login roles and the database where they are missing. In production, provisioning does this."""
    address = url(port, SUPERUSER, passwords[SUPERUSER], "postgres")
    deadline = time.monotonic() + 60
    while True:
        try:
            connection = psycopg.connect(address, autocommit=True, connect_timeout=10)
            break
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise ServerDidNotStartError(
                    "The database of this folder has other passwords than its servers.env. Put that file back, or move"
                    " the folder away to begin anew."
                ) from error
            if time.monotonic() > deadline:
                raise ServerDidNotStartError("PostgreSQL started but answers no connection.") from error
            time.sleep(0.05)
    with connection:
        for role, more in (("owner", "CREATEDB"), ("app", "NOCREATEDB")):
            exists = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
            verb = sql.SQL("ALTER" if exists else "CREATE")
            connection.execute(
                sql.SQL("{} ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE {} PASSWORD {}").format(
                    verb, sql.Identifier(role), sql.SQL(more), sql.Literal(passwords[role])
                )
            )
        for role in PROCESS_ROLES:
            if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
                connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(role)))
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {} OWNER owner").format(sql.Identifier(DATABASE)))
    connection.close()


def stop(folder: Path, first: signal.Signals = signal.SIGINT) -> None:
    """Ends the server of `folder` if it runs, also one left behind by a crash, or whose pid file was lost.

    SIGINT is the fast shutdown: connections are ended, nothing is lost.
    """
    data = data_folder(folder)
    processes.end(lambda: processes.working_in(data, "postgres"), first=first, seconds=30)
    # A server that was killed leaves its pid there, which another process may have been given by now.
    (data / "postmaster.pid").unlink(missing_ok=True)


def url(port: int, role: str, password: str, database: str = DATABASE) -> str:
    """The connection URL of `role`."""
    return f"postgresql://{role}:{password}@127.0.0.1:{port}/{database}"


def new_passwords() -> dict[str, str]:
    """One random password per role."""
    return {role: secrets.token_urlsafe(24) for role in (SUPERUSER, "owner", "app")}
