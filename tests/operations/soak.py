"""`make soak`: 16 readers and 4 writers for a while; every pull exact, memory flat, nobody waits for another company.

It runs for SOAK_SECONDS (600). Each reader pulls whole registers again and again and compares each pull with the
database: as many rows as `total`, one snapshot, no row twice, and exactly the people whose record began by then.
Four times a run the head of the first company is locked for three seconds: writes to the others must go on meanwhile.
"""

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg

from tests.operations.company import Company, drained, gaps, make_company, outcome
from tests.operations.service import Service, running, set_up_django, wait_for

READERS, WRITERS, COMPANIES = 16, 4, 2
REGISTERS = ("training-records", "people", "certificates", "courses")
LOCKED_SECONDS = 3.0


class Soaked(NamedTuple):
    """What the run found."""

    seconds: float
    requests: int
    statuses: dict[int, int]
    pulls: int
    rows: int
    inexact: list[str]
    facts: int
    lost: int
    twice: int
    memory: dict[str, tuple[int, int]]
    slowest_write: float
    slowest_write_locked: float
    faults: list[str]


def main() -> int:
    """Prints the findings; exit code 1 when anything was wrong."""
    seconds = float(os.environ.get("SOAK_SECONDS", "600"))
    with running("web", "worker", "signer", "beat") as service:
        set_up_django(service)
        soaked = run(service, seconds)
    sys.stdout.write(table(soaked))
    well = is_well(soaked)
    sys.stdout.write("Well.\n" if well else "FAILED.\n")
    return 0 if well else 1


def is_well(soaked: Soaked) -> bool:
    """No 5xx, flat memory, every pull exact, nothing lost, no write waited for another company's."""
    flat = all(last <= first * 1.25 + 32 * 1024 * 1024 for first, last in soaked.memory.values())
    return (
        not any(status >= 500 for status in soaked.statuses)
        and not soaked.inexact
        and not soaked.lost
        and not soaked.twice
        and not soaked.faults
        and flat
        and soaked.slowest_write_locked < LOCKED_SECONDS
    )


