"""The rows of what unkind clients cost everybody else; `python -m benchmarks.fairness var/demo.json` beside a demo.

`make bench` measures them with a web server of its own. To measure beside a demo, start the demo with
RATE_LIMIT_KEY_PER_MINUTE and RATE_LIMIT_COMPANY_PER_MINUTE set to 1000000, on a quiet machine. Each row is measured
without and with the unkind clients: 32 slow senders on every form against a reader of /v1/snapshot, and 16 slow readers
of one company against a reader of another's records. The exit status is 1 if a bound is broken.
"""

import argparse
import contextlib
import json
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import httpx

if TYPE_CHECKING:
    from benchmarks.reads import Result

FORMS = ("/console/sign-in/", "/sign/x", "/check/x", "/docs", "/console/")
SENDERS, READERS = 32, 16
PAUSE_SECONDS = 0.02
FEWEST = 30
"""The least number of calls, however long each takes on a machine that does other work."""
MOST_MORE, MOST_TIMES = 100.0, 2.0
"""Milliseconds that the senders may add at the 99th percentile; the factor by which readers may extend the median."""


class Took(NamedTuple):
    """The median and the 99th percentile of the calls, in milliseconds."""

    p50: float
    p99: float


class Cost(NamedTuple):
    """The times of calls without the unkind clients and beside them."""

    alone: Took
    beside: Took

    @property
    def more(self) -> float:
        """How many milliseconds the 99th percentile is longer."""
        return max(0.0, self.beside.p99 - self.alone.p99)

    @property
    def times(self) -> float:
        """How many times as long the median is."""
        return self.beside.p50 / self.alone.p50


def main() -> int:
    """Measures both rows beside a demo and prints them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fairness", description=__doc__)
    parser.add_argument("demo", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    demo = json.loads(options.demo.read_text())
    unkind, kind = (organization["keys"] for organization in demo["organizations"][:2])
    unkind_keys = (unkind["all"], unkind["training"])
    senders, readers = measure(demo["base_url"], kind["all"], unkind_keys, options.seconds)
    sys.stdout.write("| what | without, ms (p50, p99) | with | |\n| --- | --- | --- | --- |\n")
    held, fair = senders.more < MOST_MORE, readers.times <= MOST_TIMES
    _print(f"/v1/snapshot beside {SENDERS} slow senders", senders, "less than 100 ms more at p99", held)
    _print(f"a page beside {READERS} slow readers of another company", readers, "at most twice at p50", fair)
    return 0 if held and fair else 1


def measure(address: str, kind: str, unkind: Sequence[str], seconds: float) -> tuple[Cost, Cost]:
    """What the slow senders and the slow readers cost the reader with the key `kind`.

    Each of the four measurements takes `seconds`. `unkind` are keys of another company; the slow readers share them.
    """
    snapshot = _reader(address, "/v1/snapshot", kind)
    records = _reader(address, "/v1/training-records?limit=50", kind)
    alone, alone_reading = _timed(snapshot, seconds), _timed(records, seconds)  # before the first unkind client
    with _many(SENDERS, lambda number, ended: _send_slowly(address, FORMS[number % len(FORMS)], ended)):
        senders = Cost(alone, _timed(snapshot, seconds))
    with _many(READERS, lambda number, ended: _read_slowly(address, unkind[number % len(unkind)], ended)):
        readers = Cost(alone_reading, _timed(records, seconds))
    return senders, readers


def rows(address: str, kind: str, unkind: str, seconds: float) -> "Iterator[Result]":
    """Both rows of the table, by the keys of two companies of the web server at `address`."""
    from benchmarks.reads import at_most

    senders, readers = measure(address, kind, (unkind,), seconds)
    more = at_most(f"beside {SENDERS} slow senders, /v1/snapshot, ms more at p99", senders.more, MOST_MORE, "", {})
    yield more._replace(note=_words(senders))
    name = f"beside {READERS} slow readers of another company, a page, times as long at p50"
    yield at_most(name, readers.times, MOST_TIMES, "1", {})._replace(note=_words(readers))


def _words(cost: Cost) -> str:
    alone, beside = (f"{each.p50:.1f} and {each.p99:.1f} ms" for each in cost)
    return f"p50 and p99 without: {alone}, with: {beside}"


def _print(what: str, cost: Cost, bound: str, holds: bool) -> None:
    figures = [f"{each.p50:.1f}, {each.p99:.1f}" for each in cost]
    sys.stdout.write(
        f"| {what} | {figures[0]} | {figures[1]} | {bound}: {'holds' if holds else '**does not hold**'} |\n"
    )


def _reader(address: str, target: str, key: str) -> Callable[[], None]:
    client = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {key}"}, timeout=30)

    def read() -> None:
        answer = client.get(target)
        if answer.status_code != 200:
            raise SystemExit(f"{target} answered {answer.status_code}: raise the rate limits of the demo.")

    return read


def _timed(read: Callable[[], None], seconds: float) -> Took:
    for _ in range(FEWEST):  # so that each of the threads that answer has prepared its statements
        read()
    times: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times) < FEWEST:
        begun = time.perf_counter()
        read()
        times.append((time.perf_counter() - begun) * 1000)
        time.sleep(PAUSE_SECONDS)
    return Took(statistics.median(times), statistics.quantiles(times, n=100)[98])


@contextlib.contextmanager
def _many(number: int, work: Callable[[int, threading.Event], Any]) -> Iterator[None]:
    """Runs `work` in `number` threads, again and again until the block ends."""
    ended = threading.Event()

    def go_on(which: int) -> None:
        while not ended.is_set():
            with contextlib.suppress(OSError):
                work(which, ended)

    threads = [threading.Thread(target=go_on, args=(which,)) for which in range(number)]
    for thread in threads:
        thread.start()
    try:
        time.sleep(1)
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _connected(address: str) -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname or "", parts.port or 80), timeout=15)


def _send_slowly(address: str, path: str, ended: threading.Event) -> None:
    """Sends a form's body at one byte per second, until the server closes the connection."""
    host = urlsplit(address).netloc
    with _connected(address) as connection:
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 60000\r\n\r\n".encode())
        while not ended.wait(1):
            connection.sendall(b"a")


def _read_slowly(address: str, key: str, ended: threading.Event) -> None:
    """Reads a whole page, 2 KiB at a time."""
    host = urlsplit(address).netloc
    with _connected(address) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(
            f"GET /v1/training-records HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
            "Connection: close\r\n\r\n".encode()
        )
        while connection.recv(2048) and not ended.wait(0.1):
            pass


if __name__ == "__main__":
    sys.exit(main())
