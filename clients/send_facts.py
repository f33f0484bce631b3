#!/usr/bin/env python3
"""Sends facts (svc.facts/1, one JSON object a line) to Compliance Records, from a file or a pipe.

    export SVC_SOURCE_TOKEN=svc_in_live_...
    python send_facts.py --url https://records.example.com facts.jsonl
    export_from_hr | python send_facts.py --url https://records.example.com -

One file of the standard library: it needs Python 3.11 or newer and nothing else, on any system. Repeating is always
harmless, since facts are known by their `fact_id`. A run that was killed goes on where it was when it is started again:
how far it came is kept in the folder FILE.sending until all is sent (of a pipe only with --state FOLDER).

Lines that refer to others further down are sent again once these are recorded. What is refused in the end is written to
FILE.refused.jsonl: the number of the line, a code, the reason, and the line itself.

Exit status: 0 every line is recorded or was known, 1 some are refused, 2 it cannot go on, 130 interrupted.
"""

import argparse
import base64
import email.utils
import gzip
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import socket
import ssl
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from email.message import Message
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

ALL_RECORDED, SOME_REFUSED, CANNOT_GO_ON, INTERRUPTED = 0, 1, 2, 130

FORMAT = "svc.send_facts/1"
ADDRESS = "/in/v1/facts"
TOKEN_VARIABLE = "SVC_SOURCE_TOKEN"  # noqa: S105 - a name
TOKEN = re.compile(r"svc_(?:in_)?(?:live|test)_[0-9A-Za-z]{10,}")

MOST_BYTES = 8 * 1024 * 1024
"""The largest post that the service accepts, before compression."""
POST_BYTES = 4 * 1024 * 1024
POST_LINES = 10_000
LONGEST_LINE = MOST_BYTES - 1
WHITE_SPACE = b" \t\r\n"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LISTED_REFUSALS = 10
QUOTED_BYTES = 1000
"""How many bytes are kept of a line that is too long to be sent."""
ANSWER_BYTES = 64 * 1024 * 1024
SMALL_BYTES = 1000
"""A body of so few bytes is too large for nobody, whatever the network does with it."""

TIMEOUT_SECONDS = 150.0
PATIENCE_SECONDS = 900.0
LONGEST_PAUSE_SECONDS = 60.0
READABLE_SECONDS = 600.0
WAIT_AT_ONCE_SECONDS = 20
LOOK_EVERY_SECONDS = 2.0
STATUS_EVERY_SECONDS = 10.0
SPLIT_AFTER = 3
"""How often the network may fail on a post before the post is split in two."""

TRY_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
MAY_PASS_LATER = frozenset({"unresolved_reference", "refused_by_rule"})
"""Codes of lines that may be accepted once others are recorded: what they refer to comes later in the input."""


class StopError(Exception):
    """Sending cannot go on; what is kept lets a new run continue. `status` is the exit status."""

    def __init__(self, sentence: str, status: int = CANNOT_GO_ON) -> None:
        super().__init__(sentence)
        self.status = status


class TooLargeError(Exception):
    """A post is larger than the service, or a proxy before it, accepts."""


# --- lines --------------------------------------------------------------------------------------------------


class Fault(NamedTuple):
    """Why a line cannot be sent: a code for programs and a reason for people."""

    code: str
    reason: str


class Line(NamedTuple):
    """A line of the input: its number from 1 and its content. `fault`: why it cannot be sent."""

    number: int
    content: bytes
    fault: Fault | None = None


class Refusal(NamedTuple):
    """A line that was not recorded, and why."""

    line: Line
    code: str
    reason: str
    fact_id: str | None = None

    def written(self) -> bytes:
        """The line of the file of refusals: one JSON object; `content_base64` where the content is not UTF-8."""
        kept: dict[str, Any] = {"line": self.line.number, "code": self.code, "reason": self.reason}
        kept["fact_id"] = self.fact_id
        try:
            kept["content"] = self.line.content.decode()
        except UnicodeDecodeError:
            kept["content_base64"] = base64.b64encode(self.line.content).decode()
        return json.dumps(kept, ensure_ascii=False).encode() + b"\n"

    @classmethod
    def read(cls, text: bytes) -> "Refusal":
        """Parses what `written` wrote."""
        kept = json.loads(text)
        content = kept["content"].encode() if "content" in kept else base64.b64decode(kept["content_base64"])
        return cls(Line(kept["line"], content), kept["code"], kept["reason"], kept["fact_id"])


class Place(NamedTuple):
    """A position in the input, between two lines: the bytes and lines before it, and their SHA-256."""

    bytes: int
    lines: int
    digest: Any
    whole: bool = True
    """Whether the line before has its line feed; a line without one may still grow."""


