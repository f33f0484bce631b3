"""The service on servers of its own, in a temporary folder: real web, worker and beat, started again when they die.

A thread does here what a supervisor (systemd, a container platform) does in production: it starts a process that ended
again at once. PostgreSQL and Redis are started again by the code that killed them.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import psycopg

from development.embedded import binaries, ports, postgresql, redis, servers
from development.embedded.errors import ServerDidNotStartError

ROOT = Path(__file__).resolve().parents[2]
NOWHERE = "redis://127.0.0.1:1/0"
"""A broker that is always away: facts that the harness itself records are captured because the sweep finds them."""


class Process:
    """One process of the service; `end` and `kill` reach its children too, as a container's end does."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str], log: Path) -> None:
        self.name, self._command, self._environment, self._log = name, command, environment, log
        self.starts = 0
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self.popen = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
        self.starts += 1

    def signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, number)

    def kill(self) -> None:
        """kill -9 of the process and its children."""
        self.signal(signal.SIGKILL)
        self.popen.wait()

    def end(self, seconds: float = 20) -> int:
        """Asks the process to end, and kills it if it does not. Returns the exit code."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.popen.pid, signal.SIGTERM)
        try:
            code = self.popen.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self.popen.returncode
        self.signal(signal.SIGKILL)
        return code

    def tree(self) -> list[int]:
        """The pids of the process and its children, by their session."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                with contextlib.suppress(OSError, IndexError, ValueError):
                    fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                    if fields[0] != "Z" and int(fields[3]) == self.popen.pid:
                        found.append(int(folder.name))
        return found

    def memory(self) -> int:
        """The memory of the process and its children in bytes (their proportional set size)."""
        total = 0
        for pid in self.tree():
            with contextlib.suppress(OSError, StopIteration):
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
                total += 1024 * int(next(line for line in lines if line.startswith("Pss:")).split()[1])
        return total


