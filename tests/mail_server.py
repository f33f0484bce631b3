"""A small mail server (RFC 5321) on this machine, which keeps the mails that it accepts."""

import contextlib
import socketserver
import threading
from collections.abc import Iterator


class Server(socketserver.ThreadingTCPServer):
    """Accepts letters. It closes a session at the letter after `letters_a_session`."""

    letters_a_session = 100

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.received: list[bytes] = []
        self.sessions = 0


class _Session(socketserver.StreamRequestHandler):
    server: Server

    def handle(self) -> None:
        self.server.sessions += 1
        letters = 0
        self._say("220 mail.example")
        while line := self.rfile.readline().decode().strip():
            verb = line.split(":")[0].split(" ")[0].upper()
            if verb == "MAIL" and letters == self.server.letters_a_session:
                self._say("421 too many letters in this session")
                return
            if verb == "RCPT" and "refused@" in line:
                self._say("550 no such mailbox")
            elif verb == "DATA":
                self._say("354 go on")
                lines = []
                while (part := self.rfile.readline()) != b".\r\n":
                    lines.append(part[1:] if part.startswith(b"..") else part)
                self.server.received.append(b"".join(lines))
                letters += 1
                self._say("250 kept")
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 mail.example")

    def _say(self, line: str) -> None:
        self.wfile.write(line.encode() + b"\r\n")


@contextlib.contextmanager
def running() -> Iterator[Server]:
    """A mail server that runs until the block ends."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
