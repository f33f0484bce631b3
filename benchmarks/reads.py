"""The read rows of design 10: pages of 200 training records, against COPY, DRF, and the histories of others."""

import itertools
import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import httpx
import psycopg
from django.apps import apps
from django.conf import settings
from django.db import connections

from benchmarks import measuring
from benchmarks.building import Company
from benchmarks.peers.models import SimpleRecord
from compliance.interfaces.api import cursors
from compliance.registers import pages, questions, training
from compliance.registers.questions import Position, Question
from compliance.tenancy.queries import deployment_id, organization


class Result(NamedTuple):
    """One row of the table: `measured` is a ratio (or what `unit` says); `bound` and `aim` as design 10 has them."""

    name: str
    measured: float
    bound: str
    holds: bool
    aim: str = ""
    note: str = ""


def _get(client: httpx.Client, key: str, **parameters: str) -> dict[str, object]:
    answer = client.get("/v1/training-records", params=parameters, headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == 200, answer.text[:300]
    return json.loads(answer.content)


def copy_of_page(organization_id: str, company: Company, at: datetime) -> Callable[[], object]:
    """COPY of the statement of a page, on a connection of its own as the application's role."""
    values = connections["default"].settings_dict
    connection = psycopg.connect(
        host=values["HOST"],
        port=values["PORT"],
        user=values["USER"],
        password=values["PASSWORD"],
        dbname=values["NAME"],
    )
    connection.execute("SELECT set_config('app.organization', %s, false)", [organization_id])
    connection.commit()
    statement, parameters = page_statement(company, at)
    text = psycopg.ClientCursor(connection).mogrify(statement, parameters)

    def copy() -> int:
        size = 0
        with connection.cursor() as cursor, cursor.copy(f"COPY ({text}) TO STDOUT") as rows:
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
    return pages._page_by_birth(listing, question), values


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


def rows(address: str, built: dict[str, Company], now: datetime, rounds: int) -> Iterator[Result]:
    """Measures every read row of design 10."""
    big = built["big"]
    with httpx.Client(base_url=address, timeout=60) as client:
        first = _get(client, big.key)
        total = int(first["total"])  # type: ignore[call-overload]
        second = str(first["next_cursor"])
        peer = client.get("/peer/training-records").json()
        peer_page = peer["next"] if peer["next"].startswith("http") else address + peer["next"]
        taken = measuring.interleaved(
            {
                "page": lambda: _raw(client, big.key, cursor=second),
                "copy": copy_of_page(str(big.organization_id), big, now),
                "drf": lambda: client.get(peer_page).content,
            },
            rounds,
        )
        yield _at_most("page of 200 / COPY of the same query", taken["page"] / taken["copy"], 4.5, "3", taken)
        yield _at_least(
            "page of 200, against DRF serializers and cursor pagination", taken["drf"] / taken["page"], 8, "15", taken
        )

        past = now - timedelta(days=200)
        middle = past.isoformat().replace("+00:00", "Z")
        our_first = _get(client, big.key, as_at=middle)
        deep = _deep(big, str(our_first["next_cursor"]))
        half = int(our_first["total"]) // 2  # type: ignore[call-overload]
        few = max(3, rounds // 5)
        taken = measuring.interleaved(
            {
                "ours": lambda: _raw(client, big.key, cursor=str(our_first["next_cursor"])),
                "simple-history": lambda: list(SimpleRecord.history.as_of(past).order_by("id")[:200]),
                "pghistory": lambda: list(_tracked(past)[:200]),
            },
            few,
            warm=1,
        )
        yield _at_least(
            "as-at page, first, against simple-history", taken["simple-history"] / taken["ours"], 8, "", taken
        )
        taken = measuring.interleaved(
            {
                "ours": lambda: _raw(client, big.key, cursor=deep),
                "simple-history": lambda: list(SimpleRecord.history.as_of(past).order_by("id")[half : half + 200]),
                "pghistory": lambda: list(_tracked(past)[half : half + 200]),
            },
            max(2, few // 2),
            warm=1,
        )
        yield _at_least(
            "as-at page, in the middle, against simple-history", taken["simple-history"] / taken["ours"], 200, "", taken
        )

        last = _deep(big, second, share=(big.records - 300) / big.records)
        versions, three = built["200 versions"], built["3 versions"]
        tenth = built["tenth"]
        hot = str(_get(client, versions.key)["next_cursor"])
        cool = str(_get(client, three.key)["next_cursor"])
        fewer = str(_get(client, tenth.key)["next_cursor"])
        taken = measuring.interleaved(
            {
                "second": lambda: _raw(client, big.key, cursor=second),
                "last": lambda: _raw(client, big.key, cursor=last),
                "200 versions": lambda: _raw(client, versions.key, cursor=hot),
                "3 versions": lambda: _raw(client, three.key, cursor=cool),
                "a tenth of the rows": lambda: _raw(client, tenth.key, cursor=fewer),
            },
            rounds,
        )
        yield _at_most("last page / second page", taken["last"] / taken["second"], 1.1, "1.0", taken)
        yield _at_most("200 versions a record / 3", taken["200 versions"] / taken["3 versions"], 2.4, "1.0", taken)
        yield _at_most("10x the rows", taken["second"] / taken["a tenth of the rows"], 1.1, "1.0", taken)

        taken = measuring.interleaved(
            {"with total": lambda: _raw(client, big.key), "without": lambda: _raw(client, big.key, cursor=second)},
            rounds,
        )
        microseconds = max(0.0, taken["with total"] - taken["without"]) * 1e6 / total
        yield _at_most("exact total, µs a record", microseconds, 2, "count kept", taken)


def _tracked(at: datetime) -> Any:
    """What django-pghistory has as of a moment."""
    events = apps.get_model("peers", "TrackedRecordEvent").objects
    return events.filter(pgh_created_at__lte=at).order_by("pgh_obj_id", "-pgh_created_at").distinct("pgh_obj_id")


def _raw(client: httpx.Client, key: str, **parameters: str) -> bytes:
    answer = client.get("/v1/training-records", params=parameters, headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == 200, answer.text[:300]
    return answer.content


def _deep(company: Company, cursor: str, share: float = 0.5) -> str:
    """A cursor deep in the pull: the product's own, with the position moved as if the pages before had been read."""
    secrets = tuple(settings.CURSOR_KEYS)
    bound = {"endpoint": "/v1/training-records", "organization_id": company.organization_id, "secrets": secrets}
    opened = cursors.unseal(cursor, **bound)
    birth = int(company.records * share) * company.versions + 1
    moved = opened._replace(position=Position(birth=birth), served=int(opened.total * share))
    return cursors.seal(moved, **bound)


def _at_most(name: str, measured: float, bound: float, aim: str, taken: dict[str, float]) -> Result:
    return Result(name, measured, f"<= {bound:g}", measured <= bound, aim, _times(taken))


def _at_least(name: str, measured: float, bound: float, aim: str, taken: dict[str, float]) -> Result:
    return Result(name, measured, f">= {bound:g}", measured >= bound, aim, _times(taken))


def _times(taken: dict[str, float]) -> str:
    return ", ".join(f"{name} {seconds * 1000:.2f} ms" for name, seconds in itertools.islice(taken.items(), 5))
