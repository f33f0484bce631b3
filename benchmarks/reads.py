"""The read rows of the table: pages of 200 training records, against COPY, DRF and the two history packages."""

import itertools
import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from http.client import HTTPConnection
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import connections

from benchmarks import measuring
from benchmarks.building import Company
from compliance.interfaces.api import cursors
from compliance.registers import pages, questions, training
from compliance.registers.questions import Position, Question
from compliance.tenancy.queries import deployment_id, organization

PAGE = 200
IN_A_ROW = 5
"""How many pages of one side are read before the other's turn, as in a pull; of slow pages, fewer."""
WARM = 80
"""Pages before the first that counts: by then, each thread of the web worker that answers has prepared its statements."""


class Result(NamedTuple):
    """One row of the table: `measured` is a ratio, or what the name states; `bound` must hold, `aim` should.

    `machine_ms`: how fast the machine was right after the measurement (`results.machine_milliseconds`).
    """

    name: str
    measured: float
    bound: str
    holds: bool
    aim: str = ""
    note: str = ""
    machine_ms: float = 0.0


class Client:
    """A client that keeps its connection and costs little, for the product and its peers alike."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._connection = HTTPConnection(str(parts.hostname), parts.port, timeout=120)

    def get(self, company: Company, path: str, *, coding: str = "identity", **parameters: str) -> bytes:
        """The body of an answer as it was sent, in `coding`; the answer must be 200."""
        target = f"{path}?{urlencode(parameters)}" if parameters else path
        headers = {"Authorization": f"Bearer {company.key}", "Accept-Encoding": coding}
        self._connection.request("GET", target, headers=headers)
        answer = self._connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body[:300]
        assert answer.headers.get("Content-Encoding", "identity") == coding
        return body

    def ours(self, company: Company, *, coding: str = "identity", **parameters: str) -> bytes:
        """A page of the product."""
        return self.get(company, "/v1/training-records", coding=coding, **parameters)

    def page(self, company: Company, **parameters: str) -> dict[str, Any]:
        """A page of the product, parsed."""
        return self.opened(company, "/v1/training-records", **parameters)

    def opened(self, company: Company, path: str, **parameters: str) -> dict[str, Any]:
        """A JSON answer, parsed."""
        opened: dict[str, Any] = json.loads(self.get(company, path, **parameters))
        return opened


def copy_of_page(company: Company, at: datetime, learners: set[str]) -> Callable[[], object]:
    """COPY of the two statements of a page, on a connection of its own as the application's role."""
    values = connections["default"].settings_dict
    connection = psycopg.connect(
        host=values["HOST"],
        port=values["PORT"],
        user=values["USER"],
        password=values["PASSWORD"],
        dbname=values["NAME"],
    )
    connection.execute("SELECT set_config('app.organization', %s, false)", [str(company.organization_id)])
    connection.commit()
    people = {"organization": company.organization_id, "learners": [UUID(learner) for learner in learners]}
    writer = psycopg.ClientCursor(connection)
    texts = [writer.mogrify(*each) for each in (page_statement(company, at), (training._PEOPLE, people))]

    def copy() -> int:
        size = 0
        for text in texts:
            with connection.cursor() as cursor, cursor.copy(f"COPY ({text}) TO STDOUT".encode()) as rows:
                for block in rows:
                    size += len(block)
        connection.rollback()
        return size

    return copy


def page_statement(company: Company, at: datetime) -> tuple[str, dict[str, object]]:
    """The statement that a page of the training register runs, as the product writes it, with its parameters."""
    question = question_of(company, at)
    listing = training.RECORDS
    values = pages.parameters(listing, question) | {
        "limit": 200,
        "candidates": pages.CANDIDATES,
        "birth": 0,
        "published": 0,
    }
    return pages._page_by_number(listing, question), values


def question_of(company: Company, at: datetime) -> Question:
    """The question that the register is asked about a built company."""
    found = organization(company.organization_id)
    return Question(
        questions.Company(
            found.organization_id,
            deployment_id(),
            found.learning_space_id,
            found.time_zone,
            found.history_complete_from,
        ),
        questions.Pin(company.records * company.versions, 2, "0" * 64, at, 1),
        at,
        personal=True,
    )


