"""A small WSGI application behind the front: it answers with what it got, or with streams without end."""

import io
import json
import threading

from compliance.interfaces.serving import bodies
from compliance.interfaces.serving.front import API_THREADS, PAGE_THREADS, REFUSED, Front, Lane


class Streamed:
    """An endless stream, which records when it is closed."""

    streaming = True
    closed = 0
    made = 0

    def __iter__(self):
        return self

    def __next__(self):
        Streamed.made += 1
        return b"x" * 1024 * 1024

    def close(self):
        Streamed.closed += 1


class Answered(list):
    streaming = False


class ClosedLater(Answered):
    """An answer whose closing waits until another request releases it."""

    go_on = threading.Event()
    closed = 0

    def close(self):
        ClosedLater.go_on.wait(30)
        ClosedLater.closed += 1


def application(environ, start_response):
    if environ["PATH_INFO"] == "/stream":
        start_response("200 OK", [("content-type", "text/plain")])
        return Streamed()
    if environ["PATH_INFO"] == "/closed-later":
        start_response("200 OK", [("content-type", "text/plain")])
        return ClosedLater([b"an answer"])
    if environ["PATH_INFO"] == "/go-on":
        ClosedLater.go_on.set()
    if environ["PATH_INFO"] == "/broken":
        raise ValueError("nobody foresaw this")
    received: dict[str, object] = {name: value for name, value in environ.items() if isinstance(value, str)}
    received |= {"refused": environ.get(REFUSED), "body": len(environ["wsgi.input"].read())}
    received |= {
        "closed": Streamed.closed,
        "closed later": ClosedLater.closed,
        "made": Streamed.made,
        "kind": type(environ["wsgi.input"]).__name__,
    }
    assert not isinstance(environ["wsgi.input"], io.BytesIO) or received["body"] == 0
    status = environ.get(REFUSED)
    start_response(f"{status} Refused" if status else "200 OK", [("content-type", "application/json")])
    return Answered([json.dumps(received).encode()])


API = Lane("api", API_THREADS)
PAGES = Lane(
    "page",
    PAGE_THREADS,
    bodies.Allowance(bodies.STAFF_BYTES, bodies.STAFF_PATIENCE_SECONDS),
    lambda environ: environ.get("HTTP_COOKIE") == "staff",
)
SOURCES = PAGES._replace(name="source")
LANES = {"v1": API, "in": SOURCES}
front = Front(
    application,
    lane_of=lambda path: LANES.get(path.split("/")[1], PAGES),
    network_of=lambda environ: environ["REMOTE_ADDR"],
)
