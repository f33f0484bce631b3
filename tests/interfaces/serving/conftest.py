"""Real servers, and clients that behave badly on bare sockets."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from development.embedded import ports

ROOT = Path(__file__).resolve().parents[3]


@contextlib.contextmanager
def serving(application, environment, log=subprocess.DEVNULL):
    """Runs granian with one worker, which writes its lines to the file `log`; its port."""
    port = ports.free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "granian", "--interface", "asginl", "--loop", "uvloop", "--host", "127.0.0.1", "--port",
         str(port), "--workers", "1", "--backpressure", "1024", "--log-level", "error", application],
        cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True,
    )  # fmt: skip
    try:
        _wait_for(port)
        yield port
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _wait_for(port):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/livez", timeout=5):
            return
        time.sleep(0.1)
    raise AssertionError("the server does not answer")


@pytest.fixture(scope="module")
def echo():
    """The port of a server that answers with what it got."""
    with serving("tests.interfaces.serving.echo:front", dict(os.environ)) as port:
        yield port


@pytest.fixture
def product(committed, process_environment):
    """The port of a server of the product."""
    with serving("config.asgi:application", process_environment) as port:
        yield port


def connect(port, source="127.0.0.1"):
    """A connection from an address of this machine: each of 127.0.0.0/8 is one."""
    return socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(source, 0))


def first_answer(connections):
    """What arrives first on any of them: of bodies that wait, the answer to one that lost its place."""
    readable, _, _ = select.select(connections, [], [], 30)
    return readable[0].recv(65536)


def send(port, request, source="127.0.0.1"):
    """Sends bytes on a connection of its own; the whole answer."""
    with connect(port, source) as connection:
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    return answer
