"""`python -m development.demo.mailbox --port PORT FOLDER`: the demo's letters, to be read in a browser.

Letters of the demo are not sent: each is an `.eml` file in FOLDER. This page displays them as their readers would see
them, HTML in a frame that runs no scripts. It is for the demo only and answers only this machine, because letters hold
links that sign somebody in.
"""

import argparse
import email
import email.policy
import re
import signal
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple, cast

NEWEST = 200
"""How many letters the list has."""

_NAME = re.compile(r"[0-9A-Za-z.-]+\.eml")
_HEAD = re.compile(r"<head[^>]*>", re.IGNORECASE)
_PAGE = "default-src 'none'; style-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'"
_LETTER = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
)
_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-inline-size: 60rem; margin: 0 auto; padding: 1.5rem 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
ul { list-style: none; padding: 0; }
li { border-block-start: 1px solid #8888; padding-block: 0.75rem; }
li a { font-weight: 600; }
p, li span { color: color-mix(in srgb, currentColor 75%, transparent); }
li span { display: block; overflow-wrap: anywhere; }
iframe { inline-size: 100%; block-size: 75vh; border: 1px solid #8888; border-radius: 0.5rem; background: #fff; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #8888; border-radius: 0.5rem; padding: 1rem; }
"""


class Letter(NamedTuple):
    """One letter of the folder."""

    name: str
    written_at: datetime
    message: EmailMessage

    @property
    def subject(self) -> str:
        """Its subject, decoded."""
        return str(self.message["Subject"] or "No subject")

    @property
    def to(self) -> str:
        """Its recipient."""
        return str(self.message["To"] or "")

    def part(self, kind: str) -> str:
        """Its text of that kind (`plain` or `html`); empty where it has none."""
        found = self.message.get_body((kind,))
        return str(cast(EmailMessage, found).get_content()) if found is not None else ""


def letters(folder: Path) -> Iterator[Letter]:
    """The newest letters first."""
    names = sorted((file.name for file in folder.glob("*.eml")), reverse=True)
    for name in names[:NEWEST]:
        found = letter(folder, name)
        if found is not None:
            yield found


def letter(folder: Path, name: str) -> Letter | None:
    """The letter with that file name; None for anything that is no letter of the folder."""
    file = folder / name
    if not _NAME.fullmatch(name) or not file.is_file():
        return None
    message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    return Letter(name, datetime.fromtimestamp(file.stat().st_mtime, UTC), message)


def list_of(found: list[Letter]) -> str:
    """The page with all letters; it reloads every few seconds."""
    items = "".join(
        f'<li><a href="/{escape(each.name)}">{escape(each.subject)}</a>'
        f"<span>{escape(each.to)} · {each.written_at:%d %B %Y, %H:%M:%S} UTC</span></li>"
        for each in found
    )
    nothing = "" if items else "<p>No letter yet. They come here as soon as one would be sent.</p>"
    return _page("Letters of the demo", f"{nothing}<ul>{items}</ul>", '<meta http-equiv="refresh" content="5">')


def page_of(found: Letter) -> str:
    """The page of one letter: its recipient, the HTML in a frame, the plain text."""
    html = (
        f'<iframe title="The letter" sandbox="allow-popups allow-popups-to-escape-sandbox" src="/{escape(found.name)}'
        '/html"></iframe>'
        if found.part("html")
        else ""
    )
    text = f"<h2>As plain text</h2><pre>{escape(found.part('plain'))}</pre>" if found.part("plain") else ""
    return _page(found.subject, f'<p>To {escape(found.to)} · <a href="/">All letters</a></p>{html}{text}')


def framed(found: Letter) -> str:
    """The HTML of a letter, whose links open beside the frame."""
    html = found.part("html")
    base = '<base target="_blank">'
    head = _HEAD.search(html)
    return html[: head.end()] + base + html[head.end() :] if head else base + html


def _page(title: str, body: str, head: str = "") -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">{head}<title>{escape(title)}</title>'
        f'<link rel="stylesheet" href="/style.css"></head><body><h1>{escape(title)}</h1>{body}</body></html>'
    )


class Mailbox(ThreadingHTTPServer):
    """Serves the letters of a folder."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.folder = folder


class _Handler(BaseHTTPRequestHandler):
    server: Mailbox

    def do_GET(self) -> None:
        """Answers with the list, a letter, or a part of one."""
        port = self.server.server_address[1]
        if self.headers.get("Host") not in (f"127.0.0.1:{port}", f"localhost:{port}"):
            # A request by another host name may be an attempt to read the letters through a browser (DNS rebinding).
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        elif self.path == "/":
            self._answer(list_of(list(letters(self.server.folder))), _PAGE)
        elif self.path == "/style.css":
            self._answer(_STYLE, _PAGE, "text/css")
        else:
            self._answer_letter()

    def _answer_letter(self) -> None:
        name, _, part = self.path.removeprefix("/").partition("/")
        found = letter(self.server.folder, name)
        if found is None or part not in ("", "html"):
            self.send_error(HTTPStatus.NOT_FOUND)
        elif part:
            self._answer(framed(found), _LETTER)
        else:
            self._answer(page_of(found), _PAGE)

    def _answer(self, text: str, policy: str, kind: str = "text/html") -> None:
        content = text.encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", policy)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *values: object) -> None:
        """Logs nothing: file names are of no use, and people read the demo's terminal."""


def main() -> int:
    """Serves until it is ended. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m development.demo.mailbox")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Mailbox(chosen.folder, chosen.port) as mailbox:
        mailbox.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
