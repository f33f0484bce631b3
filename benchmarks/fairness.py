"""`python -m benchmarks.fairness var/demo.json`: what unkind clients cost everybody else.

Run it against a demo that was started with RATE_LIMIT_KEY_PER_MINUTE and RATE_LIMIT_COMPANY_PER_MINUTE of 1000000, on a
quiet machine. Each row is measured twice, without and with the unkind clients: 32 slow senders on every form against
a reader of /v1/snapshot, and 16 slow readers of one company against a reader of another's records. Exit 1 beyond a
bound.
"""

import argparse
import contextlib
import json
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

FORMS = ("/console/sign-in/", "/sign/x", "/check/x", "/docs", "/console/")
SENDERS, READERS = 32, 16
PAUSE_SECONDS = 0.02


def main() -> int:
    """Measures both rows and prints them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fairness", description=__doc__)
    parser.add_argument("demo", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    told = json.loads(options.demo.read_text())
    address = told["base_url"]
    unkind, kind = (organization["keys"] for organization in told["organizations"][:2])
    snapshot = _reader(address, "/v1/snapshot", kind["all"])
    records = _reader(address, "/v1/training-records?limit=50", kind["all"])
    sys.stdout.write("| what | without, ms (p50, p99) | with | |\n| --- | --- | --- | --- |\n")

    alone = _timed(snapshot, options.seconds)
    with _many(SENDERS, lambda number, ended: _send_slowly(address, FORMS[number % len(FORMS)], ended)):
        beside = _timed(snapshot, options.seconds)
    held = beside[1] - alone[1] < 100
    _row(f"/v1/snapshot beside {SENDERS} slow senders", alone, beside, "less than 100 ms more at p99", held)

    alone = _timed(records, options.seconds)
    keys = (unkind["all"], unkind["training"])
    with _many(READERS, lambda number, ended: _read_slowly(address, keys[number % 2], ended)):
        beside = _timed(records, options.seconds)
    fair = beside[0] <= 2 * alone[0]
    _row(f"a page beside {READERS} slow readers of another company", alone, beside, "at most twice at p50", fair)
    return 0 if held and fair else 1


def _row(what: str, alone: tuple[float, float], beside: tuple[float, float], bound: str, holds: bool) -> None:
    figures = [f"{half:.1f}, {most:.1f}" for half, most in (alone, beside)]
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


def _timed(read: Callable[[], None], seconds: float) -> tuple[float, float]:
    """Median and 99th percentile in milliseconds."""
    read()
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        begun = time.perf_counter()
        read()
        times.append((time.perf_counter() - begun) * 1000)
        time.sleep(PAUSE_SECONDS)
    return statistics.median(times), statistics.quantiles(times, n=100)[98]


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
    """A form whose body comes a byte a second, until the server gives it up."""
    host = urlsplit(address).netloc
    with _connected(address) as connection:
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 60000\r\n\r\n".encode())
        while not ended.wait(1):
            connection.sendall(b"a")


def _read_slowly(address: str, key: str, ended: threading.Event) -> None:
    """A whole page, taken 2 KiB at a time."""
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
