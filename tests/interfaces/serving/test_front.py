"""The application gets all of a request; slow senders and slow readers occupy no thread."""

import asyncio
import contextlib
import json
import socket
import threading
import time

import pytest

from compliance.interfaces.serving import bodies, front
from compliance.interfaces.serving.places import BODIES_AT_ONCE
from tests.interfaces.serving.conftest import connect, first_answer, send


def answered(answer):
    head, _, content = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(content)


def request(target="/", *fields, method="GET", body=b""):
    lines = [f"{method} {target} HTTP/1.1", "Host: service", "Connection: close", *fields]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def test_the_environment_is_that_of_pep_3333(echo):
    _, found = answered(
        send(echo, request("/a%20b/%C3%A9?x=%41+b", "Cookie: a=1", "Cookie: b=2", "Accept: x", "Accept: y"))
    )
    assert found["PATH_INFO"].encode("latin-1").decode() == "/a b/é"
    assert found["QUERY_STRING"] == "x=%41+b"
    assert found["HTTP_COOKIE"] == "a=1; b=2"
    assert found["HTTP_ACCEPT"] == "x,y"
    assert (found["REQUEST_METHOD"], found["SERVER_PROTOCOL"]) == ("GET", "HTTP/1.1")
    assert (found["REMOTE_ADDR"], found["SERVER_PORT"]) == ("127.0.0.1", str(echo))
    assert found["HTTP_HOST"] == "service"


def test_a_field_with_an_underscore_is_not_taken_for_one_with_hyphens(echo):
    _, found = answered(send(echo, request("/", "X_Forwarded_For: 192.0.2.1", "X-Forwarded-Proto: https")))
    assert "HTTP_X_FORWARDED_FOR" not in found
    assert found["HTTP_X_FORWARDED_PROTO"] == "https"


def test_a_small_body_reaches_the_application_with_its_size(echo):
    _, found = answered(send(echo, request("/", "Content-Length: 5", method="POST", body=b"abcde")))
    assert (found["body"], found["CONTENT_LENGTH"]) == (5, "5")
    chunked = b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    _, found = answered(send(echo, request("/", "Transfer-Encoding: chunked", method="POST", body=chunked)))
    assert (found["body"], found["CONTENT_LENGTH"]) == (5, "5")


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_a_method_that_has_no_body_never_waits_for_one(echo, method):
    begun = time.monotonic()
    answer = send(echo, request("/", "Content-Length: 1000000", method=method))
    assert answer.startswith(b"HTTP/1.1 200")
    assert time.monotonic() - begun < bodies.PATIENCE_SECONDS / 2


def test_the_api_never_waits_for_a_body(echo):
    begun = time.monotonic()
    assert send(echo, request("/v1/x", "Content-Length: 1000", method="POST")).startswith(b"HTTP/1.1 200")
    assert time.monotonic() - begun < bodies.PATIENCE_SECONDS / 2


def test_a_body_that_nobody_signed_in_sends_is_cut_at_its_limit(echo):
    most = bodies.ANONYMOUS_BYTES
    status, found = answered(send(echo, request("/", f"Content-Length: {most}", method="POST", body=b"x" * most)))
    assert (status, found["body"]) == (200, most)
    # One byte more is refused before any of it is sent, and so is a body without a stated size.
    status, found = answered(send(echo, request("/", f"Content-Length: {most + 1}", method="POST")))
    assert (status, found["refused"], found["body"]) == (413, 413, 0)
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (most + 1, b"x" * (most + 1))
    status, found = answered(send(echo, request("/", "Transfer-Encoding: chunked", method="POST", body=chunked)))
    assert (status, found["body"]) == (413, 0)


def test_staff_send_files_up_to_their_own_limit(echo):
    size = 3 * 1024 * 1024
    sent = request("/", "Cookie: staff", f"Content-Length: {size}", method="POST", body=b"x" * size)
    status, found = answered(send(echo, sent))
    assert (status, found["body"]) == (200, size)
    too_large = request("/", "Cookie: staff", f"Content-Length: {bodies.STAFF_BYTES + 1}", method="POST")
    assert answered(send(echo, too_large))[0] == 413


def test_a_body_that_is_cut_short_is_not_handed_on(echo):
    with socket.create_connection(("127.0.0.1", echo), timeout=30) as connection:
        connection.sendall(request("/", "Content-Length: 10", method="POST", body=b"abc"))
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(65536)
    assert not answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("length", ["-1", "1e3", "٣", "0x10"])
def test_a_size_that_is_no_number_is_refused(echo, length):
    sent = f"POST / HTTP/1.1\r\nHost: service\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n".encode()
    assert send(echo, sent).split(b" ")[1] == b"400"


def test_a_slow_body_is_given_up_and_holds_no_thread_meanwhile(echo):
    slow = [socket.create_connection(("127.0.0.1", echo), timeout=60) for _ in range(4 * front.PAGE_THREADS)]
    try:
        for connection in slow:
            connection.sendall(request("/", "Content-Length: 100", method="POST", body=b"a"))
        begun = time.monotonic()
        while time.monotonic() - begun < 3:
            assert answered(send(echo, request("/")))[0] == 200
            assert answered(send(echo, request("/v1/x")))[0] == 200
            for connection in slow:
                connection.sendall(b"a")
            time.sleep(0.5)
        answers = [connection.recv(65536) for connection in slow]
        assert {answer.split(b" ")[1] for answer in answers} == {b"408"}
        assert time.monotonic() - begun < bodies.PATIENCE_SECONDS + 5
    finally:
        for connection in slow:
            connection.close()


