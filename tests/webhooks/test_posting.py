"""One POST to receivers that misbehave in every way: it ends in time, and names the failure."""

import asyncio
import contextlib
import datetime
import ipaddress
import socket
import ssl
import threading
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from compliance.webhooks import posting
from compliance.webhooks.addresses import target
from tests.webhooks.receiver import receiver

SOON = 0.4
"""A limit in place of the 15 seconds, for tries that exceed it."""
PATIENT = 30
"""A limit that no answered try exceeds, also on a busy machine."""


@contextlib.contextmanager
def server(answer, address="127.0.0.1"):
    """A socket whose every connection `answer(connection)` answers, in a thread of its own; yields its port."""
    listening = socket.create_server((address, 0))
    ended = threading.Event()

    def serve():
        while not ended.is_set():
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=answered, args=(connection,), daemon=True).start()

    def answered(connection):
        with connection, contextlib.suppress(OSError):
            answer(connection)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        ended.set()
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


def post(url, *, addresses=None, allow_private=True, seconds=PATIENT, **more):
    """Posts `{}`; `addresses` are those of its host's name, one list per resolution."""
    looks = iter(addresses or ())

    async def resolve(host, port):
        found = next(looks)
        if isinstance(found, Exception):
            raise found
        return found

    if addresses is not None:
        more["resolve"] = resolve
    made = target(url, plain=True)
    return asyncio.run(
        posting.post(made, [("webhook-id", "msg_1")], b"{}", allow_private=allow_private, seconds=seconds, **more)
    )


def saying(text, *, after=b"\r\n\r\n"):
    """Reads the head of a request and answers with `text`."""

    def answer(connection):
        read_request(connection)
        connection.sendall(text)

    return answer


def read_request(connection):
    text = b""
    while not text.endswith(b"{}"):
        chunk = connection.recv(4096)
        if not chunk:
            return
        text += chunk


def dripping(text, pause=0.02):
    def answer(connection):
        read_request(connection)
        while True:
            for byte in text:
                connection.sendall(bytes([byte]))
                time.sleep(pause)

    return answer


def test_a_success_is_told_with_its_status_and_time():
    with receiver() as found:
        answer = post(found.url)
    assert (answer.status, answer.failure) == (204, "")
    assert 0 <= answer.milliseconds < 1000 * PATIENT
    (request,) = found.requests
    assert request.path == "/hooks?token=of-the-receiver"
    assert request.headers["host"] == found.url.split("/")[2]
    assert request.headers["content-length"] == "2"


@pytest.mark.parametrize(
    ("text", "status", "failure"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", 200, ""),
        (b"HTTP/1.0 200 OK\r\n\r\nok", 200, ""),
        (b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n", 202, ""),
        (b"HTTP/1.1 301 Moved\r\nlocation: http://127.0.0.1:1/\r\n\r\n", 301, "redirect"),
        (b"HTTP/1.1 307 Moved\r\nlocation: /other\r\n\r\n", 307, "redirect"),
        (b"HTTP/1.1 410 Gone\r\n\r\n", 410, "gone"),
        (b"HTTP/1.1 404 Not Found\r\n\r\n", 404, "status"),
        (b"HTTP/1.1 500 Broken\r\n\r\n", 500, "status"),
        (b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n", None, "garbled"),
        (b"HTTP/1.1 999999 Odd\r\n\r\n", None, "garbled"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", None, "closed"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", None, "garbled"),
        (b"\x00\xff" * 10_000, None, "garbled"),
        (b"HTTP/1.1 200 OK\r\n" + b"x-more: " + b"a" * 40_000, None, "garbled"),
        (b"HTTP/1.1 200 OK\r\n bad folding\r\n\r\n", None, "garbled"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 2000, None, "garbled"),
        (b"", None, "closed"),
        (b"HTTP/1.1 200 OK\r\ncontent", None, "closed"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\ncut", 200, ""),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", 200, ""),
    ],
)
def test_an_answer_is_judged_by_its_status_alone(text, status, failure):
    with server(saying(text)) as port:
        answer = post(f"http://127.0.0.1:{port}/")
    assert (answer.status, answer.failure) == (status, failure)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120), ("0", 0), ("soon", None), ("-5", None), ("²", None),
        ("Mon, 01 Jan 2001 00:10:00 GMT\r\ndate: Mon, 01 Jan 2001 00:00:00 GMT", 600),
        ("Mon, 01 Jan 2001 00:00:00 GMT\r\ndate: Mon, 01 Jan 2001 00:10:00 GMT", 0),
        ("Mon, 01 Jan 2001 00:10:00 GMT", None),
        ("Mon, 01 Jan 2001 00:10:00 GMT\r\ndate: never", None),
    ],
)  # fmt: skip
def test_a_receiver_may_ask_for_time(header, seconds):
    with server(saying(f"HTTP/1.1 503 Busy\r\nretry-after: {header}\r\n\r\n".encode("latin-1"))) as port:
        assert post(f"http://127.0.0.1:{port}/").retry_after == seconds


@pytest.mark.parametrize(
    "answer",
    [
        dripping(b"HTTP/1.1 200 OK\r\nx-slow: " + b"a" * 100_000),
        dripping(b"HTTP/1.1 100 Continue\r\n\r\n"),
        lambda connection: time.sleep(PATIENT),
    ],
    ids=["headers byte by byte", "continue without end", "silence"],
)
def test_the_bound_holds_for_the_whole_of_a_try(answer):
    began = time.monotonic()
    with server(answer) as port:
        found = post(f"http://127.0.0.1:{port}/", seconds=SOON)
        took = time.monotonic() - began
    assert (found.status, found.failure) == (None, "timeout")
    assert took < SOON + PATIENT / 2  # the answers themselves would take longer


