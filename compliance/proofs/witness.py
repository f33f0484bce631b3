"""A witness of transparency logs, for auditors: runs at home with nothing but Python 3.11.

It keeps, for each log that it watches, the checkpoint that it cosigned last, and cosigns only checkpoints that
continue it. A log that shows different histories to different people therefore cannot have its cosignature on both.

    python witness.py --name audits.example.org/w1 --folder FOLDER --log-key LINE

The first start makes the key in FOLDER; every start prints the verifier key on a line of its own, for the operator of
the log. Answers POST /add-checkpoint and GET /<SHA-256 of a log's origin, in hex>/checkpoint, as
https://c2sp.org/tlog-witness says.
"""

import argparse
import io
import logging
import signal
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from .errors import (
    CheckpointRequestMalformed,
    LogForked,
    LogUnknown,
    NoteMalformed,
    NoteUnverified,
    ProofError,
    SizeConflict,
    TreeProofRefused,
    WitnessFolderRefused,
)
from .signed_note import check_key_name
from .witness_memory import WitnessMemory
from .witness_request import MOST_BODY_BYTES, SIZE_CONTENT_TYPE, parse_checkpoint_request
from .witnessing import Witness

REQUEST_SECONDS = 10.0
"""A request that takes longer to arrive, or a connection that is silent for longer, is closed."""
MOST_CONNECTIONS = 64
DEFAULT_PORT = 8130
STOPPED, REFUSED = 0, 2

_ADD_CHECKPOINT = "/add-checkpoint"
_CHECKPOINT = "/checkpoint"
_TEXT = "text/plain; charset=utf-8"
_STATUS: dict[type[ProofError], HTTPStatus] = {
    NoteMalformed: HTTPStatus.BAD_REQUEST,
    CheckpointRequestMalformed: HTTPStatus.BAD_REQUEST,
    NoteUnverified: HTTPStatus.FORBIDDEN,
    LogUnknown: HTTPStatus.NOT_FOUND,
    SizeConflict: HTTPStatus.CONFLICT,
    LogForked: HTTPStatus.UNPROCESSABLE_ENTITY,
    TreeProofRefused: HTTPStatus.UNPROCESSABLE_ENTITY,
}

_logger = logging.getLogger(__name__)


class Answer(NamedTuple):
    """The answer to a request."""

    status: HTTPStatus
    body: str
    content_type: str = _TEXT


class WitnessServer(ThreadingHTTPServer):
    """Serves one witness, with a thread per connection, at most MOST_CONNECTIONS at once."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], witness: Witness) -> None:
        """Bind to host and port (0: any free one). Raises OSError."""
        self.witness = witness
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own, or close it when there are too many."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection, then free its place for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log an error of a connection; in one line if the other side closed it."""
        fault = sys.exc_info()[1]
        if isinstance(fault, OSError):
            _logger.warning("A connection was lost: %s", fault)
        else:
            _logger.error("A request failed.", exc_info=fault)


