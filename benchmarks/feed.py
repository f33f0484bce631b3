"""The rows of the feed: versions a second of processor, depth, and a day on which one row in a hundred changed."""

import time
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from io import BytesIO
from typing import Any

import orjson
from django.conf import settings

from benchmarks import measuring
from benchmarks.building import Company, large
from benchmarks.reads import Client, Result, at_least, at_most
from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Window
from compliance.facts.importing import import_facts
from compliance.history import actions as history
from compliance.interfaces.api import cursors as sealing

FEED = "/feed/v1/changes"
PAGES = 80
PAGE = "1000"
"""The most versions of a page, which whoever reads a long history asks for."""
COMPLETED = 0.006
"""The share of all rows that are completed: with the certificates they earn, one row in a hundred changes."""


def rows(address: str, big: Company, rounds: int = 93) -> Iterator[Result]:
    """How fast one web worker sends the versions of a large company, in processor time of web and PostgreSQL.

    Whole histories are read in the largest pages; depth is compared on pages of 200.
    """
    client = Client(address)
    _read(client, big, PAGES)
    began, used = time.perf_counter(), measuring.processor_seconds()
    held, _ = _read(client, big, PAGES)
    used, elapsed = measuring.processor_seconds() - used, time.perf_counter() - began
    yield at_least(
        "feed, versions a second of processor (web and PostgreSQL)",
        held / used,
        50_000,
        "",
        {"page": elapsed / PAGES, "processor a page": used / PAGES},
    )
    first = str(client.opened(big, FEED)["next_cursor"])
    deep = _deep(client, big)
    taken = measuring.interleaved(
        {"deep": partial(client.get, big, FEED, cursor=deep), "first": partial(client.get, big, FEED, cursor=first)},
        rounds,
    )
    yield at_most(
        "feed, a page at the end of the history / at its beginning", taken["deep"] / taken["first"], 1.2, "1.0", taken
    )


def day_rows(address: str, people: int, now: datetime) -> Iterator[Result]:
    """What the feed of a day costs on which one row in a hundred changed, against a pull of all registers after it."""
    client = Client(address)
    company = large(people, now)
    _, cursor = _read(client, company)
    records = [row for row in _pull(client, company, now)[0] if row.get("outcome") in ("not_due_yet", "overdue")]
    total = _pull(client, company, now)[1]
    wanted = int(total * COMPLETED)
    _complete(company, records[:: max(1, len(records) // wanted)][:wanted], now)
    sizes: dict[str, int] = {}

    def pull() -> None:
        sizes["pull"] = _pull(client, company, now)[2]

    def follow() -> None:
        sizes["day"] = _size(client, company, cursor, changed)

    changed: set[tuple[str, str]] = set()
    taken = measuring.interleaved({"pull": pull, "day": follow}, 5, warm=1)
    note = f"{len(changed):,} of {total:,} rows changed; {sizes['day']:,} and {sizes['pull']:,} bytes"
    share = {"day": taken["day"], "pull": taken["pull"]}
    bytes_row = at_most("a day with 1 % changed / a pull: bytes, %", 100 * sizes["day"] / sizes["pull"], 2, "1", {})
    yield bytes_row._replace(note=note)
    yield at_most("a day with 1 % changed / a pull: time, %", 100 * taken["day"] / taken["pull"], 2, "1", share)


def _read(client: Client, company: Company, pages: int = 1 << 30, cursor: str = "") -> tuple[int, str]:
    """Reads `pages` pages, as a consumer that only keeps the bytes; returns the number of versions and the last cursor."""
    held = 0
    for _ in range(pages):
        body = client.get(company, FEED, limit=PAGE, **({"cursor": cursor} if cursor else {}))
        tail = orjson.loads(b"{" + body[body.rindex(b'"next_cursor"') :])
        cursor, held = tail["next_cursor"], held + body.count(b'{"register":"')
        if tail["at_end"]:
            break
    return held, cursor


def _size(client: Client, company: Company, cursor: str, changed: set[tuple[str, str]]) -> int:
    """Reads all that follows a cursor and adds the changed records to `changed`; returns the number of bytes."""
    size = 0
    while True:
        body = client.get(company, FEED, limit=PAGE, cursor=cursor)
        size += len(body)
        page = orjson.loads(body)
        changed.update((each["register"], each["id"]) for each in page["data"])
        cursor = page["next_cursor"]
        if page["at_end"]:
            return size


def _deep(client: Client, company: Company) -> str:
    """A cursor shortly before the end, as if the earlier pages had been read; all built rows have the same digest."""
    page = client.opened(company, FEED)
    sequence = page["snapshot"]["sequence"] - 300
    deployment, organization = page["snapshot"]["deployment_id"], page["snapshot"]["organization_id"]
    content = orjson.dumps([sequence, "00" * 12, sorted(REGISTERS), False])
    bound = f"svc.feed.cursor/1\n{deployment}\n{organization}".encode()
    return sealing.sealed(content, bound, tuple(settings.CURSOR_KEYS))


def _pull(client: Client, company: Company, now: datetime) -> tuple[list[Any], int, int]:
    """Pulls every register of /v1 page by page; returns the training records, and the numbers of all rows and bytes."""
    records: list[Any] = []
    total = size = 0
    at = now.isoformat().replace("+00:00", "Z")
    since = (now - timedelta(days=399)).isoformat().replace("+00:00", "Z")
    for register in REGISTERS.values():
        asked = {} if register.window.end is None else {register.window.end: at}
        if register.window is Window.PERIOD:
            asked["from"] = since
        while True:
            body = client.get(company, f"/v1/{register.name}", **asked)
            page = orjson.loads(body)
            size += len(body)
            total += len(page["data"])
            if register.by_course:
                records += page["data"]
            if page["next_cursor"] is None:
                break
            asked = {"cursor": page["next_cursor"]}
    return records, total, size


def _complete(company: Company, records: list[Any], now: datetime) -> None:
    """Records the completion of these records by those who owe them."""
    at = (now - timedelta(hours=2)).isoformat()
    lines = b"".join(
        orjson.dumps(
            {
                "fact": "course_completed", "fact_id": str(uuid.uuid4()), "at": at, "assessed": True,
                "completion_receipt_id": str(uuid.uuid4()), "learner_profile_id": record["learner_profile_id"],
                "course_release_id": record["course_release_id"],
            }
        )
        + b"\n"
        for record in records
    )  # fmt: skip
    report = import_facts(organization_id=company.organization_id, stream=BytesIO(lines), now=now, strict=False)
    assert not report.errors, report.errors
    history.capture_all(company.organization_id, now)
