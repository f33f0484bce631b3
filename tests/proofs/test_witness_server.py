"""A witness's connections: a slow or silent one, or one too many, does not affect the others."""

import socket
import threading
import time

import pytest

from compliance.proofs import witness as program
from compliance.proofs.witness import WitnessServer
from compliance.proofs.witness_memory import WitnessMemory
from compliance.proofs.witnessing import Witness
from tests.proofs.grown_log import GrownLog

LOG = GrownLog()
SLOW = 0.4
"""Seconds that a request may take in these tests."""


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "REQUEST_SECONDS", SLOW)
    monkeypatch.setattr(program, "MOST_CONNECTIONS", 3)
    witness = Witness(WitnessMemory(tmp_path / "witness", "witness.example"), [LOG.verifier_key])
    with WitnessServer(("127.0.0.1", 0), witness) as running:
        thread = threading.Thread(target=running.serve_forever, args=[0.02])
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def connection(server: WitnessServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.server_port), timeout=60)


def sent(body: bytes) -> bytes:
    return b"POST /add-checkpoint HTTP/1.1\r\nHost: witness\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def everything(opened: socket.socket) -> bytes:
    """All that arrives until the other side closes."""
    parts = []
    while part := opened.recv(65536):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("begun", [b"", b"POST /add", b"POST /add-checkpoint HTTP/1.1\r\nHost: w\r\n"])
def test_a_request_that_does_not_arrive_is_given_up(server, begun: bytes) -> None:
    with connection(server) as opened:
        opened.sendall(begun)
        assert everything(opened) == b""


def test_a_body_that_arrives_byte_by_byte_is_given_up(server) -> None:
    request = sent(LOG.request(0, 5).body())
    head = request.index(b"\r\n\r\n") + 4
    with connection(server) as opened:
        opened.sendall(request[:head])
        started, gone = time.monotonic(), False
        for byte in request[head:-1]:
            try:
                opened.sendall(bytes([byte]))
            except OSError:
                gone = True
                break
            time.sleep(SLOW / 20)
        assert gone or everything(opened).startswith(b"HTTP/1.1 408 ")
        assert time.monotonic() - started < SLOW * len(request) / 20


def test_a_body_that_ends_early_is_a_bad_request(server) -> None:
    with connection(server) as opened:
        opened.sendall(sent(LOG.request(0, 5).body())[:-1])
        opened.shutdown(socket.SHUT_WR)
        assert everything(opened).startswith(b"HTTP/1.1 400 ")


def test_connections_beyond_the_most_are_closed_and_places_are_given_back(server) -> None:
    silent = [connection(server) for _ in range(3)]
    with connection(server) as one_more:
        assert everything(one_more) == b""
    for each in silent:
        assert everything(each) == b""
        each.close()
    deadline = time.monotonic() + 60
    while True:  # a place becomes free shortly after its connection was closed
        with connection(server) as opened:
            try:
                opened.sendall(sent(LOG.request(0, 5).body()))
                answer = everything(opened)
            except OSError:
                answer = b""
        if answer or time.monotonic() > deadline:
            break
    assert answer.startswith(b"HTTP/1.1 200 ")
