"""One web worker as in production, and a client that keeps its connection."""

import contextlib
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def web(environment: dict[str, str], workers: int = 1) -> Iterator[str]:
    """Runs granian; yields its address. Raises RuntimeError, with the known reason, when it does not answer."""
    port = free_port()
    command = [
        sys.executable, "-m", "granian", "--interface", "asginl", "--loop", "uvloop", "--host", "127.0.0.1", "--port", str(port),
        "--workers", str(workers), "--backpressure", "1024", "--workers-kill-timeout", "3",
        "--log-level", "error", "benchmarks.asgi:application",
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        # The first count of half a million records, out of cold caches on a busy machine, may take its time.
        env=os.environ
        | {
            "LOG_LEVEL": "INFO",
            "LOG_FORMAT": "json",
            "READ_TIMEOUT_MILLISECONDS": "60000",
            "WEB_WORKER_PROCESSORS": "one",
        }
        | environment,
        stderr=subprocess.DEVNULL,  # a line per call, as in production
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{address}/livez").status_code == 200:
                    break
            if process.poll() is not None:
                break
            time.sleep(0.1)
        else:
            raise RuntimeError("The web server did not answer within thirty seconds.")
        if process.poll() is not None:
            raise RuntimeError(f"The web server ended with {process.returncode}: run {shlex.join(command)}")
        yield address
    finally:
        process.terminate()
        process.wait(timeout=30)
