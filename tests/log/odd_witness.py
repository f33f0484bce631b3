"""A server in the place of a witness that answers as a test wants it to."""

import socket
import threading
from collections.abc import Callable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Behaviour = Callable[[BaseHTTPRequestHandler, bytes], None]


@contextmanager
def answering(behaviour: Behaviour):
    """Serve with `behaviour`, called with handler and request body; yield the address and the bodies received."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            behaviour(self, bodies[-1])

        def do_GET(self):
            raise AssertionError("A redirect was followed.")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=[0.02])
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def saying(status: int, body: "bytes | str" = b"", **headers: str) -> Behaviour:
    """Return the behaviour that always gives this answer."""
    content = body.encode() if isinstance(body, str) else body
    sent = {"Content-Length": str(len(content))} | {name.replace("_", "-"): value for name, value in headers.items()}

    def answer(handler, _):
        handler.send_response(status)
        for name, value in sent.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def hanging_up(content: bytes) -> Behaviour:
    """Return the behaviour that sends something other than an answer and closes the connection."""

    def answer(handler, _):
        handler.wfile.write(content)
        handler.connection.shutdown(socket.SHUT_RDWR)

    return answer
