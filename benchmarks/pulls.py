"""The rows of whole pulls: training records of a large company, compressed, by one client and by eight, against DRF's.

Processor time is that of the web worker and of PostgreSQL's sessions, without the clients. Of DRF, only as many pages
are read, uncompressed and from the beginning, as the rate needs: all of them would take a quarter of an hour.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import orjson
import zstandard

from benchmarks.building import Company
from benchmarks.measuring import processor_seconds
from benchmarks.reads import PAGE, Client, Result, at_least, position

CLIENTS = 8
PEER_PAGES = 200
PAGES_OF_EACH = 500
"""How many pages each of several clients reads."""


class Pulled(NamedTuple):
    """The result of a pull; `processor` and `seconds` are seconds of the processor and of the clock."""

    rows: int
    processor: float
    seconds: float


def rows(address: str, big: Company) -> Iterator[Result]:
    """Measures rows per second of processor, for one client and for eight."""
    pages = -(-big.records // PAGE)
    for clients in (1, CLIENTS):
        ours = _measured(clients, partial(pull, address, big, pages if clients == 1 else min(pages, PAGES_OF_EACH)))
        theirs = _measured(clients, partial(_pull_peer, address, big, min(pages, PEER_PAGES) // clients))
        result = at_least(
            f"whole pull in zstd, {clients} client{'s'[: clients > 1]}, rows a second of processor, against DRF",
            (ours.rows / ours.processor) / (theirs.rows / theirs.processor),
            5,
            "",
            {},
        )
        yield result._replace(note=f"{_words(ours)}; DRF: {_words(theirs)}")


def _words(pulled: Pulled) -> str:
    return (
        f"{pulled.rows:,} rows, {pulled.rows / pulled.processor:,.0f} a second of processor,"
        f" {pulled.rows / pulled.seconds:,.0f} of the clock"
    )


def _measured(clients: int, pull: Callable[[], int]) -> Pulled:
    began, used = time.perf_counter(), processor_seconds()
    with ThreadPoolExecutor(clients) as threads:
        found = sum(each.result() for each in [threads.submit(pull) for _ in range(clients)])
    return Pulled(found, processor_seconds() - used, time.perf_counter() - began)


def pull(address: str, company: Company, pages: int) -> int:
    """Reads page by page, as a client that only keeps the bytes; returns the number of rows."""
    client, cursor, held = Client(address), "", 0
    for _ in range(pages):
        sent = client.ours(company, coding="zstd", **({"cursor": cursor} if cursor else {}))
        page = zstandard.decompress(sent)
        held += page.count(b'"record_id":')
        following = orjson.loads(b"{" + page[page.rindex(b'"next_cursor"') :])["next_cursor"]
        if following is None:
            break
        cursor = following
    return held


def _pull_peer(address: str, company: Company, pages: int) -> int:
    client, held = Client(address), 0
    for number in range(max(pages, 1)):
        page = client.get(company, "/peer/now", cursor=position(number * PAGE))
        held += page.count(b'"record_id":')
    return held
