"""A small WSGI application behind the front: what a request brought, and streams without end."""

import io
import json

from compliance.interfaces.serving.front import REFUSED, Front


class Streamed:
    """An endless stream, which says when it is closed."""

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


def application(environ, start_response):
    if environ["PATH_INFO"] == "/stream":
        start_response("200 OK", [("content-type", "text/plain")])
        return Streamed()
    if environ["PATH_INFO"] == "/broken":
        raise ValueError("nobody foresaw this")
    told: dict[str, object] = {name: value for name, value in environ.items() if isinstance(value, str)}
    told |= {"refused": environ.get(REFUSED), "body": len(environ["wsgi.input"].read())}
    told |= {"closed": Streamed.closed, "made": Streamed.made, "kind": type(environ["wsgi.input"]).__name__}
    assert not isinstance(environ["wsgi.input"], io.BytesIO) or told["body"] == 0
    status = environ.get(REFUSED)
    start_response(f"{status} Refused" if status else "200 OK", [("content-type", "application/json")])
    return Answered([json.dumps(told).encode()])


front = Front(
    application,
    of_api=lambda path: path.startswith("/v1"),
    signed_in=lambda environ: environ.get("HTTP_COOKIE") == "staff",
)