class Limits:
    """Limits of a post. They shrink when the service accepts less."""

    def __init__(self, lines: int, size: int) -> None:
        self.lines = lines
        self.size = size

    def narrow(self, size: int) -> None:
        """Halves the limit after a post of `size` was too large."""
        self.size = max(min(self.size, size // 2), 1)


class Input:
    """The lines of a file or a pipe. Only one line is in memory, and none longer than a post may be."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self._bytes = self._lines = 0
        self._whole = True

    @property
    def place(self) -> Place:
        """The position after the line that was read last."""
        return Place(self._bytes, self._lines, self._digest.copy(), self._whole)

    def skip(self, state: "State") -> bool:
        """Skips what was answered before. False when the input begins with something else."""
        while self._bytes < state.bytes:
            content = self._stream.read(min(1 << 20, state.bytes - self._bytes))
            if not content:
                return False
            self._digest.update(content)
            self._bytes += len(content)
        self._lines = state.lines
        return bool(self._digest.hexdigest() == state.sha256)

    def __iter__(self) -> Iterator[Line]:
        while content := self._take():
            self._lines += 1
            if self._lines == 1:
                _refuse_other_formats(content)
                content = content.removeprefix(BYTE_ORDER_MARK)
            number, kept = self._lines, content[:QUOTED_BYTES]
            if len(content) > LONGEST_LINE and not content.endswith(b"\n"):
                while content and not content.endswith(b"\n"):
                    content = self._take()
                reason = f"The line is longer than a post may be, {MOST_BYTES >> 20} MiB."
                yield Line(number, kept, Fault("line_too_long", reason))
            elif content := content.strip(WHITE_SPACE):
                yield Line(number, content, _fault(content))

    def _take(self) -> bytes:
        content = self._stream.readline(LONGEST_LINE + 1)
        if content:
            self._digest.update(content)
            self._bytes += len(content)
            self._whole = content.endswith(b"\n")
        return content


def _fault(content: bytes) -> Fault | None:
    """Why a line would change how the service reads the lines after it, if it were the first of its post."""
    if content.startswith(b"["):
        return Fault("no_object", "The line begins with a bracket. A fact is a JSON object, one a line.")
    if content.startswith(BYTE_ORDER_MARK):
        return Fault("invalid_json", "The line begins with a byte order mark, which only the first line may have.")
    return None


def _refuse_other_formats(first: bytes) -> None:
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise StopError("The input is UTF-16. Write it as UTF-8 (PowerShell: Out-File -Encoding utf8).")
    if first.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")):
        raise StopError("The input is compressed. Unpack it on the way: gzip -dc FILE | send_facts.py ... -")


class Post(NamedTuple):
    """Lines that are sent together, and the position in the input after them (None: they were read before)."""

    lines: list[Line]
    place: Place | None


def posts(lines: Iterable[Line], limits: Limits, place: Callable[[], Place | None]) -> Iterator[Post]:
    """Splits lines into posts within the limits."""
    behind = place()
    gathered: list[Line] = []
    size = 0
    for line in lines:
        length = len(line.content) + 1
        if gathered and (len(gathered) >= limits.lines or size + length > limits.size):
            yield Post(gathered, behind)
            gathered, size = [], 0
        gathered.append(line)
        size += length
        behind = place()
    if gathered:
        yield Post(gathered, place())


# --- what is kept on disk -----------------------------------------------------------------------------------


@dataclass
class State:
    """The progress: the first `bytes` of the input, whose SHA-256 is `sha256`, are answered."""

    url: str
    token: str
    bytes: int = 0
    lines: int = 0
    sha256: str = hashlib.sha256().hexdigest()
    sent: int = 0
    recorded: int = 0
    known: int = 0
    refused: int = 0
    deferred: int = 0
    refused_bytes: int = 0
    deferred_bytes: int = 0
    format: str = FORMAT


class Folder:
    """What is kept while sending: `state.json`, and the lines refused for good and those to be sent again.

    Files are written before the state that counts them. A new run truncates them to it, so what a killed run wrote
    beyond it is dropped. The folder may hold other files: none of them is written or removed.
    """

    NAMES = (
        "refused.jsonl", "deferred.jsonl", "deferred-0.jsonl", "deferred-1.jsonl", "awaited.jsonl", "sorted.jsonl",
        "state.json.new", "state.json", "lock",
    )  # fmt: skip
    """Our files, in the order in which they are removed: what is left by a kill is known by the state."""

    def __init__(self, path: Path, others: Iterable[Path] = ()) -> None:
        """Raises StopError where the folder has files of others, `others` included, under our names."""
        self._path = path
        self._refused = path / "refused.jsonl"
        self._deferred = path / "deferred.jsonl"
        self._awaited = path / "awaited.jsonl"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        ours = {(path / name).resolve() for name in self.NAMES}
        foreign = [each for each in others if each.resolve() in ours] or self._foreign()
        if foreign:
            raise StopError(f"{foreign[0]} is a name that {path} needs for itself. Name another folder by --state.")
        self._lock = (path / "lock").open("wb")
        _lock(self._lock)

    def _foreign(self) -> list[Path]:
        """The files under our names that another program has written."""
        try:
            kept = json.loads((self._path / "state.json").read_bytes())
            if str(kept["format"]).startswith(FORMAT.partition("/")[0]):
                return []
        except (OSError, ValueError, TypeError, KeyError):
            pass
        # A run that was killed before its first state has left empty files, and perhaps a state under its first name.
        named = [self._path / name for name in self.NAMES if name != "state.json.new"]
        return [path for path in named if path.exists() and (path.is_dir() or path.stat().st_size)]

    def load(self, url: str, token: str) -> State:
        """The progress of sending to this service with this token; a new one where there is none."""
        try:
            state = State(**json.loads((self._path / "state.json").read_bytes()))
        except (OSError, ValueError, TypeError):
            return self.begin(url, token)
        if (state.format, state.url, state.token) != (FORMAT, url, token):
            return self.begin(url, token)
        for path, size in ((self._refused, state.refused_bytes), (self._deferred, state.deferred_bytes)):
            if not path.exists() or path.stat().st_size < size:
                return self.begin(url, token)
            os.truncate(path, size)
        return state

    def begin(self, url: str, token: str) -> State:
        """Starts with no progress."""
        for path in (self._refused, self._deferred, self._awaited):
            _private(path).close()
        state = State(url, token)
        self._write(state)
        return state

    def add(self, refused: Iterable[Refusal], deferred: Iterable[Refusal]) -> tuple[int, int]:
        """Appends lines, refused for good and to be sent again; returns how many bytes they take."""
        return _append(self._refused, refused), _append(self._deferred, deferred)

    def keep(self, state: State, refused: Iterable[Refusal], deferred: Iterable[Refusal]) -> None:
        """Stores the result of a post."""
        more = self.add(refused, deferred)
        state.refused_bytes += more[0]
        state.deferred_bytes += more[1]
        self._write(state)

    def deferred(self, again: int) -> Iterator[Line]:
        """The lines to be sent for the `again`th time; from 2 on, those left over from the time before."""
        with self._round(again).open("rb") as file:
            yield from (Refusal.read(text).line for text in file)

    def defer_again(self, again: int, refused: Iterable[Refusal]) -> None:
        """Stores lines for the `again`th time. The state does not count their files, because it is about the input."""
        _append(self._round(again), refused)

    def forget(self, again: int) -> None:
        """Empties the file for the lines of that time."""
        _private(self._round(again)).close()

    def _round(self, again: int) -> Path:
        return self._deferred if again == 1 else self._path / f"deferred-{again % 2}.jsonl"

    def await_line(self, line: Line) -> None:
        """Stores a line that was accepted: once it can be read, so can all that were recorded with it."""
        with self._awaited.open("ab") as file:
            file.write(b"\n" + line.content)

    def awaited(self) -> Iterator[Line]:
        """The lines of `await_line`. One that a kill has cut off is refused, and delays nothing."""
        with self._awaited.open("rb") as file:
            yield from (Line(number, text.strip()) for number, text in enumerate(file, 1) if text.strip())

    def settle(self, state: State, again: int) -> None:
        """Ends the sending: sorts all refused lines by number, those of the `again`th time included."""
        with self._refused.open("ab") as all_refused, self._round(again).open("rb") as left:
            shutil.copyfileobj(left, all_refused)
        places = []
        with self._refused.open("rb") as file:
            at = 0
            for text in file:
                places.append((Refusal.read(text).line.number, at, len(text)))
                at += len(text)
            state.refused = len(places)
            with _private(self._path / "sorted.jsonl") as ordered:
                for _, at, length in sorted(places):
                    file.seek(at)
                    ordered.write(file.read(length))

    def publish(self, to: Path) -> list[Refusal]:
        """Moves the refused lines to the user's file, and ends. Returns the first of them.

        The file of an earlier run is replaced, or removed when nothing is refused.
        """
        with (self._path / "sorted.jsonl").open("rb") as file:
            first = [Refusal.read(text) for text in islice(file, LISTED_REFUSALS)]
        if first:
            shutil.move(self._path / "sorted.jsonl", to)
        else:
            to.unlink(missing_ok=True)
        self.close()
        for name in self.NAMES:
            (self._path / name).unlink(missing_ok=True)
        with suppress(OSError):  # it is the current folder, or holds other files
            self._path.rmdir()
        return first

    def close(self) -> None:
        """Releases the lock, so that another run can go on from here."""
        self._lock.close()

    def _write(self, state: State) -> None:
        written = self._path / "state.json.new"
        with _private(written) as file:
            file.write(json.dumps(asdict(state)).encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(written, self._path / "state.json")


def _private(path: Path) -> BinaryIO:
    """A new file that only its owner can read: facts are about people."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600), "wb")


def _append(path: Path, refusals: Iterable[Refusal]) -> int:
    text = b"".join(refusal.written() for refusal in refusals)
    if text:
        with path.open("ab") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    return len(text)


def _lock(file: BinaryIO) -> None:
    """Takes a lock that is held until the process ends, however it does."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise StopError("The same input is being sent by another run.") from None


# --- the service --------------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """The result of some lines. `capture` is None until what was recorded can be read."""

    recorded: int
    known: int
    refused: list[Refusal]
    capture: dict[str, int] | None = None

    def and_then(self, other: "Answer") -> "Answer":
        """This answer and `other` together."""
        refused = self.refused + other.refused
        return Answer(self.recorded + other.recorded, self.known + other.known, refused, other.capture)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, so that the token is sent only to the service that the user named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Failed(NamedTuple):
    """A post that failed, and may succeed later. `pause` is what the service asked for.

    `cut`: the network failed once there was a connection, so the post may be larger than something on the way takes.
    """

    sentence: str
    pause: float | None = None
    network: bool = False
    cut: bool = False


class Service:
    """The service, called again where that may help, no faster than it allows."""

    def __init__(self, url: str, token: str, *, encoding: str, timeout: float, patience: float, bar: "Bar") -> None:
        self._address = url + ADDRESS
        self._headers = {"Authorization": f"Bearer {token}", "User-Agent": "svc-send-facts/1"}
        self._headers |= {"Content-Type": "application/x-ndjson", "Accept": "application/json"}
        self._coding, self._compress = _codings()[encoding]
        self._timeout = timeout
        self._patience = patience
        self._bar = bar
        handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
        if url.startswith("http:"):  # this machine, to which no proxy leads: it would be given the token in clear text
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)
        self._answered = False
        self._doubted = True

    def send(self, lines: list[Line], *, strict: bool = False, wait: int = 0) -> Answer:
        """Sends the lines. Raises TooLargeError, and StopError when it cannot go on."""
        plain = b"".join(line.content + b"\n" for line in lines)
        headers = {"Prefer": f"wait={wait}"} if wait else {}
        if self._coding:
            headers["Content-Encoding"] = self._coding
        body = self._compress(plain)
        address = self._address + ("?strict=true" if strict else "")
        began, attempt, cut = time.monotonic(), 0, 0
        while True:
            failed = self._ask() if self._doubted and len(body) > SMALL_BYTES else None
            if failed is None:
                status, answered = self._post(address, body, headers)
                if isinstance(answered, _Failed):
                    failed = answered
                else:
                    self._doubted = False
                    return _read(status, answered, lines)
                cut += failed.cut and len(body) > SMALL_BYTES
            self._doubted = failed.network
            if cut >= SPLIT_AFTER and len(lines) > 1:
                raise TooLargeError
            attempt += 1
            self._pause(failed, attempt, began)

    def _ask(self) -> _Failed | None:
        """Posts an empty body to check the token: with a large one the connection might be cut before the answer."""
        _, answered = self._post(self._address, b"", {})
        return answered if isinstance(answered, _Failed) else None

    def _post(self, address: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes | _Failed]:
        request = urllib.request.Request(address, data=body, headers=self._headers | headers, method="POST")  # noqa: S310 - http and https alone (`_url`)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                content = _content(answer, answer.headers)
                self._answered = True
                return answer.status, content
        except urllib.error.HTTPError as error:
            with error:
                try:
                    content = _content(error, error.headers)
                except (OSError, http.client.HTTPException) as cut_off:
                    if error.code == 422:  # it would name the refused lines
                        return error.code, self._network(cut_off)
                    content = b""
            return error.code, self._problem(error, content, bool(body))
        except (OSError, http.client.HTTPException) as error:
            return 0, self._network(error)

    def _problem(self, error: urllib.error.HTTPError, content: bytes, sent: bool) -> bytes | _Failed:
        """The meaning of a status other than 200: try again (returned), stop (raised), or an answer after all."""
        self._answered = True
        request_id = error.headers.get("X-Request-Id")
        sentence = _sentence(error.code, content) + (f" (request {request_id})" if request_id else "")
        if error.code == 413:
            raise TooLargeError
        if error.code == 422 and b'"refused"' in content:
            return content
        if error.code in TRY_AGAIN:
            return _Failed(sentence, _seconds(error.headers.get("Retry-After")))
        if 300 <= error.code < 400:
            raise StopError(f"{sentence} The service is at another address: {_host(error.headers.get('Location'))}")
        if not sent and error.code == 400:
            return b""  # an empty body is refused only after the token is accepted
        raise StopError(sentence)

    def _network(self, error: Exception) -> _Failed:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise StopError(f"The service's certificate does not hold: {reason.verify_message}.")
        if isinstance(reason, socket.gaierror) and not self._answered:
            raise StopError(f"There is no such host: {_host(self._address)}")
        refused = isinstance(reason, ConnectionRefusedError | socket.gaierror)
        return _Failed(f"{type(reason).__name__}: the network failed.", network=True, cut=not refused)

    def _pause(self, failed: _Failed, attempt: int, began: float) -> None:
        longest = min(LONGEST_PAUSE_SECONDS, 0.25 * 2 ** min(attempt, 10))
        seconds = random.uniform(longest / 2, longest)  # noqa: S311 - spreads the repeats of many clients
        if failed.pause is not None:
            seconds = failed.pause + random.uniform(0, 1)  # noqa: S311
        if time.monotonic() + seconds - began > self._patience:
            raise StopError(f"{failed.sentence} Given up after {attempt} attempts; start it again to go on.")
        self._bar.waits(seconds, failed.sentence)
        time.sleep(seconds)


def _codings() -> dict[str, tuple[str, Callable[[bytes], bytes]]]:
    """The available compressions of a body; `auto` is zstd where Python has it, or it is installed."""
    found: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
        "none": ("", lambda plain: plain),
        "gzip": ("gzip", lambda plain: gzip.compress(plain, 1)),
    }
    try:
        from compression.zstd import compress  # type: ignore[import-not-found, unused-ignore]

        found["zstd"] = ("zstd", compress)
    except ImportError:
        try:
            import zstandard

            found["zstd"] = ("zstd", lambda plain: zstandard.ZstdCompressor().compress(plain))
        except ImportError:
            pass
    found["auto"] = found.get("zstd", found["gzip"])
    return found


def _content(answer: Any, headers: Message) -> bytes:
    """The whole content of an answer. Raises IncompleteRead where the connection ended amid it."""
    content: bytes = answer.read(ANSWER_BYTES)
    length = headers.get("Content-Length", "").strip()
    if length.isdecimal() and "Transfer-Encoding" not in headers and len(content) < min(int(length), ANSWER_BYTES):
        raise http.client.IncompleteRead(content, int(length) - len(content))
    return content


def _read(status: int, content: bytes, lines: list[Line]) -> Answer:
    """Parses an answer and checks that it is the service's: it must account for every line."""
    try:
        answer = json.loads(content)
        recorded, known, capture = 0, 0, None
        if status == HTTPStatus.OK:
            recorded, known, capture = int(answer["recorded"]), int(answer["known"]), answer["capture"]
        refused = [
            Refusal(lines[int(each["line"]) - 1], str(each["code"]), str(each["reason"]), each.get("fact_id"))
            for each in answer["refused"]
        ]
    except (ValueError, KeyError, TypeError, IndexError):
        raise StopError(f"What answers at this address with {status} is not the service.") from None
    if status == HTTPStatus.OK and recorded + known + len(refused) != len(lines):
        raise StopError(
            f"{len(lines)} lines were sent, but the service answered for {recorded + known + len(refused)}."
        )
    return Answer(recorded, known, refused, capture)


def _sentence(status: int, content: bytes) -> str:
    try:
        problem = json.loads(content)
        return f"{status} {problem['code']}: {problem['detail']}"
    except (ValueError, KeyError, TypeError):
        return f"{status} {http.client.responses.get(status, '')}".rstrip() + "."


def _seconds(retry_after: str | None) -> float | None:
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        return max((email.utils.parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds(), 0)
    except (ValueError, TypeError):
        return None


def _host(url: str | None) -> str:
    return urllib.parse.urlsplit(url or "").netloc or "unknown"


# --- sending ------------------------------------------------------------------------------------------------


class RefusedError(Exception):
    """Strict: nothing of a post was recorded, because of these lines."""

    def __init__(self, refused: list[Refusal]) -> None:
        super().__init__(f"{len(refused)} lines are refused.")
        self.refused = refused


class Sender:
    """Sends all of an input: once in order, then again the lines that had to wait for others."""

    def __init__(
        self, service: Service, limits: Limits, folder: Folder, state: State, bar: "Bar", *, strict: bool
    ) -> None:
        self._service = service
        self._limits = limits
        self._folder = folder
        self._state = state
        self._bar = bar
        self._strict = strict

    def send(self, given: Input) -> None:
        """Sends the rest of the input. Raises StopError, and RefusedError when `strict`."""
        state = self._state
        for post in posts(given, self._limits, lambda: given.place):
            answer = self._deliver(post.lines)
            if self._strict and answer.refused:
                raise RefusedError(answer.refused)
            deferred = [each for each in answer.refused if each.code in MAY_PASS_LATER]
            refused = [each for each in answer.refused if each.code not in MAY_PASS_LATER]
            state.sent += len(post.lines)
            state.recorded += answer.recorded
            state.known += answer.known
            state.refused += len(refused)
            state.deferred += len(deferred)
            if post.place is not None and post.place.whole:  # a line without its line feed may still grow
                state.bytes, state.lines = post.place.bytes, post.place.lines
                state.sha256 = post.place.digest.hexdigest()
                self._folder.keep(state, refused, deferred)
            else:
                self._folder.add(refused, deferred)
            self._bar.moves(state, given.place.bytes, len(post.lines))
        self._send_again(given.place.bytes)

    def _send_again(self, size: int) -> None:
        """Sends the deferred lines until a round records none of them."""
        state, again, gained = self._state, 1, 1
        while state.deferred and gained:
            self._bar.says(f"Sent again, for they may refer to lines further down: {state.deferred:,} lines.")
            gained = 0
            self._folder.forget(again + 1)
            for post in posts(self._folder.deferred(again), self._limits, lambda: None):
                answer = self._deliver(post.lines)
                gained += answer.recorded + answer.known
                state.recorded += answer.recorded
                state.known += answer.known
                state.deferred -= answer.recorded + answer.known
                self._folder.defer_again(again + 1, answer.refused)
                self._bar.moves(state, size, len(post.lines))
            again += 1
        self._folder.settle(state, again)

    def _deliver(self, lines: list[Line]) -> Answer:
        """The result of a post's lines, including those that cannot be sent."""
        refused = [Refusal(line, *line.fault) for line in lines if line.fault is not None]
        whole = [line for line in lines if line.fault is None]
        if not whole or (refused and self._strict):
            return Answer(0, 0, refused)
        return Answer(0, 0, refused).and_then(self._halved(whole))

    def _halved(self, lines: list[Line]) -> Answer:
        """The result of lines; a post that is too large is sent in halves, which are posts of their own.

        When `strict`, nothing is sent after a half that has a refused line.
        """
        try:
            answer = self._service.send(lines, strict=self._strict)
        except TooLargeError:
            self._limits.narrow(sum(len(line.content) + 1 for line in lines))
            if len(lines) == 1:
                return Answer(
                    0, 0, [Refusal(lines[0], "too_large", "The service takes no post as large as this line.")]
                )
            middle = len(lines) // 2
            first = self._halved(lines[:middle])
            return first if first.refused and self._strict else first.and_then(self._halved(lines[middle:]))
        refused = {each.line.number for each in answer.refused}
        taken = next((line for line in lines if line.number not in refused), None)
        if taken is not None:
            self._folder.await_line(taken)
        return answer

    def wait(self) -> dict[str, int] | None:
        """Waits until what was recorded can be read; None: it could not within the time.

        One line of each post is sent again, and is known. A post is recorded at one moment, and the service waits for
        all that was recorded at the moments of these lines.
        """
        end, capture = time.monotonic() + READABLE_SECONDS, None
        for post in posts(self._folder.awaited(), self._limits, lambda: None):
            left = deque([post.lines])
            while left:
                try:
                    capture = self._service.send(left[0], wait=WAIT_AT_ONCE_SECONDS).capture
                except TooLargeError:
                    left.extendleft(reversed(self._in_halves(left.popleft())))
                    continue
                if capture is not None:
                    left.popleft()
                elif time.monotonic() > end:
                    return None
                else:
                    time.sleep(LOOK_EVERY_SECONDS)
        return capture

    def _in_halves(self, lines: list[Line]) -> list[list[Line]]:
        """The halves of lines that were recorded, and are too many for a post. Raises StopError for a single line."""
        self._limits.narrow(sum(len(line.content) + 1 for line in lines))
        if len(lines) == 1:
            raise StopError(
                "All is recorded, but a line of it is now too large to be sent again, so nothing was waited for."
            )
        return [lines[: len(lines) // 2], lines[len(lines) // 2 :]]


# --- what is displayed ----------------------------------------------------------------------------------------


class Bar:
    """The progress, the speed and the remaining time: a bar on a terminal, otherwise a line now and then."""

    def __init__(self, stream: TextIO, total: int | None) -> None:
        self._stream = stream
        self._total = total
        self._terminal = stream.isatty()
        self._drawn = ""
        self._written_at = time.monotonic()
        self._answered = 0
        self._moments: deque[tuple[float, int]] = deque(maxlen=50)

    def begins(self) -> None:
        """Starts measuring the speed."""
        self._moments.append((time.monotonic(), 0))

    def moves(self, state: State, size: int, lines: int) -> None:
        """Adds answered lines; `size` is how many bytes of the input they take."""
        now = time.monotonic()
        self._answered += lines
        self._moments.append((now, self._answered))
        words = self._words(state, size)
        if self._terminal:
            self._draw(words)
        elif now - self._written_at >= STATUS_EVERY_SECONDS:
            self._written_at = now
            self._write(words)

    def waits(self, seconds: float, sentence: str) -> None:
        """Announces a pause, with the reason."""
        self.says(f"{sentence} Trying again in {max(seconds, 1):.0f} s.")

    def says(self, sentence: str) -> None:
        """Prints a sentence above the bar."""
        drawn = self._drawn
        self._draw("")
        self._write(sentence)
        self._draw(drawn)

    def ends(self) -> None:
        """Restores the terminal."""
        self._draw("")

    def _words(self, state: State, size: int) -> str:
        (begin, before), (now, answered) = self._moments[0], self._moments[-1]
        speed = (answered - before) / max(now - begin, 0.001)
        words = f"{state.sent:,} lines, {speed:,.0f} a second"
        if state.refused:
            words += f", {state.refused:,} refused"
        if state.deferred:
            words += f", {state.deferred:,} to be sent again"
        if not self._total:
            return words
        settled = state.sent - state.deferred
        left = state.deferred + state.sent * max(self._total - size, 0) / max(size, 1)
        if speed:
            words += f", {_clock(left / speed)} left"
        share = settled / max(settled + left, 1)
        filled = round(share * 24)
        return f"[{'#' * filled}{'.' * (24 - filled)}] {share:4.0%}  {words}"

    def _draw(self, words: str) -> None:
        if self._terminal:
            words = words[: shutil.get_terminal_size().columns - 1]
            self._stream.write("\r" + words + " " * (len(self._drawn) - len(words)) + ("\r" if not words else ""))
            self._stream.flush()
            self._drawn = words

    def _write(self, words: str) -> None:
        self._stream.write(words + "\n")
        self._stream.flush()


def _clock(seconds: float) -> str:
    whole = max(int(seconds), 0)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


# --- the command --------------------------------------------------------------------------------------------


def _count(given: Input, limits: Limits, as_json: bool) -> int:
    """Counts what would be sent, and the lines that no service could record."""
    kinds: Counter[str] = Counter()
    faults: list[tuple[int, str]] = []
    number = 0
    for post in posts(given, limits, lambda: None):
        number += 1
        for line in post.lines:
            kind, fault = _kind(line)
            if fault is None:
                kinds[kind] += 1
            else:
                faults.append((line.number, fault))
    if as_json:
        counted = {"facts": dict(kinds), "posts": number, "bytes": given.place.bytes}
        print(json.dumps(counted | {"wrong": [{"line": at, "reason": sentence} for at, sentence in faults]}))
    else:
        for kind, count in kinds.most_common():
            print(f"{count:>12,} {ascii(kind)[1:-1]}")
        print(
            f"{kinds.total():,} lines in {number:,} posts would be sent; {len(faults):,} lines are wrong as they are."
        )
        for at, sentence in faults[:LISTED_REFUSALS]:
            print(f"line {at}: {sentence}")
    return SOME_REFUSED if faults else ALL_RECORDED


def _kind(line: Line) -> tuple[str, str | None]:
    """The kind of fact that a line states, and what is wrong with the line, as far as can be checked here."""
    if line.fault is not None:
        return "", line.fault.reason
    try:
        fact = json.loads(line.content.decode())
    except UnicodeDecodeError:
        return "", "The line is not valid UTF-8."
    except (ValueError, RecursionError):
        return "", "The line is not valid JSON."
    for name in ("fact", "fact_id"):
        if not isinstance(fact, dict) or not isinstance(fact.get(name), str):
            return "", f"The line is no JSON object with {name}."
    return fact["fact"], None


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="send_facts.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", metavar="FILE", help="a facts file, or - for standard input")
    parser.add_argument("--url", help="where the service is, like https://records.example.com")
    parser.add_argument("--token-file", type=Path, metavar="PATH", help="a file that holds the source's token")
    parser.add_argument(
        "--token-env", default=TOKEN_VARIABLE, metavar="NAME",
        help=f"the environment variable that holds it ({TOKEN_VARIABLE})",
    )  # fmt: skip
    parser.add_argument("--wait", action="store_true", help="end when what was recorded can be read")
    parser.add_argument("--strict", action="store_true", help="record posts whole; stop at the first that is refused")
    parser.add_argument("--dry-run", action="store_true", help="count, and send nothing")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--refused", type=Path, metavar="PATH", help="where refused lines go (FILE.refused.jsonl)")
    parser.add_argument("--state", type=Path, metavar="FOLDER", help="where is kept how far it is (FILE.sending)")
    parser.add_argument("--afresh", action="store_true", help="begin at the first line, whatever was sent before")
    parser.add_argument("--lines", type=int, default=POST_LINES, help=f"lines in a post, at most ({POST_LINES})")
    parser.add_argument("--compress", choices=sorted(_codings()), default="auto")
    parser.add_argument(
        "--patience", type=float, default=PATIENCE_SECONDS, metavar="SECONDS",
        help=f"give up when a post gets no answer for so long ({PATIENCE_SECONDS:.0f})",
    )  # fmt: skip
    parser.add_argument("--timeout", type=float, default=TIMEOUT_SECONDS, metavar="SECONDS", help=argparse.SUPPRESS)
    given = sys.argv[1:] if arguments is None else arguments
    if any(TOKEN.search(each) for each in given):
        raise StopError(
            "A token stands on the command line, where others on this machine and histories see it. Revoke it, and give"
            f" the new one in {TOKEN_VARIABLE} or by --token-file."
        )
    chosen = parser.parse_args(given)
    if not chosen.dry_run and not chosen.url:
        parser.error("--url is needed, but for --dry-run")
    if chosen.lines < 1:
        parser.error("--lines is at least 1")
    return chosen


def _url(text: str) -> str:
    """The service's address. Raises StopError for one to which a token must not be sent."""
    try:
        parts = urllib.parse.urlsplit(text)
        whole = parts.scheme in ("http", "https") and (parts.hostname or "").encode("idna") and parts.port != 0
    except ValueError:  # of the port, of brackets, or of a name with an empty part
        whole = False
    if not whole or parts.query or parts.fragment or re.fullmatch("[!-~]+", text) is None:
        raise StopError("--url is an address like https://records.example.com")
    if parts.username is not None or parts.password is not None:
        raise StopError("--url holds no user and no password: the token has its own place.")
    if parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise StopError("The token would travel where others can read it: --url begins with https://")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix(ADDRESS)}"


def _token(chosen: argparse.Namespace) -> str:
    if chosen.token_file is not None:
        try:
            token = chosen.token_file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise StopError(
                f"{chosen.token_file} cannot be read: {getattr(error, 'strerror', None) or error}."
            ) from None
        where = str(chosen.token_file)
    else:
        token, where = os.environ.get(chosen.token_env, "").strip(), f"The environment variable {chosen.token_env}"
    if not TOKEN.fullmatch(token):
        raise StopError(f"{where} holds no token (svc_in_live_...).")
    return str(token)


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit status."""
    try:
        chosen = _options(arguments)
        with ExitStack() as stack:
            stream, total = _opened(chosen.file, stack)
            if chosen.dry_run:
                return _count(Input(stream), Limits(chosen.lines, POST_BYTES), chosen.json)
            return _send(chosen, stream, total, stack)
    except StopError as error:
        print(f"send_facts.py: {error}", file=sys.stderr)
        return error.status
    except OSError as error:  # a full disk, a folder that cannot be written
        print(f"send_facts.py: {error}", file=sys.stderr)
        return CANNOT_GO_ON
    except KeyboardInterrupt:
        print("\nsend_facts.py: interrupted. Start it again: nothing is lost and nothing doubled.", file=sys.stderr)
        return INTERRUPTED


def _opened(name: str, stack: ExitStack) -> tuple[BinaryIO, int | None]:
    """The input, and its size where it is a file."""
    if name == "-":
        return sys.stdin.buffer, None
    try:
        stream = stack.enter_context(Path(name).open("rb"))  # noqa: SIM115
    except OSError as error:
        raise StopError(f"{name} cannot be read: {error.strerror or error}.") from None
    return stream, os.fstat(stream.fileno()).st_size if stream.seekable() else None


def _send(chosen: argparse.Namespace, stream: BinaryIO, total: int | None, stack: ExitStack) -> int:
    url, token = _url(chosen.url), _token(chosen)
    name = "facts" if chosen.file == "-" else chosen.file
    refused_path = chosen.refused or Path(f"{name}.refused.jsonl")
    if chosen.file != "-" and refused_path.resolve() == Path(chosen.file).resolve():
        raise StopError("--refused names the facts file, which would be lost. Name another file.")
    _check_place(refused_path)
    bar = Bar(sys.stderr, total)
    stack.callback(bar.ends)
    folder = _folder(chosen, total, refused_path, stack)
    fingerprint = hashlib.sha256(token.encode()).hexdigest()[:16]
    given, state = _resumed(folder, stream, url, fingerprint, chosen.afresh, bar)
    service = Service(url, token, encoding=chosen.compress, timeout=chosen.timeout, patience=chosen.patience, bar=bar)
    sender = Sender(service, Limits(chosen.lines, POST_BYTES), folder, state, bar, strict=chosen.strict)
    began = time.monotonic()
    bar.begins()
    try:
        sender.send(given)
    except RefusedError as error:
        with _private(refused_path) as file:
            file.writelines(refusal.written() for refusal in error.refused)
        bar.ends()
        _tell_refused(error.refused[:LISTED_REFUSALS], len(error.refused), refused_path)
        raise StopError(
            f"Nothing of the post with line {error.refused[0].line.number} was recorded; the posts before it were.",
            SOME_REFUSED,
        ) from None
    if not state.sent:
        raise StopError("The input is empty.")
    capture = sender.wait() if chosen.wait else None
    bar.ends()
    first = folder.publish(refused_path)
    _summarize(state, time.monotonic() - began, first, refused_path, capture, chosen)
    if chosen.wait and capture is None and state.recorded + state.known:
        raise StopError(f"All is recorded, but it could not be read yet after {READABLE_SECONDS:.0f} s.")
    return SOME_REFUSED if state.refused else ALL_RECORDED


def _check_place(refused_path: Path) -> None:
    """Raises StopError where no file of refused lines could be put in the end: it is too late then."""
    if refused_path.exists() and not refused_path.is_file():
        raise StopError(f"{refused_path} is no file, so refused lines cannot be kept there. Name one by --refused.")
    try:
        tempfile.TemporaryFile(dir=refused_path.parent).close()
    except OSError as error:
        raise StopError(f"{refused_path} cannot be written: {error.strerror}. Name another by --refused.") from None


def _folder(chosen: argparse.Namespace, total: int | None, refused_path: Path, stack: ExitStack) -> Folder:
    """The folder for the progress; for a pipe a temporary one, unless a folder is named."""
    others = [refused_path] if chosen.file == "-" else [Path(chosen.file), refused_path]
    path: Path = chosen.state or Path(f"{chosen.file}.sending")
    if total is None and chosen.state is None:
        path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="send_facts-", ignore_cleanup_errors=True)))
        path = path / "sending"
    try:
        folder = Folder(path, others)
    except OSError as error:
        raise StopError(f"{path} cannot be written: {error.strerror or error}. Name a folder by --state.") from None
    stack.callback(folder.close)
    return folder


def _resumed(folder: Folder, stream: BinaryIO, url: str, token: str, afresh: bool, bar: Bar) -> tuple[Input, State]:
    """The rest of the input after what an earlier run has sent, and the progress of that run."""
    given = Input(stream)
    state = folder.begin(url, token) if afresh else folder.load(url, token)
    if not state.bytes:
        return given, state
    if given.skip(state):
        bar.says(f"Going on behind line {state.lines:,}: the lines before were answered for in an earlier run.")
        return given, state
    if not stream.seekable():
        raise StopError("The pipe does not bring what an earlier run was sending. Start it again with --afresh.")
    bar.says("The file is not the one that an earlier run was sending: beginning at its first line.")
    stream.seek(0)
    return Input(stream), folder.begin(url, token)


def _summarize(
    state: State,
    seconds: float,
    first: list[Refusal],
    refused_path: Path,
    capture: dict[str, int] | None,
    chosen: argparse.Namespace,
) -> None:
    if chosen.json:
        summary: dict[str, Any] = {"lines": state.sent, "recorded": state.recorded, "known": state.known}
        summary |= {"refused": state.refused, "refused_file": str(refused_path) if state.refused else None}
        print(json.dumps(summary | {"capture": capture, "seconds": round(seconds, 3)}))
    else:
        print(f"{state.sent:,} lines in {_clock(seconds)}: {state.recorded:,} recorded, {state.known:,} known already.")
        if capture is not None:
            print(f"Readable from sequence {capture['sequence']} on.")
    if state.refused:
        _tell_refused(first, state.refused, refused_path)


def _tell_refused(first: list[Refusal], count: int, path: Path) -> None:
    print(f"{count:,} refused, kept in {path}:", file=sys.stderr)
    for refusal in first:
        print(f"line {refusal.line.number}: {refusal.code}: {refusal.reason}", file=sys.stderr)
    if count > len(first):
        print(f"... and {count - len(first):,} more.", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