def rows(address: str, built: dict[str, Company], now: datetime, rounds: int, warm: int = WARM) -> Iterator[Result]:
    """Measures every read row of the table."""
    big = built["big"]
    client = Client(address)
    in_a_row = min(IN_A_ROW, rounds)
    first = client.page(big)
    total, second = int(first["total"]), str(first["next_cursor"])
    _same_rows(client, big, first["data"], now)
    taken = measuring.interleaved(
        {
            "page": partial(client.ours, big, cursor=second),
            "copy": copy_of_page(big, now, {row["learner_profile_id"] for row in first["data"]}),
            "drf": partial(client.get, big, "/peer/now", cursor=position(PAGE)),
        },
        rounds,
        warm=-(-warm // in_a_row),
        in_a_row=in_a_row,
    )
    yield at_most("page of 200 / COPY of the same query", taken["page"] / taken["copy"], 4.5, "3", taken)
    yield at_least(
        "page of 200, against DRF serializers and cursor pagination", taken["drf"] / taken["page"], 8, "15", taken
    )

    past = now - timedelta(days=200)
    as_at = past.isoformat().replace("+00:00", "Z")
    our_second = str(client.page(big, as_at=as_at)["next_cursor"])
    half = big.records // 2
    middle = _deep(big, our_second)
    for place, cursor, behind in (("first", our_second, PAGE), ("in the middle", middle, half)):
        things = {"ours": partial(client.ours, big, cursor=cursor)} | {
            name: partial(client.get, big, f"/peer/{name}", as_at=as_at, cursor=position(behind))
            for name in ("simple-history", "pghistory")
        }
        turns = max(min(rounds, 5), rounds // 3)
        taken = measuring.interleaved(things, turns, warm=2, in_a_row=in_a_row if place == "first" else 3)
        ratio = taken["simple-history"] / taken["ours"]
        name = f"as-at page, {place}, against simple-history (cursors, no total)"
        yield at_least(name, ratio, 8 if place == "first" else 30, "", taken)

    # In the middle, each of the peer's paginators has a bound of its own (docs/adr/0130-a-bound-for-each-way-of-paging.md).
    counted = partial(client.get, big, "/peer/simple-history/counted", as_at=as_at, cursor=position(half))
    by_offset = partial(client.get, big, "/peer/simple-history/total", as_at=as_at, offset=str(half))
    taken = measuring.interleaved(
        {"ours": partial(client.ours, big, cursor=middle), "by offset": by_offset, "by cursor": counted},
        max(2, rounds // 6),
        warm=1,
        in_a_row=3,
    )
    name = "as-at page, in the middle, against simple-history with the exact total"
    yield at_least(f"{name} (limit and offset)", taken["by offset"] / taken["ours"], 150, "", taken)
    yield _without_bound(f"{name} (cursors, counted)", taken["by cursor"] / taken["ours"], taken)

    last = _deep(big, second, share=(big.records - 300) / big.records)
    versions, three, tenth = built["200 versions"], built["3 versions"], built["tenth"]
    cursors_of = {each.name: str(client.page(each)["next_cursor"]) for each in (versions, three, tenth)}
    taken = measuring.interleaved(
        {
            "second": partial(client.ours, big, cursor=second),
            "last": partial(client.ours, big, cursor=last),
            "200 versions": partial(client.ours, versions, cursor=cursors_of[versions.name]),
            "3 versions": partial(client.ours, three, cursor=cursors_of[three.name]),
            "a tenth of the rows": partial(client.ours, tenth, cursor=cursors_of[tenth.name]),
        },
        rounds * 3,
        warm=warm,
    )
    yield at_most("last page / second page", taken["last"] / taken["second"], 1.1, "1.0", taken)
    yield at_most("200 versions a record / 3", taken["200 versions"] / taken["3 versions"], 2.4, "1.0", taken)
    yield at_most("10x the rows", taken["second"] / taken["a tenth of the rows"], 1.1, "1.0", taken)

    taken = measuring.interleaved(
        {"with total": partial(client.ours, big), "without": partial(client.ours, big, cursor=second)}, rounds, warm=3
    )
    microseconds = max(0.0, taken["with total"] - taken["without"]) * 1e6 / total
    yield at_most("exact total, µs a record", microseconds, 2, "count kept", taken)


def _same_rows(client: Client, big: Company, ours: list[dict[str, Any]], now: datetime) -> None:
    """Asserts that the peers answer with the same number of rows, the same fields and the same records."""
    moment = now.astimezone(UTC).isoformat().replace("+00:00", "Z")
    for name in ("now", "simple-history", "pghistory"):
        theirs = json.loads(client.get(big, f"/peer/{name}", as_at=moment))["results"]
        assert [set(each) for each in theirs] == [set(each) for each in ours], name
        assert [UUID(each["record_id"]) for each in theirs] == [UUID(each["record_id"]) for each in ours], name


def position(behind: int) -> str:
    """A DRF cursor that begins after a row."""
    return b64encode(urlencode({"p": str(behind)}).encode()).decode()


def _deep(company: Company, cursor: str, share: float = 0.5) -> str:
    """A cursor deep in the pull: the product's own, moved as if the earlier pages had been read."""
    seal = partial(
        cursors.seal,
        endpoint="/v1/training-records",
        organization_id=company.organization_id,
        secrets=tuple(settings.CURSOR_KEYS),
    )
    opened = cursors.unseal(cursor, **seal.keywords)
    record_number = int(company.records * share) * company.versions + 1
    return seal(opened._replace(position=Position(record_number), served=int(opened.total * share)))


def at_most(name: str, measured: float, bound: float, aim: str, taken: dict[str, float]) -> Result:
    """A row that must not exceed its bound."""
    return Result(name, measured, f"<= {bound:g}", measured <= bound, aim, _times(taken))


def at_least(name: str, measured: float, bound: float, aim: str, taken: dict[str, float]) -> Result:
    """A row that must reach its bound."""
    return Result(name, measured, f">= {bound:g}", measured >= bound, aim, _times(taken))


def _without_bound(name: str, measured: float, taken: dict[str, float]) -> Result:
    """A row that is printed for comparison and has no bound."""
    return Result(name, measured, "shown", True, "", _times(taken))


def _times(taken: dict[str, float]) -> str:
    return ", ".join(f"{name} {seconds * 1000:.2f} ms" for name, seconds in itertools.islice(taken.items(), 5))
