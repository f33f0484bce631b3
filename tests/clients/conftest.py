"""A server of the product that can be killed and started again, a company with a source, and a network that fails."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from compliance.access.sources import issue_source
from compliance.facts.lines.kinds import KINDS
from development.embedded import ports
from tests.companies import make_company

ROOT = Path(__file__).parents[2]


class Server:
    """One web process of the product, always at the same port."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment
        self.port = ports.free_port()
        self._process: Any = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "granian", "--interface", "asginl", "--loop", "uvloop", "--host", "127.0.0.1",
             "--port", str(self.port), "--workers", "1", "--log-level", "error", "config.asgi:application"],
            cwd=ROOT, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/livez", timeout=5):
                return
            time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def kill(self) -> None:
        """Kills it, as a power cut would."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@pytest.fixture(scope="module")
def server(django_db_setup: None) -> Iterator[Server]:
    """A server on the suite's database; one for a whole file, because it takes seconds to start."""
    from django.db import connections

    def address(alias: str) -> str:
        values = connections[alias].settings_dict
        return f"postgresql://{values['USER']}:{values['PASSWORD']}@{values['HOST']}:{values['PORT']}/{values['NAME']}"

    limits = {"RATE_LIMIT_KEY_PER_MINUTE": "100000", "RATE_LIMIT_COMPANY_PER_MINUTE": "100000"}
    addresses = {"DATABASE_URL": address("default"), "DATABASE_OWNER_URL": address("owner")}
    running = Server(os.environ | addresses | limits)
    running.start()
    try:
        yield running
    finally:
        running.kill()


class Target(NamedTuple):
    """A company and the token of a source that may bring it facts."""

    organization_id: uuid.UUID
    token: str


@pytest.fixture
def target_of(committed: None) -> Callable[..., Target]:
    """Makes companies, each with a source for all kinds unless others are named."""

    def make(*kinds: str) -> Target:
        organization_id = make_company().organization_id
        token, _ = issue_source(
            organization_id=organization_id, name="HR", kinds=kinds or KINDS, environment="test",
            at=datetime.now(UTC), actor="a test",
        )  # fmt: skip
        return Target(organization_id, token)

    return make


class Network:
    """The network between a client and the server: each non-empty post meets the next fate; later ones pass.

    `cut` breaks the connection in the middle of the request, `lose` after the server has answered, and `half` amid
    its answer; after `away` connections are refused for two seconds. A request whose body is longer than `limit_bytes`
    is answered 413. With `answer`, a status line and headers, no request passes: it is the answer to all, as from a
    proxy that blocks everybody.
    """

    def __init__(self, port: int, fates: list[str], limit_bytes: int | None = None, answer: bytes = b"") -> None:
        self._to = port
        self._fates = list(fates)
        self._limit = limit_bytes
        self._answer = answer
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._address = self._listening.getsockname()
        self.url = f"http://127.0.0.1:{self._address[1]}"
        self.met: list[str] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accepts no more connections."""
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                with client, contextlib.suppress(OSError):
                    self._serve(client)
                if self.met[-1:] == ["away"]:
                    self.met.append("back")
                    self._listening.close()
                    time.sleep(2)
                    self._listening = socket.create_server(self._address)

    def _serve(self, client: socket.socket) -> None:
        request = b""
        while b"\r\n\r\n" not in request:
            request += client.recv(65536)
        head, _, body = request.partition(b"\r\n\r\n")
        length = int(next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))[15:])
        fate = self._fates.pop(0) if self._fates and length else "pass"
        self.met += [fate] if length else []
        if fate in ("cut", "away"):
            return
        while len(body) < length:
            body += client.recv(65536)
        if self._answer:
            client.sendall(self._answer + b"Content-Length: 2\r\nConnection: close\r\n\r\n{}")
            return
        if self._limit is not None and length > self._limit:
            client.sendall(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        with socket.create_connection(("127.0.0.1", self._to)) as server:
            server.sendall(head.replace(b"Connection: keep-alive", b"Connection: close") + b"\r\n\r\n" + body)
            answer = b""
            while chunk := server.recv(65536):
                answer += chunk
        if fate == "half":
            client.sendall(answer[: -len(answer.partition(b"\r\n\r\n")[2]) // 2])
        elif fate != "lose":
            client.sendall(answer)


@pytest.fixture
def network(server: Server) -> Iterator[Callable[..., Network]]:
    """Makes networks in front of the server."""
    made: list[Network] = []

    def make(*fates: str, limit_bytes: int | None = None, answer: bytes = b"") -> Network:
        made.append(Network(server.port, list(fates), limit_bytes, answer))
        return made[-1]

    yield make
    for each in made:
        each.close()
