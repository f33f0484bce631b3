"""Machines with PostgreSQL under Patroni, as real processes on this machine, and the etcd that they agree through.

Patroni's configuration is `deploy/patroni/patroni.yml`; only addresses, folders, passwords and what one machine cannot
have (TLS to itself, a watchdog device) are replaced.
"""

import contextlib
import json
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import psutil
import psycopg
import yaml
from psycopg import sql

from development.embedded import binaries, ports, processes

ROOT = Path(__file__).resolve().parents[2]
DATABASE = "compliance"
ROLES = ("owner", "app")


class Tools:
    """The programs outside of this Python environment: Patroni in an environment of its own, and etcd.

    They are in `folder`, which is filled from PyPI and Debian's packages if it does not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.patroni = folder / "venv" / "bin" / "patroni"
        self.etcd = Path(shutil.which("etcd") or folder / "etcd" / "usr" / "bin" / "etcd")
        if not self.patroni.exists():
            # The system's Python, because the servers run as a user who may not read root's.
            python = Path("/usr/bin/python3")
            made = folder / "venv"
            subprocess.run(
                [python if python.exists() else sys.executable, "-m", "venv", "--without-pip", made], check=True
            )
            subprocess.run(
                [
                    sys.executable, "-m", "pip", "--python", made / "bin" / "python", "install", "--quiet",
                    "--no-deps", "--require-hashes", "--disable-pip-version-check",
                    "--requirement", ROOT / "requirements" / "patroni.txt",
                ],
                check=True,
            )  # fmt: skip
        if not self.etcd.exists():
            packages = folder / "packages"
            packages.mkdir(parents=True, exist_ok=True)
            subprocess.run(["apt-get", "download", "--quiet", "etcd-server"], cwd=packages, check=True)
            (package,) = packages.glob("etcd-server_*.deb")
            subprocess.run(["dpkg-deb", "--extract", package, folder / "etcd"], check=True)


class Program:
    """One started program, in a session of its own."""

    def __init__(self, command: list[str], log: Path, user: pwd.struct_passwd | None, **environment: str) -> None:
        self._command, self._log, self._user = command, log, user
        self._environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "TZ": "UTC"} | environment
        self.start()

    def start(self) -> None:
        """Starts it, or starts it again."""
        identity: dict[str, Any] = {}
        if self._user is not None:
            identity = {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}
        with self._log.open("ab") as log:
            self.popen = subprocess.Popen(
                self._command, env=self._environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd="/",
                start_new_session=True, **identity,
            )  # fmt: skip

    def end(self) -> None:
        """Asks it to end, and ends it after ten seconds."""
        self.popen.terminate()
        try:
            self.popen.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()


class Machine:
    """One machine of the cluster: a Patroni and the PostgreSQL that it keeps."""

    def __init__(self, cluster: "Cluster", name: str) -> None:
        self.name, self._cluster = name, cluster
        self.port, self.api = ports.free_port(), ports.free_port()
        self.data = cluster.folder / name
        self._configuration = cluster.folder / f"{name}.yml"
        self._configuration.write_text(yaml.safe_dump(self._configured()))
        cluster.own(self._configuration)
        self.patroni = Program(
            [str(cluster.tools.patroni), str(self._configuration)], cluster.folder / f"{name}.log", cluster.user
        )

    def _configured(self) -> dict[str, Any]:
        """`deploy/patroni/patroni.yml` for this machine."""
        found: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "patroni" / "patroni.yml").read_text())
        folder, passwords = self._cluster.folder, self._cluster.passwords
        found["name"] = self.name
        found["etcd3"] = {"hosts": f"127.0.0.1:{self._cluster.etcd_port}"}
        found["restapi"] |= {"listen": f"127.0.0.1:{self.api}", "connect_address": f"127.0.0.1:{self.api}"}
        found["watchdog"] = {"mode": "off"}
        found["bootstrap"]["dcs"]["postgresql"]["parameters"] |= {"wal_keep_size": "256MB", "shared_buffers": "128MB"}
        database = found["postgresql"]
        database |= {
            "listen": f"127.0.0.1:{self.port}",
            "connect_address": f"127.0.0.1:{self.port}",
            "data_dir": str(self.data),
            "bin_dir": str(binaries.postgresql_tree(18) / "bin"),
            "pgpass": str(folder / f"{self.name}.pgpass"),
        }
        for role, account in database["authentication"].items():
            account["password"] = passwords[role]
        database["pg_hba"] = [
            line.replace("hostssl", "host").replace("10.0.0.0/24", "127.0.0.1/32") for line in database["pg_hba"]
        ]
        database["parameters"] = {"unix_socket_directories": ""}
        return found

    def processes(self) -> list[psutil.Process]:
        """Patroni, PostgreSQL and all that these started."""
        found = []
        with contextlib.suppress(psutil.Error):
            patroni = psutil.Process(self.patroni.popen.pid)
            found += [patroni, *patroni.children(recursive=True)]
        with contextlib.suppress(psutil.Error, OSError, ValueError):
            postmaster = psutil.Process(int((self.data / "postmaster.pid").read_text().split("\n", 1)[0]))
            found += [postmaster, *postmaster.children(recursive=True)]
        return found

    def signal(self, number: signal.Signals, *, database_alone: bool = False) -> None:
        """Sends a signal to every process of the machine at once, or to those of PostgreSQL."""
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                if not database_alone or "postgres" in process.name():
                    process.send_signal(number)

    def kill(self) -> None:
        """Kills everything on the machine (kill -9), as if it lost power."""
        self.signal(signal.SIGKILL)
        self.patroni.popen.wait()

    def end(self) -> None:
        """Shuts the machine down."""
        self.signal(signal.SIGCONT)
        self.patroni.end()
        self.signal(signal.SIGKILL)


class Cluster:
    """An etcd and machines. `folder` must be one that an unprivileged user can enter."""

    def __init__(self, folder: Path, tools: Tools, machines: int = 3) -> None:
        self.folder, self.tools, self.user = folder, tools, processes.unprivileged_user()
        folder.mkdir(parents=True, exist_ok=True)
        self.own(folder)
        accounts = ("superuser", "replication", "rewind", *ROLES)
        self.passwords = {account: secrets.token_urlsafe(18) for account in accounts}
        self.etcd_port, peers = ports.free_port(), ports.free_port()
        client, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{peers}"
        self.etcd = Program(
            [
                str(tools.etcd), "--name", "one", "--data-dir", str(folder / "etcd"),
                "--listen-client-urls", client, "--advertise-client-urls", client,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"one={peer}",
                "--logger", "zap",
            ],
            folder / "etcd.log", self.user,
        )  # fmt: skip
        self.machines: list[Machine] = []
        for number in range(machines):
            self.machines.append(Machine(self, f"machine{number + 1}"))
            self.wait_for(lambda: self.primary() is not None, 90, "a primary")
        self._make_database()
        self.wait_for(self.is_whole, 90, "a synchronous standby")

    def own(self, path: Path) -> None:
        """Gives a file or folder to the user who runs the servers."""
        path.chmod(0o700 if path.is_dir() else 0o600)
        if self.user is not None:
            os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def address(self, role: str, *, anywhere: bool = False) -> str:
        """The address of all servers for a role, as an installation's DATABASE_URL names them."""
        account = {"superuser": "postgres"}.get(role, role)
        servers = ",".join(f"127.0.0.1:{machine.port}" for machine in self.machines)
        wanted = "" if anywhere else "?target_session_attrs=read-write"
        return f"postgresql://{account}:{self.passwords[role]}@{servers}/{DATABASE}{wanted}"

    def members(self) -> dict[str, dict[str, Any]]:
        """Patroni's state of each machine by name, from any machine that answers; empty when none does."""
        for machine in self.machines:
            address = f"http://127.0.0.1:{machine.api}/cluster"
            with contextlib.suppress(OSError, ValueError), urllib.request.urlopen(address, timeout=2) as answer:
                return {member["name"]: member for member in json.load(answer)["members"]}
        return {}

    def primary(self) -> Machine | None:
        """The machine that is primary and runs."""
        for member in self.members().values():
            if member["role"] == "leader" and member["state"] == "running":
                return next(machine for machine in self.machines if machine.name == member["name"])
        return None

    def others(self) -> list[Machine]:
        """The machines that are not the primary."""
        primary = self.primary()
        return [machine for machine in self.machines if machine is not primary]

    def is_whole(self) -> bool:
        """Whether there is a primary, and every other machine streams its timeline, one of them synchronously.

        A machine that comes back streams for a moment before it finds that it must be rewound first.
        """
        members = self.members().values()
        roles = [member["role"] for member in members]
        return (
            len(members) == len(self.machines)
            and roles.count("leader") == 1
            and "sync_standby" in roles
            and all(member["state"] in ("running", "streaming") for member in members)
            and len({member.get("timeline") for member in members}) == 1
        )

    def wait_for(self, question: Any, seconds: float, what: str) -> float:
        """Asks until the answer is yes; returns how many seconds that took."""
        started = time.monotonic()
        while not question():
            if time.monotonic() - started > seconds:
                logs = "\n".join((self.folder / f"{each.name}.log").read_text()[-1500:] for each in self.machines)
                raise TimeoutError(f"{what}: not within {seconds:.0f} seconds; {self.members()}\n{logs}")
            time.sleep(0.1)
        return time.monotonic() - started

    def end(self) -> None:
        """Ends everything."""
        for machine in self.machines:
            machine.end()
        self.etcd.end()

    def _make_database(self) -> None:
        """Makes the database and the two roles that tests use, as `deploy/roles.sql` does."""
        superuser = self.address("superuser").replace(f"/{DATABASE}?", "/postgres?")
        with psycopg.connect(superuser, autocommit=True) as connection:
            for role in ROLES:
                connection.execute(
                    sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
                        sql.Identifier(role), sql.Literal(self.passwords[role])
                    )
                )
            for role in ("app_web", "app_worker", "app_signer"):
                connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(role)))
            connection.execute(f"CREATE DATABASE {DATABASE} OWNER owner")