def test_a_body_without_end_is_left_after_a_few_kilobytes_and_harms_no_success():
    sent = []

    def endless(connection):
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            sent.append(connection.send(b"a" * 65_536))

    with server(endless) as port:
        answer = post(f"http://127.0.0.1:{port}/")
    assert (answer.status, answer.failure) == (200, "")
    assert answer.milliseconds < 1000 * PATIENT / 2


def test_a_body_that_drips_is_left_soon():
    began = time.monotonic()
    with server(dripping(b"HTTP/1.1 200 OK\r\n\r\n" + b"a" * 10_000, 0.0001)) as port:
        answer = post(f"http://127.0.0.1:{port}/")
    assert (answer.status, answer.failure) == (200, "")
    assert time.monotonic() - began < PATIENT / 2


def test_nothing_listens_and_no_name():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert post(f"http://127.0.0.1:{port}/").failure == "unreachable"
    assert post("https://receiver.test/", addresses=[socket.gaierror()]).failure == "no name"
    assert post("https://receiver.test/", addresses=[[]]).failure == "no name"
    assert post(f"https://{'a' * 64}.test/").failure == "no name"


@pytest.mark.parametrize(
    "found",
    [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["169.254.169.254"], ["fe80::1%eth0"]],
)
def test_a_name_that_leads_into_a_network_is_not_connected_to(found):
    connected: list[object] = []
    with server(connected.append) as port:
        answer = post(f"http://receiver.test:{port}/", addresses=[found], allow_private=False)
    assert (answer.status, answer.failure, connected) == (None, "not public", [])


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "127.1", "0x7f.1", "localhost", "[::1]", "0"])
def test_this_machine_is_not_reached_however_it_is_written(host):
    connected: list[object] = []
    with server(connected.append) as port:
        answer = post(f"http://{host}:{port}/", allow_private=False)
    assert answer.status is None
    assert answer.failure in ("not public", "no name")
    assert connected == []


def test_a_name_is_resolved_once_so_that_it_cannot_change_between_check_and_connection(monkeypatch):
    """A resolver that gives a public address first and this machine's afterwards is called once."""
    connected: list[object] = []
    opened: list[str] = []

    async def open_connection(host, port, **values):
        opened.append(host)
        raise OSError

    monkeypatch.setattr(asyncio, "open_connection", open_connection)
    with server(connected.append) as port:
        changing = [["93.184.216.34"], ["127.0.0.1"]]
        answer = post(f"http://receiver.test:{port}/", addresses=changing, allow_private=False)
    assert answer.failure == "unreachable"
    assert opened == ["93.184.216.34"]
    assert connected == []


def test_a_redirect_into_the_network_is_not_followed():
    connected: list[object] = []
    with server(connected.append) as inside:
        redirect = f"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:{inside}/\r\n\r\n".encode()
        with server(saying(redirect)) as port:
            assert post(f"http://127.0.0.1:{port}/").failure == "redirect"
    assert connected == []


def test_a_second_address_is_tried_when_the_first_takes_no_connection():
    with receiver() as found:
        port = found.url.split(":")[2].split("/")[0]
        answer = post(f"http://receiver.test:{port}/", addresses=[["127.0.0.2", "127.0.0.1"]])
    assert answer.status == 204


def test_proxies_of_the_environment_are_not_asked(monkeypatch):
    connected: list[object] = []
    with server(connected.append) as proxy, receiver() as found:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
        assert post(found.url).status == 204
    assert connected == []


def certificate(folder, name):
    """A self-signed certificate of `name`, as files for a server; and a context that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "receiver")])
    now = datetime.datetime.now(datetime.UTC)
    known: x509.GeneralName
    try:
        known = x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        known = x509.DNSName(name)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([known]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "receiver.pem"
    file.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(file)
    return serving, ssl.create_default_context(cafile=str(file))


@pytest.mark.parametrize(
    ("host", "name", "trusts", "failure"),
    [
        ("receiver.test", "receiver.test", True, ""),
        ("receiver.test.", "receiver.test", True, ""),
        ("receiver.test", "other.test", True, "tls"),
        ("receiver.test", "receiver.test", False, "tls"),
        ("receiver.test", "127.0.0.1", True, "tls"),
    ],
    ids=["of the name", "of the name with its dot", "of another name", "that nobody trusts", "of the address"],
)
def test_tls_verifies_the_name_and_not_the_address(tmp_path, host, name, trusts, failure):
    serving, trusting = certificate(tmp_path, name)
    asked = []
    serving.sni_callback = lambda connection, server_name, context: asked.append(server_name)

    def answer(connection):
        with serving.wrap_socket(connection, server_side=True) as secured:
            saying(b"HTTP/1.1 204 No Content\r\n\r\n")(secured)

    with server(answer) as port:
        found = post(f"https://{host}:{port}/", addresses=[["127.0.0.1"]], context=trusting if trusts else None)
    assert found.failure == failure
    assert asked == ["receiver.test"]


def test_a_handshake_that_never_ends_is_bounded_too():
    with server(lambda connection: time.sleep(PATIENT)) as port:
        found = post(f"https://127.0.0.1:{port}/", seconds=SOON)
    assert found.failure == "timeout"
    assert found.milliseconds < 1000 * PATIENT / 2


def test_what_speaks_no_tls_is_told_so():
    with server(lambda connection: connection.sendall(b"SSH-2.0-x\r\n" * 5)) as port:
        assert post(f"https://127.0.0.1:{port}/").failure == "tls"
