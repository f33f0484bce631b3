"""A receiver of webhooks for tests: a server in a thread that keeps requests and gives prepared answers."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import orjson
from standardwebhooks import Webhook as Verifier


@dataclass
class Request:
    """One POST as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> dict:
        """The body, read without checking the signature."""
        return orjson.loads(self.body)

    def verified(self, secret: str) -> dict:
        """The body, as the specification's own package returns it when the signature is valid."""
        return Verifier(secret).verify(self.body, self.headers)


@dataclass
class Receiver:
    """A receiver. `answers(request)` gives the status, or a status and headers."""

    url: str = ""
    requests: list[Request] = field(default_factory=list)
    answers: Callable[[Request], int | tuple[int, dict[str, str]]] = lambda request: 204

    @property
    def captures(self) -> list[int]:
        """The captures in its events, in the order of arrival."""
        return [each.event["data"]["capture_sequence"] for each in self.requests]


@contextmanager
def receiver(**values: object) -> Iterator[Receiver]:
    """A receiver on a port of this machine."""
    found = Receiver(**values)  # type: ignore[arg-type]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            request = Request(self.path, dict(self.headers), body)
            found.requests.append(request)
            answer = found.answers(request)
            status, headers = answer if isinstance(answer, tuple) else (answer, {})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found.url = f"http://127.0.0.1:{server.server_port}/hooks?token=of-the-receiver"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