@contextlib.contextmanager
def slow_bodies(port, number, source="127.0.0.1"):
    """Connections that each have sent the first of two bytes."""
    with contextlib.ExitStack() as opened:
        connections = [opened.enter_context(connect(port, source)) for _ in range(number)]
        for connection in connections:
            connection.sendall(request("/", "Content-Length: 2", method="POST", body=b"a"))
        yield connections


def test_whoever_holds_every_place_for_bodies_takes_none_from_another_network(echo):
    short = request("/", "Content-Length: 2", method="POST", body=b"ab")
    with slow_bodies(echo, 1, "127.0.0.2") as (other,), slow_bodies(echo, BODIES_AT_ONCE + 20) as slow:
        assert first_answer(slow).startswith(b"HTTP/1.1 503")  # there was no place for more
        for _ in range(40):
            assert answered(send(echo, short, "127.0.0.3"))[0] == 200
        assert answered(send(echo, short))[0] == 200  # the place of another of its own
        other.sendall(b"b")
        assert other.recv(65536).startswith(b"HTTP/1.1 200")


def test_each_interface_has_places_of_its_own(echo):
    short = request("/in/x", "Content-Length: 2", method="POST", body=b"ab")
    with slow_bodies(echo, BODIES_AT_ONCE + 1) as slow:
        assert first_answer(slow).startswith(b"HTTP/1.1 503")
        for _ in range(40):
            assert answered(send(echo, short))[0] == 200
        slow[-1].sendall(b"b")
        assert slow[-1].recv(65536).startswith(b"HTTP/1.1 200")


def test_a_slow_reader_of_a_stream_holds_no_thread_and_makes_it_no_longer(echo):
    slow = [socket.create_connection(("127.0.0.1", echo), timeout=60) for _ in range(2 * front.PAGE_THREADS)]
    try:
        for connection in slow:
            connection.sendall(request("/stream"))
        time.sleep(2)
        assert answered(send(echo, request("/")))[0] == 200
        _, before = answered(send(echo, request("/")))
        time.sleep(1)
        _, after = answered(send(echo, request("/")))
        assert after["made"] == before["made"]  # nothing is made ahead of the readers
    finally:
        for connection in slow:
            connection.close()
    end = time.monotonic() + 30
    while answered(send(echo, request("/")))[1]["closed"] < len(slow):
        assert time.monotonic() < end, "streams of readers who left are not closed"
        time.sleep(0.2)


def test_an_error_of_the_application_is_answered(echo):
    assert send(echo, request("/broken")).startswith(b"HTTP/1.1 500")


def test_an_answer_is_sent_before_it_is_closed_and_closed_once(echo):
    assert send(echo, request("/closed-later")).endswith(b"an answer")
    assert answered(send(echo, request("/")))[1]["closed later"] == 0
    assert answered(send(echo, request("/go-on")))[0] == 200
    end = time.monotonic() + 30
    while answered(send(echo, request("/")))[1]["closed later"] < 1:
        assert time.monotonic() < end, "the answer is not closed"
        time.sleep(0.05)
    assert answered(send(echo, request("/")))[1]["closed later"] == 1


class Closing(list):
    """An answer that records when it is closed."""

    def __init__(self, close):
        super().__init__([b"an answer"])
        self.close = close


def served(close, send):
    """Lets the front serve one request in this process, and waits for its threads to finish."""

    def application(environ, start_response):
        start_response("200 OK", [])
        return Closing(close)

    served_by = front.Front(application, lane_of=lambda path: front.Lane("one", 1), network_of=str)
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "scheme": "http", "http_version": "1.1",
             "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 9), "headers": []}  # fmt: skip
    asyncio.run(served_by(scope, None, send))
    for pool in served_by._pools.values():
        pool.shutdown(wait=True)


def test_an_error_when_an_answer_is_closed_is_logged_and_changes_no_answer(caplog):
    sent = []

    def close():
        raise ValueError("nobody foresaw this either")

    async def send(message):
        sent.append(message)

    served(close, send)
    assert [message.get("body", message.get("status")) for message in sent] == [200, b"an answer"]
    assert [record.msg for record in caplog.records] == ["closing_failed"]


def test_a_loop_that_does_not_send_holds_up_no_thread_for_long(monkeypatch):
    monkeypatch.setattr(front, "SENDING_SECONDS", 0.05)
    closed, was_closed = threading.Event(), []

    async def send(message):
        was_closed.append(await asyncio.to_thread(closed.wait, 30))

    served(closed.set, send)
    assert was_closed == [True, True]


def test_connections_that_say_nothing_stop_nobody(echo):
    with contextlib.ExitStack() as idle:
        for _ in range(300):
            idle.enter_context(socket.create_connection(("127.0.0.1", echo), timeout=30))
        assert answered(send(echo, request("/")))[0] == 200