class Readers:
    """Threads that pull without end and record their findings."""

    def __init__(self, service: Service, companies: list[tuple[Company, str]]) -> None:
        self.statuses: Counter[int] = Counter()
        self.pulls = self.rows = 0
        self.inexact: list[str] = []
        self.ended = threading.Event()
        self._service, self._lock = service, threading.Lock()
        self._threads = [
            threading.Thread(target=self._pull, args=(*companies[number % len(companies)], number), daemon=True)
            for number in range(READERS)
        ]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Waits for the last pulls."""
        self.ended.set()
        for thread in self._threads:
            thread.join()

    def _pull(self, company: Company, key: str, number: int) -> None:
        with (
            httpx.Client(timeout=60, headers={"Authorization": f"Bearer {key}"}) as client,
            psycopg.connect(self._service.addresses["DATABASE_SUPERUSER_URL"], autocommit=True) as database,
        ):
            turn = number
            while not self.ended.is_set():
                turn += 1
                register = REGISTERS[turn % len(REGISTERS)]
                parameters: dict[str, Any] = {}
                if register == "people":
                    today = datetime.now(UTC).date()
                    parameters = {"from": str(today - timedelta(days=2)), "to": str(today + timedelta(days=1))}
                try:
                    self._one(client, database, company, register, parameters)
                except (httpx.HTTPError, KeyError) as error:
                    with self._lock:
                        self.inexact.append(f"{register}: {type(error).__name__} {error}")

    def _one(
        self, client: httpx.Client, database: Any, company: Company, register: str, parameters: dict[str, Any]
    ) -> None:
        rows: list[dict[str, Any]] = []
        snapshots, total, cursor = set(), None, None
        while True:
            answer = client.get(
                f"{self._service.base_url}/v1/{register}", params={"cursor": cursor} if cursor else parameters
            )
            with self._lock:
                self.statuses[answer.status_code] += 1
            if answer.status_code != 200:
                return
            page = answer.json()
            rows += page["data"]
            total = page["total"]
            snapshots.add((page["snapshot"]["sequence"], page["snapshot"]["capture_sequence"]))
            cursor = page["next_cursor"]
            if cursor is None:
                break
        fault = None
        identifiers = {row.get("record_id") or row.get("person_id") or row.get("certificate_id") or row["row_id"]
                       for row in rows}  # fmt: skip
        if len(snapshots) != 1:
            fault = f"{len(snapshots)} snapshots in one pull"
        elif len(rows) != total or len(identifiers) != len(rows):
            fault = f"{len(rows)} rows, {len(identifiers)} different, total {total}"
        elif register == "people":
            sequence = next(iter(snapshots))[0]
            ((born,),) = database.execute(
                "SELECT count(*) FROM history_historyrecord"
                " WHERE organization_id = %s AND register = 2 AND birth <= %s",
                [company.organization_id, sequence],
            ).fetchall()
            fault = None if born == len(rows) else f"{len(rows)} people at sequence {sequence}, not {born}"
        with self._lock:
            self.pulls += 1
            self.rows += len(rows)
            if fault:
                self.inexact.append(f"{register}: {fault}")


def run(service: Service, seconds: float) -> Soaked:
    """Runs readers and writers for `seconds`, then checks the results."""
    companies = []
    for number in range(COMPANIES):
        company = make_company(service, f"Company {number + 1}")
        companies.append((company, service.create_key(company.organization_id)))
    files = [service.folder / f"acknowledged-{number}" for number in range(WRITERS)]
    writers = []
    for number, file in enumerate(files):
        company = companies[number % COMPANIES][0]
        with (service.folder / "writer.log").open("ab") as log:
            writers.append(
                subprocess.Popen(
                    [
                        sys.executable, "-m", "tests.operations.writer", company.organization_id, str(file), "0.25",
                        str(company.course_release_id),
                    ],
                    env=service.environment, stdout=log, stderr=log,
                )
            )  # fmt: skip
    memory: dict[str, list[int]] = {"web": [], "worker": [], "beat": []}
    try:
        wait_for(lambda: all(file.exists() and file.stat().st_size for file in files), 60, "the first facts")
        readers = Readers(service, companies)
        started, locked_from = time.monotonic(), []
        locks = [seconds * share for share in (0.2, 0.4, 0.6, 0.8)]
        slowest_locked = 0.0
        while (elapsed := time.monotonic() - started) < seconds:
            if locks and elapsed >= locks[0]:
                locks.pop(0)
                slowest_locked = max(slowest_locked, _while_locked(service, companies[0][0], files[1], files[3]))
                locked_from.append(elapsed)
            for name, sizes in memory.items():
                sizes.append(service.processes[name].memory())
            time.sleep(min(2.0, seconds / 20))
        readers.end()
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
    for company, _ in companies:
        wait_for(lambda company=company: drained(service, company.organization_id), 120, "an empty queue")  # type: ignore[misc]
    facts = lost = twice = 0
    faults = service.verify()
    for number, file in enumerate(files):
        found = outcome(service, companies[number % COMPANIES][0].organization_id, file)
        facts, lost, twice = facts + found.acknowledged, lost + found.lost, twice + found.captured_twice
    faults += [f"{company.organization_id}: gaps" for company, _ in companies if gaps(service, company.organization_id)]
    if any(process.starts > 1 for process in service.processes.values()):
        faults.append("a process was started again")
    return Soaked(
        seconds, sum(readers.statuses.values()), dict(readers.statuses), readers.pulls, readers.rows, readers.inexact,
        facts, lost, twice, {name: _thirds(sizes) for name, sizes in memory.items()},
        max(_seconds_of(file) for file in files), slowest_locked, faults,
    )  # fmt: skip


def _while_locked(service: Service, company: Company, *others: Path) -> float:
    """Locks the head of one company as a long capture does. Returns the longest time of another company's fact.

    Nothing at all acknowledged meanwhile counts as a wait for the whole time.
    """
    before = [file.stat().st_size for file in others]
    with psycopg.connect(service.addresses["DATABASE_SUPERUSER_URL"]) as connection:
        connection.execute(
            "SELECT 1 FROM history_historyhead WHERE organization_id = %s FOR UPDATE", [company.organization_id]
        )
        time.sleep(LOCKED_SECONDS)
        written = [file.read_bytes()[size:].decode() for file, size in zip(others, before, strict=True)]
    times = [float(line.split()[-1]) for text in written for line in text.splitlines() if len(line.split()) >= 5]
    return max(times) if times and all(written) else LOCKED_SECONDS


def _seconds_of(file: Path) -> float:
    return max(float(line.split()[-1]) for line in file.read_text().splitlines() if len(line.split()) >= 5)


def _thirds(sizes: list[int]) -> tuple[int, int]:
    """The medians of the second third, when everything is warm, and of the last third."""
    third = max(len(sizes) // 3, 1)
    return sorted(sizes[third : 2 * third] or sizes)[third // 2], sorted(sizes[-third:])[third // 2]


def table(soaked: Soaked) -> str:
    """The findings as Markdown."""
    megabyte = 1024 * 1024
    statuses = ", ".join(f"{status}: {count:,}" for status, count in sorted(soaked.statuses.items()))
    lines = [
        f"| soak of {soaked.seconds:.0f} s, {READERS} readers, {WRITERS} writers, {COMPANIES} companies | |",
        "| --- | --- |",
        f"| requests ({statuses}) | {soaked.requests:,} |",
        f"| whole pulls / rows / inexact | {soaked.pulls:,} / {soaked.rows:,} / {len(soaked.inexact)} |",
        f"| facts acknowledged / lost / captured twice | {soaked.facts:,} / {soaked.lost} / {soaked.twice} |",
        f"| slowest write; while another company's writer was held for {LOCKED_SECONDS:.0f} s |"
        f" {soaked.slowest_write:.2f} s; {soaked.slowest_write_locked:.2f} s |",
    ]
    lines += [
        f"| memory of {name}, second third / last third | {first / megabyte:.0f} MB / {last / megabyte:.0f} MB |"
        for name, (first, last) in soaked.memory.items()
    ]
    lines += [f"| fault | {each} |" for each in (*soaked.inexact[:5], *soaked.faults[:5])]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