class _Incoming(io.RawIOBase):
    """Reads a connection until a request has taken REQUEST_SECONDS in all, however slowly its bytes arrive."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._until = 0.0

    def begin(self) -> None:
        self._until = time.monotonic() + REQUEST_SECONDS

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("The request took too long to arrive.")
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class _Handler(BaseHTTPRequestHandler):
    server: WitnessServer
    protocol_version = "HTTP/1.1"
    server_version = "compliance-witness"
    sys_version = ""
    timeout = REQUEST_SECONDS

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self._incoming = _Incoming(self.connection)
        self.rfile = io.BufferedReader(self._incoming)

    def handle_one_request(self) -> None:
        self.raw_requestline = b""
        self._incoming.begin()
        super().handle_one_request()

    def log_error(self, format: str, *args: Any) -> None:
        if self.raw_requestline:  # else a silent connection was closed, which is no fault
            super().log_error(format, *args)

    def do_POST(self) -> None:
        if self.path == _ADD_CHECKPOINT:
            self._answer(self._add_checkpoint())
        else:
            self._answer(Answer(HTTPStatus.NOT_FOUND, "There is only /add-checkpoint to post to.\n"), close=True)

    def do_GET(self) -> None:
        if self.path == _ADD_CHECKPOINT:
            self._answer(Answer(HTTPStatus.METHOD_NOT_ALLOWED, "Checkpoints are posted here.\n"), allow="POST")
        elif self.path.endswith(_CHECKPOINT):
            self._answer(self._decided(lambda: self.server.witness.latest(self.path[1 : -len(_CHECKPOINT)])))
        else:
            self._answer(Answer(HTTPStatus.NOT_FOUND, "There is nothing at this address.\n"))

    def _add_checkpoint(self) -> Answer:
        """Read the request's body and ask the witness. Closes the connection if the body was not read."""
        self.close_connection, keep = True, not self.close_connection
        lengths = self.headers.get_all("Content-Length", [])
        if len(lengths) != 1 or "Transfer-Encoding" in self.headers:
            return Answer(HTTPStatus.LENGTH_REQUIRED, "A request says its length.\n")
        if not (lengths[0].isascii() and lengths[0].isdigit()):
            return Answer(HTTPStatus.BAD_REQUEST, "The length is not a number.\n")
        if len(lengths[0]) > 9 or int(lengths[0]) > MOST_BODY_BYTES:
            return Answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A request has at most {MOST_BODY_BYTES} bytes.\n")
        length = int(lengths[0])
        try:
            body = self.rfile.read(length)
        except TimeoutError:
            return Answer(HTTPStatus.REQUEST_TIMEOUT, "The request took too long to arrive.\n")
        if len(body) < length:
            return Answer(HTTPStatus.BAD_REQUEST, "The request ended early.\n")
        self.close_connection = not keep
        now = int(time.time())
        return self._decided(lambda: self.server.witness.add_checkpoint(parse_checkpoint_request(body), now))

    def _decided(self, decide: Any) -> Answer:
        """The answer for what the witness decides, or for its reason to refuse."""
        try:
            return Answer(HTTPStatus.OK, decide())
        except SizeConflict as fault:
            return Answer(_STATUS[SizeConflict], f"{fault.size}\n", SIZE_CONTENT_TYPE)
        except tuple(_STATUS) as fault:
            return Answer(_STATUS[type(fault)], f"{fault}\n")
        except sqlite3.Error:
            _logger.exception("The memory of the witness failed.")
            return Answer(HTTPStatus.INTERNAL_SERVER_ERROR, "The witness cannot reach its memory.\n")

    def _answer(self, answer: Answer, *, allow: str | None = None, close: bool = False) -> None:
        body = answer.body.encode()
        self.close_connection = self.close_connection or close
        self.connection.settimeout(REQUEST_SECONDS)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(body)))
        if allow is not None:
            self.send_header("Allow", allow)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def main(arguments: Sequence[str]) -> int:
    """Run a witness until it is stopped; return the exit status."""
    parser = argparse.ArgumentParser(prog="witness", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--name", required=True, help="name of the witness, such as audits.example.org/w1")
    parser.add_argument("--folder", required=True, type=Path, help="where key and memory are kept; made if missing")
    parser.add_argument("--log-key", required=True, action="append", help="verifier key of a log; may be repeated")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port to listen on (default: %(default)s)")
    parser.add_argument("--address", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        witness = Witness(WitnessMemory(options.folder, check_key_name(options.name)), options.log_key)
        server = WitnessServer((options.address, options.port), witness)
    except (NoteMalformed, WitnessFolderRefused, ValueError, OSError, OverflowError, sqlite3.Error) as fault:
        sys.stderr.write(f"{fault}\n")
        return REFUSED
    with server:
        signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
        host = f"[{options.address}]" if ":" in options.address else options.address
        _logger.info("Answering at http://%s:%s. The verifier key of this witness:", host, server.server_port)
        sys.stdout.write(f"{witness.key.line()}\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            _logger.info("Stopped.")
    return STOPPED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
