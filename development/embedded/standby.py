"""Real streaming standbys of an embedded server: copied by pg_basebackup, kept up to date by its write-ahead log.

For tests and benchmarks of reads from standbys, so they can also be disturbed: frozen, killed, delayed, promoted. An
embedded server writes too little to its log for standbys to follow; `let_follow` changes that.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psutil
import psycopg
from psycopg import sql

from development.embedded import binaries, ports, postgresql, processes
from development.embedded.errors import ServerDidNotStartError

_FOLLOWED = {"wal_level": "replica", "max_wal_senders": "8", "wal_keep_size": "512MB", "wal_buffers": "16MB"}
_PATIENCE_SECONDS = 60.0


def let_follow(folder: Path, superuser_url: str, *, major: int = binaries.NEWEST_POSTGRESQL, **settings: str) -> None:
    """Restarts the server of `folder` so that standbys can follow it; `settings` are further ones of PostgreSQL."""
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        for name, value in (_FOLLOWED | settings).items():
            connection.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
    connection.close()
    _control(postgresql.data_folder(folder), major, "-m", "fast", "restart")


class Standby:
    """A hot standby in a folder of its own."""

    def __init__(
        self, folder: Path, primary_url: str, *, delay: str = "", major: int = binaries.NEWEST_POSTGRESQL
    ) -> None:
        """Copies the server at `primary_url`, a superuser's, and starts to follow it, `delay` ("1h") behind."""
        self.folder, self._major, self._primary_url = folder, major, primary_url
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        self.data = postgresql.data_folder(folder)
        self.port = ports.free_port()
        user = processes.unprivileged_user()
        self.data.mkdir(mode=0o700, parents=True)
        if user is not None:
            os.chown(self.data, user.pw_uid, user.pw_gid)
        done = _run(
            binaries.postgresql_tree(major) / "bin" / "pg_basebackup",
            *("--dbname", primary_url, "--pgdata", str(self.data), "--checkpoint=fast", "--wal-method=stream"),
            *("--no-sync", "--write-recovery-conf"),
        )
        if done.returncode != 0:
            raise ServerDidNotStartError(f"pg_basebackup failed: {done.stderr.strip()[-400:]}")
        settings = {"port": str(self.port), "hot_standby": "on", "max_standby_streaming_delay": "2s"}
        if delay:
            settings["recovery_min_apply_delay"] = delay
        with (self.data / "postgresql.auto.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self.start()

    def start(self) -> None:
        """Starts it, also again after it was killed."""
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        _control(self.data, self._major, "start")

    def url(self, of_primary: str) -> str:
        """The address of the standby for the role and the database in an address of its primary."""
        parts = urlsplit(of_primary)
        credentials, _, _ = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=f"{credentials}@127.0.0.1:{self.port}"))

    def execute(self, statement: str) -> tuple[object, ...] | None:
        """Runs a statement on it as a superuser; returns the first row of the result."""
        with psycopg.connect(self.url(self._primary_url), autocommit=True) as connection:
            cursor = connection.execute(statement)
            row = cursor.fetchone() if cursor.description is not None else None
        connection.close()
        return row

    def catch_up(self) -> None:
        """Waits until it has replayed all that its primary has flushed by now."""
        with psycopg.connect(self._primary_url, autocommit=True) as connection:
            found = connection.execute("SELECT pg_current_wal_flush_lsn()::text").fetchone()
        connection.close()
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while self.execute(f"SELECT pg_last_wal_replay_lsn() >= '{found[0] if found else ''}'::pg_lsn") != (True,):
            if time.monotonic() > deadline:
                raise ServerDidNotStartError("The standby does not catch up with its primary.")
            time.sleep(0.01)

    def promote(self) -> None:
        """Promotes it to a primary, as somebody might by accident."""
        self.execute("SELECT pg_promote(true)")

    def kill(self) -> None:
        """Kills it with all its processes at once, as a power cut would."""
        processes.end(self._all, first=signal.SIGKILL)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Freezes all its processes for the duration of a `with` block, while its connections stay open."""
        stopped = self._all()
        for process in stopped:
            process.suspend()
        try:
            yield
        finally:
            for process in stopped:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.resume()

    def remove(self) -> None:
        """Ends it and deletes its files."""
        postgresql.stop(self.folder)
        shutil.rmtree(self.data, ignore_errors=True)

    def _all(self) -> list[psutil.Process]:
        found = processes.working_in(self.data, "postgres")
        return [*found, *(child for process in found for child in process.children(recursive=True))]


def _control(data: Path, major: int, *arguments: str) -> None:
    program = binaries.postgresql_tree(major) / "bin" / "pg_ctl"
    log = str(data / "server.log")
    done = _run(program, "-D", str(data), "-l", log, "-t", "120", "-w", *arguments, piped=False)
    if done.returncode != 0:
        raise ServerDidNotStartError(postgresql.not_started(Path(log)))


def _run(program: Path, *arguments: str, piped: bool = True) -> "subprocess.CompletedProcess[str]":
    """Runs a program of PostgreSQL as the user that runs its servers; what it starts must not hold our pipes open."""
    user = processes.unprivileged_user()
    where = subprocess.PIPE if piped else subprocess.DEVNULL
    return subprocess.run(
        [str(program), *arguments],
        user=None if user is None else user.pw_uid,
        group=None if user is None else user.pw_gid,
        extra_groups=None if user is None else [],
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "TZ": "UTC"},
        stdin=subprocess.DEVNULL, stdout=where, stderr=where, text=True, cwd="/", check=False,
    )  # fmt: skip
