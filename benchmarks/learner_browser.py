"""A minimal browser of a learner, for the benchmark of a thousand of them: cookies, forms, pictures and styles.

It speaks HTTP/1.1 over its own sockets, because with a thousand clients of a library the library would be measured.
"""

import asyncio
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit

TIMEOUT_SECONDS = 60
_FORM = "application/x-www-form-urlencoded"

Note = Callable[[str, float, int], None]
"""Called after each request with the step, the seconds it took, and the status (0: no answer)."""


@dataclass
class Form:
    """A form of a page with the values it would send; `choices` are the answers offered, by name."""

    action: str
    post: bool
    values: list[tuple[str, str]] = field(default_factory=list)
    choices: dict[str, list[str]] = field(default_factory=dict)
    reports_film: bool = False


class Page(HTMLParser):
    """A parsed page: its forms, links that look like buttons, and the files that it loads."""

    def __init__(self, address: str, html: str) -> None:
        super().__init__()
        self.address = address
        self.forms: dict[str, Form] = {}
        self.buttons: list[str] = []
        self.files: list[str] = []
        self.last_scene: dict[str, str] = {}
        self._inside = self._film = ""
        self._loose: list[tuple[str, dict[str, str]]] = []
        self.feed(html)
        for form, given in self._loose:
            self._take(form, given)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Reads the start of an element."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._inside = given.get("id") or f"form {len(self.forms)}"
            action = urljoin(self.address, given.get("action", ""))
            self.forms[self._inside] = Form(action, given.get("method") == "post", reports_film="data-report" in given)
        elif tag == "input" and given.get("name"):
            self._loose.append((given.get("form") or self._inside, given))
        elif tag == "a" and "button" in given.get("class", "").split():
            self.buttons.append(urljoin(self.address, given["href"]))
        elif tag == "link" and given.get("rel") == "stylesheet":
            self.files.append(urljoin(self.address, given["href"]))
        elif tag in ("script", "img") and given.get("src") and given.get("loading") != "lazy":
            self.files.append(urljoin(self.address, given["src"]))
        if "data-film" in given:
            self._film = given.get("id", "")
        elif "data-scene" in given:
            self.last_scene[self._film] = given["data-scene"]

    def handle_endtag(self, tag: str) -> None:
        """Reads the end of an element."""
        if tag == "form":
            self._inside = ""

    def _take(self, form: str, given: dict[str, str]) -> None:
        if form not in self.forms:
            return
        if given.get("type") in ("radio", "checkbox"):
            if "disabled" not in given:
                self.forms[form].choices.setdefault(given["name"], []).append(given["value"])
        else:
            self.forms[form].values.append((given["name"], given.get("value", "")))


class Browser:
    """One learner's browser: keeps cookies and loaded files, and a connection until `rest`."""

    def __init__(self, address: str, note: Note) -> None:
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "127.0.0.1", parts.port or 80
        self.cookies: dict[str, str] = {}
        self.note = note
        self._loaded: set[str] = set()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def open(self, step: str, address: str) -> Page:
        """Opens a page and loads its files."""
        return await self._page(step, "GET", address, None)

    async def send(self, step: str, then: str, form: Form, more: list[tuple[str, str]]) -> Page:
        """Sends a form; `then` is the step of the page to which its answer leads."""
        return await self._page(step, "POST", form.action, urlencode([*form.values, *more]), then)

    def rest(self) -> None:
        """Closes the connection, as would happen during the time that reading takes."""
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None

    async def _page(self, step: str, method: str, address: str, body: str | None, then: str = "") -> Page:
        status, headers, content = await self._ask(step, method, address, body)
        while status in (302, 303):
            address = urljoin(address, headers["location"])
            status, headers, content = await self._ask(then or step, "GET", address, None)
        if status != 200:
            raise RuntimeError(f"{step}: {status} from {urlsplit(address).path[:40]}")
        page = Page(address, content.decode())
        for each in page.files:
            if each not in self._loaded:
                self._loaded.add(each)
                await self._ask("styles, scripts, pictures", "GET", each, None)
        return page

    async def _ask(self, step: str, method: str, address: str, body: str | None) -> tuple[int, dict[str, str], bytes]:
        began = time.perf_counter()
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                answer = await self._exchange(method, address, body)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            self._streams = None
            self.note(step, time.perf_counter() - began, 0)
            raise
        self.note(step, time.perf_counter() - began, answer[0])
        return answer

    async def _exchange(self, method: str, address: str, body: str | None) -> tuple[int, dict[str, str], bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self._streams
        parts = urlsplit(address)
        lines = [
            f"{method} {parts.path}{'?' + parts.query if parts.query else ''} HTTP/1.1",
            f"Host: {self.host}:{self.port}",
            "Accept-Encoding: gzip",
            "Accept-Language: en",
            "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        ]
        if self.cookies:
            lines.append("Cookie: " + "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        if body is not None:
            lines += [f"Content-Type: {_FORM}", f"Content-Length: {len(body)}"]
        writer.write(("\r\n".join(lines) + "\r\n\r\n" + (body or "")).encode())
        status, headers = self._head(await reader.readuntil(b"\r\n\r\n"))
        content = await _content(reader, headers)
        if headers.get("connection", "").lower() == "close":
            self.rest()
        return status, headers, content

    def _head(self, head: bytes) -> tuple[int, dict[str, str]]:
        first, *lines = head.decode("latin-1").rstrip().split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            if name.lower() == "set-cookie":
                cookie, _, text = value.strip().partition(";")[0].partition("=")
                self.cookies[cookie] = text
            else:
                headers[name.lower()] = value.strip()
        return int(first.split(" ", 2)[1]), headers


async def _content(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        content = b""
        while size := int(await reader.readline(), 16):
            content += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
    else:
        content = await reader.readexactly(int(headers.get("content-length", "0")))
    return zlib.decompress(content, 31) if headers.get("content-encoding") == "gzip" else content
