"""A witness as a process of its own, and requests to it over HTTP."""

import re
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

from compliance.proofs.cosignature import cosigned_times, parse_witness_key
from compliance.proofs.witness_request import CheckpointRequest

NAME = "witness.example/w1"
MODULE = ["-m", "compliance.proofs.witness"]


class RunningWitness:
    """A started witness: its address and its verifier key. A context manager that stops it."""

    def __init__(self, folder: Path, *log_keys: str, program=MODULE, name: str = NAME):
        keys = [part for key in log_keys for part in ("--log-key", key)]
        errors = folder.with_name(f"{folder.name}.errors")
        with errors.open("w") as file:
            self.process = subprocess.Popen(
                [sys.executable, *program, "--name", name, "--folder", str(folder), "--port", "0", *keys],
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        self.key = self.process.stdout.readline().strip()
        if not self.key:
            self.stop()
            raise RuntimeError(errors.read_text())
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)", errors.read_text())[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self) -> int:
        """Ask it to stop and return its exit status."""
        self.process.terminate()
        return self._ended()

    def kill(self) -> None:
        """End it as SIGKILL does."""
        self.process.kill()
        self._ended()

    def _ended(self) -> int:
        try:
            return self.process.wait(30)
        finally:
            self.process.stdout.close()

    def add(self, request: "CheckpointRequest | bytes") -> "tuple[int, str]":
        """Post a request; return status and body."""
        body = request.body() if isinstance(request, CheckpointRequest) else request
        return self.ask("POST", "/add-checkpoint", body)[:2]

    def ask(self, method: str, path: str, body: "bytes | None" = None, **headers: str) -> "tuple[int, str, str]":
        """Send any request; return status, body and the type of the body."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers["Content-Type"]
        finally:
            connection.close()

    def cosigns(self, request: CheckpointRequest) -> None:
        """Assert that it cosigns the checkpoint with a cosignature that verifies."""
        status, line = self.add(request)
        assert (status, line.count("\n")) == (200, 1), line
        assert set(cosigned_times(request.note + line, self.key)) == {parse_witness_key(self.key)}