class Service:
    """Servers, migrated database, and the processes that were asked for."""

    def __init__(self, folder: Path, **more: str) -> None:
        self.folder = folder
        self.addresses = self.start_servers()
        self.port = ports.free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.environment = os.environ | self.addresses | {
            "COMPLIANCE_FOLDER": str(folder), "PORT": str(self.port), "BASE_URL": self.base_url,
            "ENVIRONMENT": "test", "SWEEP_SECONDS": "2", "LOG_LEVEL": "WARNING", "LOG_FORMAT": "json",
            "RATE_LIMIT_KEY_PER_MINUTE": "1000000", "RATE_LIMIT_COMPANY_PER_MINUTE": "1000000",
            "RATE_LIMIT_SOURCE_PER_MINUTE": "1000000",
            "RATE_LIMIT_ADDRESS_PER_MINUTE": "1000000", "CONCURRENT_LIMIT": "64", "PYTHONUNBUFFERED": "1",
            "ERASURE_LIST": str(folder / "erasures.jsonl"), "LOG_FOLDER": str(folder / "log"),
            "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}",
        } | more  # fmt: skip
        self.processes: dict[str, Process] = {}
        self._ending = threading.Event()
        self._supervisor: threading.Thread | None = None
        self.manage("migrate", "--verbosity", "0")

    # --- processes ---------------------------------------------------------------------------------------------------

    def manage(self, *arguments: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        """Runs a management command."""
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *arguments], cwd=ROOT, env=self.environment, text=True,
            capture_output=True, check=check,
        )  # fmt: skip

    def run(self, name: str) -> Process:
        """Starts `web`, `worker...`, `signer` or `beat...`."""
        kind = name.rstrip("0123456789")
        command = {
            "web": [
                "granian", "--interface", "asginl", "--loop", "uvloop", "--host", "127.0.0.1", "--port", str(self.port),
                "--workers", "2",
                "--no-ws", "--respawn-failed-workers", "--workers-kill-timeout", "5",
                "--log-level", "warning", "config.asgi:application",
            ],
            "worker": [
                "celery", "--app", "config", "worker", "--loglevel", "WARNING", "--concurrency", "2",
                "--without-gossip", "--without-mingle", "--hostname", f"{name}@%h",
            ],
            "signer": ["python", str(ROOT / "manage.py"), "signer"],
            "beat": [
                "celery", "--app", "config", "beat", "--loglevel", "WARNING", "--pidfile=", "--schedule",
                str(self.folder / f"{name}-schedule"),
            ],
        }[kind]  # fmt: skip
        command[0] = str(Path(sys.executable).parent / command[0])
        self.processes[name] = Process(name, command, self.environment, self.folder / f"{name}.log")
        return self.processes[name]

    def supervise(self) -> None:
        """From now on a process that ends is started again."""
        self._supervisor = threading.Thread(target=self._keep_alive, daemon=True)
        self._supervisor.start()

    def _keep_alive(self) -> None:
        while not self._ending.wait(0.1):
            for process in list(self.processes.values()):
                if process.popen.poll() is not None:
                    process.signal(signal.SIGKILL)
                    process.start()

    def kill(self, name: str) -> None:
        """kill -9 of a process, of PostgreSQL's first process, or of Redis; the latter two are started again here."""
        if name == "postgresql":
            data = postgresql.data_folder(self.folder)
            os.kill(int((data / "postmaster.pid").read_text().splitlines()[0]), signal.SIGKILL)
            self._start_postgresql()
        elif name == "redis":
            pid = int((self.folder / "redis" / "redis.pid").read_text())
            os.kill(pid, signal.SIGKILL)
            parts = urlsplit(self.addresses["REDIS_URL"])
            _retry(lambda: redis.start(self.folder, parts.port, parts.password or ""))
        else:
            self.processes[name].signal(signal.SIGKILL)

    def _start_postgresql(self) -> None:
        passwords = {}
        for role, name in (
            ("postgres", "DATABASE_SUPERUSER_URL"),
            ("owner", "DATABASE_OWNER_URL"),
            ("app", "DATABASE_URL"),
        ):
            passwords[role] = urlsplit(self.addresses[name]).password or ""
        port = urlsplit(self.addresses["DATABASE_URL"]).port
        _retry(lambda: postgresql.start(self.folder, port, passwords, binaries.postgresql_tree(18), True))

    def end_processes(self) -> None:
        """Ends the processes; the servers go on."""
        ended, self.processes = self.processes, {}
        for process in ended.values():
            process.end()

    def end(self) -> None:
        """Ends everything and removes the folder."""
        self._ending.set()
        if self._supervisor is not None:
            self._supervisor.join()
        self.end_processes()
        self.stop_servers()
        shutil.rmtree(postgresql.data_folder(self.folder), ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- servers -----------------------------------------------------------------------------------------------------

    def start_servers(self) -> dict[str, str]:
        """Starts PostgreSQL and Redis, and returns their addresses as settings."""
        return servers.start(self.folder, durable=True)

    def stop_servers(self) -> None:
        """Ends what `start_servers` started."""
        servers.stop(self.folder)

    # --- questions ---------------------------------------------------------------------------------------------------

    def ready(self) -> bool:
        """Whether /readyz answers 200."""
        try:
            return httpx.get(f"{self.base_url}/readyz", timeout=20).status_code == 200
        except httpx.HTTPError:
            return False

    def wait_until_ready(self, seconds: float = 180) -> None:
        wait_for(self.ready, seconds, "/readyz")

    def ask(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Asks the database as its superuser, who sees every company."""
        with psycopg.connect(
            self.addresses["DATABASE_SUPERUSER_URL"], autocommit=True, connect_timeout=5
        ) as connection:
            return connection.execute(statement, values).fetchall()  # type: ignore[arg-type]

    def create_company(self, name: str) -> str:
        made = self.manage(
            "create_company", name, "--time-zone", "Europe/London", "--history-from", "2024-01-01", "--json"
        )
        return str(json.loads(made.stdout)["organization_id"])

    def create_key(self, organization_id: str) -> str:
        scopes = ("training:read", "certificates:read", "people:read", "acknowledgements:read")
        made = self.manage("create_key", organization_id, *(f"--scope={scope}" for scope in scopes), "--json")
        return str(json.loads(made.stdout)["key"])

    def verify(self) -> list[str]:
        """The faults that the product's own verification finds in histories and receipts; empty when there are none."""
        found = []
        for command in (("verify_history", "--checkpoints"), ("verify_receipts",)):
            done = self.manage(*command, check=False)
            if done.returncode:
                found.append(done.stderr.strip())
        return found


Kind = TypeVar("Kind", bound=Service)


@contextlib.contextmanager
def running(*names: str, **more: str) -> Iterator[Service]:
    """A service with these processes, supervised, for the length of a `with` block."""
    with running_as(Service, *names, **more) as service:
        yield service


@contextlib.contextmanager
def running_as(kind: type[Kind], *names: str, **more: str) -> Iterator[Kind]:
    """The same for a service on other servers."""
    folder = Path(tempfile.mkdtemp(prefix="compliance-records-operations-"))
    folder.chmod(0o755)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a terminated run must still end its processes
    service = kind(folder, **more)
    try:
        for name in names:
            service.run(name)
        service.supervise()
        if "web" in names:
            service.wait_until_ready()
        yield service
    except BaseException:
        for log in sorted(folder.glob("*.log")):
            sys.stderr.write(f"--- the end of {log.name}\n{log.read_text(errors='replace')[-1500:]}\n")
        raise
    finally:
        service.end()


def set_up_django(service: Service) -> None:
    """Sets this process up to record facts in the service's database, by the product's own actions."""
    os.environ.update(service.environment | {"REDIS_URL": NOWHERE, "DJANGO_SETTINGS_MODULE": "config.settings"})
    import django

    django.setup()


def wait_for(question: Any, seconds: float, what: str) -> float:
    """Asks until the answer is yes. Returns how many seconds that took."""
    started = time.monotonic()
    while not question():
        if time.monotonic() - started > seconds:
            raise TimeoutError(f"{what}: not within {seconds:.0f} seconds")
        time.sleep(0.05)
    return time.monotonic() - started


def _retry(start: Any, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            start()
            return
        except (ServerDidNotStartError, subprocess.CalledProcessError, psycopg.Error):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
