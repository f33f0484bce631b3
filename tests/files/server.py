"""A real S3 server in a process of its own: moto's, on a free port."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from development.embedded.ports import free_port

KEY = "testing-key"


class Server:
    """A running server, and ways to disturb it."""

    def __init__(self, process: subprocess.Popen[bytes], address: str) -> None:
        self.process = process
        self.address = address

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Within the block the server accepts connections and does not respond."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Within the block it refuses all credentials; otherwise it accepts all."""
        self._ask_credentials(after=0)
        try:
            yield
        finally:
            self._ask_credentials(after=10**9)

    def _ask_credentials(self, *, after: int) -> None:
        request = urllib.request.Request(
            f"{self.address}/moto-api/reset-auth", str(after).encode(), {"Content-Type": "text/plain"}, method="POST"
        )
        urllib.request.urlopen(request, timeout=10).close()


@contextmanager
def running() -> Iterator[Server]:
    """Starts the server, waits until it responds, and ends it with the block."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"PYTHONWARNINGS": "ignore"},
    )  # fmt: skip
    try:
        _wait(process, port)
        yield Server(process, f"http://127.0.0.1:{port}")
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(20)


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "The S3 server ended."
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("The S3 server does not answer.")
