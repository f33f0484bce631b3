"""`make chaos`: kill -9 of web, worker, beat, PostgreSQL and Redis at random points under load.

CHAOS_TIMES (20) is how often each dies. After each kill a fact is recorded whose task is lost on purpose; the service
has recovered when the sweep has captured it and /readyz answers 200, so web, worker, beat, PostgreSQL and Redis must
all work again. At the end every acknowledged fact must have been captured, once.
"""

import os
import random
import statistics
import subprocess
import sys
import threading
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import httpx
import psycopg

from tests.operations.company import Company, drained, gaps, make_company, outcome
from tests.operations.service import Service, running, set_up_django, wait_for

FAULTS = ("web", "worker", "beat", "postgresql", "redis")
PATIENCE = 120.0


class Line(NamedTuple):
    """One line of the table."""

    fault: str
    times: int
    acknowledged: int
    lost: int
    twice: int
    recovered: list[float]


def main() -> int:
    """Prints the table; exit code 1 when anything was lost, captured twice, or does not verify."""
    times = int(os.environ.get("CHAOS_TIMES", "20"))
    seed = int(os.environ.get("CHAOS_SEED", "7"))
    with running("web", "worker", "signer", "beat") as service:
        set_up_django(service)
        lines, faults = run(service, times, random.Random(seed))
    sys.stdout.write(table(lines))
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    well = not faults and not any(line.lost or line.twice for line in lines)
    sys.stdout.write("Sequences without a gap; chains and checkpoints verify.\n" if well else "FAILED.\n")
    return 0 if well else 1


def run(service: Service, times: int, chance: random.Random) -> tuple[list[Line], list[str]]:
    """Uses one company per fault, so that each fault's facts are counted apart; writers and readers never pause."""
    lines, faults = [], []
    for fault in FAULTS:
        line, missing = _strike(service, fault, times, chance)
        lines.append(line)
        if missing:
            faults.append(f"{fault}: {missing} sequences are missing")
    return lines, faults + service.verify()


def _strike(service: Service, fault: str, times: int, chance: random.Random) -> tuple[Line, int]:
    company = make_company(service, f"Company of {fault}")
    key = service.create_key(company.organization_id)
    acknowledged = service.folder / f"acknowledged-{fault}"
    acknowledged.touch()
    writers = [_writer(service, company, acknowledged) for _ in range(2)]
    ended = threading.Event()
    readers = [threading.Thread(target=_read, args=(service, key, ended), daemon=True) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        wait_for(lambda: acknowledged.stat().st_size > 0, PATIENCE, "the first acknowledged fact")
        recovered = []
        for _ in range(times):
            time.sleep(chance.uniform(0.1, 1.5))
            service.kill(fault)
            recovered.append(_recovery(service, company))
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
        ended.set()
        for reader in readers:
            reader.join()
    wait_for(lambda: drained(service, company.organization_id), PATIENCE, "an empty queue of pending subjects")
    found = outcome(service, company.organization_id, acknowledged)
    sys.stderr.write(f"{fault}: {found}, recovered in {', '.join(f'{each:.1f}' for each in recovered)} s\n")
    line = Line(fault, times, found.acknowledged, found.lost, found.captured_twice, recovered)
    return line, gaps(service, company.organization_id)


def _writer(service: Service, company: Company, acknowledged: Path) -> "subprocess.Popen[bytes]":
    with (service.folder / "writer.log").open("ab") as log:
        return subprocess.Popen(
            [
                sys.executable, "-m", "tests.operations.writer", company.organization_id, str(acknowledged), "0.1",
                str(company.course_release_id),
            ],
            env=service.environment, stdout=log, stderr=log,
        )  # fmt: skip


def _read(service: Service, key: str, ended: threading.Event) -> None:
    """Pulls page after page; some are expected to fail while a process is dead."""
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(timeout=5, headers=headers) as client:
        while not ended.wait(0.05):
            try:
                client.get(f"{service.base_url}/v1/training-records")
            except httpx.HTTPError:
                pass


def _recovery(service: Service, company: Company) -> float:
    """Seconds from now until the service answers and has captured a fact recorded now, whose task is lost."""
    from django.db import DatabaseError, InterfaceError, connection

    from tests import verbs

    person, learner, started = uuid.uuid4(), uuid.uuid4(), time.monotonic()

    def tell() -> bool:
        try:
            verbs.join_employee(
                organization_id=uuid.UUID(company.organization_id), at=datetime.now(UTC), now=datetime.now(UTC),
                person_id=person, learner_profile_id=learner,
            )  # fmt: skip
        except (DatabaseError, InterfaceError):
            connection.close()
            return False
        return True

    def captured() -> bool:
        try:
            return bool(
                service.ask("SELECT 1 FROM history_historyrecord WHERE record_id = %s AND register = 2", person)
            )
        except psycopg.Error:
            return False

    wait_for(tell, PATIENCE, "a fact recorded after the kill")
    wait_for(lambda: captured() and service.ready(), PATIENCE, "recovery")
    return time.monotonic() - started


def table(lines: list[Line]) -> str:
    """The table as Markdown."""
    rows = ["| fault (kill -9) | times | acknowledged facts | lost | captured twice | recovered in, median (most) |",
            "| --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for line in lines:
        rows.append(
            f"| {line.fault} | {line.times} | {line.acknowledged:,} | {line.lost} | {line.twice} |"
            f" {statistics.median(line.recovered):.1f} s ({max(line.recovered):.1f} s) |"
        )
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.exit(main())
