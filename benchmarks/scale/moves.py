"""Companies that move from node to node under load, by the operator's command.

The bounds: their callers get only 200, a write waits five seconds at most, and every register has the same bytes
afterwards.
"""

import sys
from datetime import UTC, datetime, timedelta

import httpx
import orjson

from benchmarks.scale.cluster import Company, OnCluster, Run, now
from benchmarks.scale.load import Answer, counted, others, slowest
from benchmarks.scale.table import Row
from tests.operations.service import running_as

BOUND_SECONDS = 5.0
_PATIENCE_SECONDS = 60.0

Rows = dict[str, bytes]
"""The rows of each register at one snapshot, as the service sent them."""


def moved(run: Run, times: int) -> Row:
    """Moves companies to the other node in turn, and back."""
    read, written, took, wrong = list[Answer](), list[Answer](), list[float](), list[str]()
    for number in range(times):
        company = run.companies[number % len(run.companies)]
        cursors = _cursors(run, company)
        before = _pages(run, company, cursors)
        home = run.node_of(company.organization_id)
        (target, *_) = [node for node in run.nodes if node.port != home]
        since = now()
        done = run.service.manage(
            "move_company", company.organization_id, "--to", f"127.0.0.1:{target.port}", "--json", check=False
        )
        took.append(now() - since)
        if done.returncode:
            wrong.append(f"a move failed: {done.stderr.strip()[-300:]}")
        elif run.node_of(company.organization_id) != target.port:
            wrong.append("a company is where it was")
        run.until_written([company], now())
        until = now()
        wrong += [f"{name} has other bytes" for name, pages in _pages(run, company, cursors).items()
                  if pages != before[name]]  # fmt: skip
        for each in run.companies:
            answers = each.load.answers_between(since, until)
            read += [answer for answer in answers if not answer.wrote]
            written += [answer for answer in answers if answer.wrote]
        sys.stderr.write(f"move {number + 1}/{times}: {took[-1]:.1f} s, {done.stdout.strip()}\n")
    lost = run.lost()
    waited = slowest(written, 200, 503)
    found = (
        f"lost {lost}; reads {counted(read)}, slowest {slowest(read, 200):.1f} s; writes {counted(written)},"
        f" slowest {waited:.1f} s; a move took {max(took):.0f} s at most"
    )
    wrong += [f"{lost} lost"] if lost else []
    wrong += others([*read, *written], 200)
    wrong += [f"a write waited {waited:.1f} s"] if waited > BOUND_SECONDS else []
    bound = "lost 0; 200; writes wait 5 s; registers of the same bytes"
    return Row("a company moved to the other node", times, found, bound, tuple(wrong))


def _cursors(run: Run, company: Company) -> dict[str, str]:
    """The cursor of each register after its first row, pinned to the current snapshot; none if there are no more rows."""
    today = datetime.now(UTC).date()
    period = f"from={today - timedelta(days=20)}&to={today}"
    asked = {
        "training-records": "",
        "training-records/period": period,
        "people": period,
        "courses": "",
    }
    found = {}
    with _client(run, company) as client:
        for name, more in asked.items():
            answer = client.get(f"/v1/{name}?limit=1&{more}").raise_for_status().json()
            if answer["next_cursor"]:
                found[name] = answer["next_cursor"]
    return found


def _pages(run: Run, company: Company, cursors: dict[str, str]) -> Rows:
    """The rows of the registers after their cursors."""
    found: Rows = {}
    with _client(run, company) as client:
        for name, first in cursors.items():
            cursor: str | None = first
            while cursor:
                answer = client.get(f"/v1/{name}", params={"cursor": cursor, "limit": 200}).raise_for_status()
                page = answer.json()
                # Without the cursor, which is encrypted again each time, and the moment of the request.
                found[name] = found.get(name, b"") + orjson.dumps(
                    [page["data"], page["total"], page["snapshot"]["chain_hash"]]
                )
                cursor = page["next_cursor"]
    return found


def _client(run: Run, company: Company) -> httpx.Client:
    headers = {"Authorization": f"Bearer {company.key}"}
    return httpx.Client(base_url=run.service.base_url, headers=headers, timeout=_PATIENCE_SECONDS)


def measure(times: int) -> list[Row]:
    """Measures every row of companies that move."""
    rows = []
    with running_as(OnCluster, "web", "worker", "signer", "beat") as service:
        run = Run(service)
        try:
            rows.append(moved(run, times))
        finally:
            run.end_load()
        found, wrong = run.remains()
        rows.append(Row("after the moves", 1, found, "lost 0, verified", tuple(wrong)))
    return rows
