"""`python -m benchmarks.standbys`: what a standby takes off its primary, and that no answer is behind what was committed.

Starts a primary, a standby and a web server of its own. While a writer changes a name some twenty times a second, and
brings new people in, clients read the first page of training records, in turn from the primary alone and with the
standby. A page is behind when it has a name from before the one that was committed when the call began, or another
number of rows than its snapshot had. Exit 1 when any is.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil

from development.embedded import ports, postgresql, processes, servers
from development.embedded.standby import Standby, let_follow

PEOPLE, COURSES, EVERY = 200, 10, 10
PAUSE_SECONDS = 0.05


class Figures(NamedTuple):
    """One measurement: pages and seconds, processor time of both servers, pages that were behind, reads by outcome."""

    pages: int
    seconds: float
    primary: float
    standby: float
    behind: int
    outcomes: dict[str, float]


class Story:
    """A company with a person whose name is a growing number, and how many records each snapshot has."""

    def __init__(self) -> None:
        from compliance.access.actions import issue_key
        from compliance.facts.lines import kinds
        from compliance.facts.recording import act
        from compliance.history.actions import capture_all, create_company
        from compliance.rules.vocabulary import Door, Requirement, Scope

        self._act, self._kinds, self._capture = act, kinds, capture_all
        now = datetime.now(UTC)
        self.began = now - timedelta(days=30)
        self.organization_id = create_company(
            name="Standbys", time_zone="UTC", history_from=self.began.date(), now=self.began
        ).organization_id
        for number in range(COURSES):
            course = {"course_id": uuid.uuid4()}
            self._record(kinds.CourseCreated, **course, title=f"Course {number}")
            self._record(kinds.ReleasePublished, **course, course_release_id=uuid.uuid4(), version=1, lessons=())
            self._record(
                kinds.CourseShared, **course, share_id=uuid.uuid4(), doors=(Door.EMPLOYEE,),
                audience=kinds.Audience(everyone=True), deadline=kinds.NoDeadline(), requirement=Requirement.REQUIRED,
            )  # fmt: skip
        self._marked = self._join("0")
        self._capture(self.organization_id, datetime.now(UTC))  # so that these are the first records of every page
        for number in range(1, PEOPLE):
            self._join(f"Person {number}")
        self.people, self.name, self.totals = PEOPLE, 0, dict[int, int]()
        self._captured()
        scopes = tuple(Scope)
        self.key = issue_key(
            organization_id=self.organization_id, scopes=scopes, environment="test", at=now, actor="benchmarks"
        )[0]

    def go_on(self, ended: threading.Event) -> None:
        """Writes until the event is set."""
        from django.db import connection

        while not ended.wait(PAUSE_SECONDS):
            following = self.name + 1
            self._record(
                self._kinds.PersonChanged, learner_profile_id=self._marked, person_name=str(following),
                at=datetime.now(UTC),
            )  # fmt: skip
            self.name = following  # committed
            if following % EVERY == 0:
                self._join(f"Newcomer {following}")
                self.people += 1
                self._captured()
        connection.close()

    def is_behind(self, page: dict[str, Any], committed: int) -> bool:
        """Whether a page lacks something that was committed when it was requested."""
        total = self.totals.get(page["snapshot"]["sequence"], page["total"])
        return int(page["data"][0]["person_name"]) < committed or page["total"] != total

    def _captured(self) -> None:
        from compliance.history.queries import head

        self._capture(self.organization_id, datetime.now(UTC))
        self.totals[head(self.organization_id).sequence] = self.people * COURSES

    def _join(self, name: str) -> uuid.UUID:
        who = {"person_id": uuid.uuid4(), "learner_profile_id": uuid.uuid4()}
        self._record(self._kinds.EmployeeJoined, **who, account_email=f"{uuid.uuid4()}@example.org", person_name=name)
        return who["learner_profile_id"]

    def _record(self, kind: Any, **fields: Any) -> None:
        fact: dict[str, Any] = {"organization_id": self.organization_id, "at": self.began, "now": datetime.now(UTC)}
        self._act(kind, **fact | fields)


def main() -> int:
    """Measures both in turn and prints a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.standbys", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--json", type=Path, help="A file for the figures, for `python -m benchmarks.scale standbys`.")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="compliance-records-standbys-"))
    folder.chmod(0o755)
    standby = None
    try:
        values = servers.start(folder)
        let_follow(folder, values["DATABASE_SUPERUSER_URL"])
        os.environ |= values | {"DJANGO_SETTINGS_MODULE": "config.settings", "COMPLIANCE_FOLDER": str(folder)}
        subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], check=True)
        import django

        django.setup()
        story = Story()
        standby = Standby(folder / "standby", values["DATABASE_SUPERUSER_URL"])
        standby.catch_up()
        return _compared(story, folder, standby, values, options)
    finally:
        if standby is not None:
            standby.remove()
        servers.stop(folder)
        shutil.rmtree(postgresql.data_folder(folder), ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


def _compared(story: Story, folder: Path, standby: Standby, values: dict[str, str], options: argparse.Namespace) -> int:
    sys.stdout.write(
        "| reads | pages a second | primary, CPU ms a page | standby, CPU ms a page | behind | reads on the standby |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
    )
    behind, measured = 0, list[tuple[str, Figures]]()
    for _ in range(options.rounds):
        for name, addresses in (("primary alone", ""), ("with a standby", standby.url(values["DATABASE_URL"]))):
            with _web(folder, addresses) as (address, counted):
                found = _measured(story, address, counted, folder, standby, options)
            behind += found.behind
            measured.append((name, found))
            each = 1000 / max(found.pages, 1)
            outcomes = ", ".join(f"{count:.0f} {outcome}" for outcome, count in sorted(found.outcomes.items()))
            sys.stdout.write(
                f"| {name} | {found.pages / found.seconds:.0f} | {found.primary * each:.2f} |"
                f" {found.standby * each:.2f} | {found.behind} of {found.pages} | {outcomes or 'none'} |\n"
            )
            sys.stdout.flush()
    if options.json is not None:
        options.json.write_text(json.dumps([(name, found._asdict()) for name, found in measured]))
    return 1 if behind else 0


def _measured(
    story: Story, address: str, counted: Path, folder: Path, standby: Standby, options: argparse.Namespace
) -> Figures:
    ended, lock = threading.Event(), threading.Lock()
    pages = behind = 0

    def read() -> None:
        nonlocal pages, behind
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {story.key}"}, timeout=30) as client:
            while not ended.is_set():
                committed = story.name
                answer = client.get("/v1/training-records?limit=200")
                answer.raise_for_status()
                late = story.is_behind(answer.json(), committed)
                with lock:
                    pages, behind = pages + 1, behind + late

    folders = (postgresql.data_folder(folder), standby.data)
    before, began = [_processor_seconds(each) for each in folders], time.monotonic()
    with ThreadPoolExecutor(options.clients + 1) as executor:
        under_way = [executor.submit(read) for _ in range(options.clients)]
        under_way.append(executor.submit(story.go_on, ended))
        wait(under_way, options.seconds, FIRST_EXCEPTION)
        ended.set()
    for each in under_way:
        each.result()
    seconds = time.monotonic() - began
    primary, other = (_processor_seconds(each) - start for each, start in zip(folders, before, strict=True))
    return Figures(pages, seconds, primary, other, behind, _outcomes(counted))


def _processor_seconds(data: Path) -> float:
    """The processor seconds of all processes of a server so far, including those that have ended."""
    total = 0.0
    for process in processes.working_in(data, "postgres"):
        with contextlib.suppress(psutil.NoSuchProcess):  # a backend that ends meanwhile
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
            for child in process.children():
                times = child.cpu_times()
                total += times.user + times.system
    return total


def _outcomes(folder: Path) -> dict[str, float]:
    from prometheus_client import CollectorRegistry
    from prometheus_client.multiprocess import MultiProcessCollector

    found = {}
    for metric in MultiProcessCollector(CollectorRegistry(), path=str(folder)).collect():
        if metric.name == "svc_standby_reads":
            found = {sample.labels["outcome"]: sample.value for sample in metric.samples}
    return found


@contextlib.contextmanager
def _web(folder: Path, addresses: str) -> Iterator[tuple[str, Path]]:
    """Runs a web server with one worker; yields its address, and the folder of its counters."""
    port, counted = ports.free_port(), Path(tempfile.mkdtemp(dir=folder))
    limits = ("KEY_PER_MINUTE", "COMPANY_PER_MINUTE", "ADDRESS_PER_MINUTE")
    many = {f"RATE_LIMIT_{each}": "100000000" for each in limits} | {"CONCURRENT_LIMIT": "10000"}
    process = subprocess.Popen(
        [
            sys.executable, "-m", "granian", "--interface", "asginl", "--loop", "uvloop", "--host", "127.0.0.1",
            "--port", str(port), "--workers", "1", "--workers-kill-timeout", "3", "--log-level", "error",
            "config.asgi:application",
        ],
        env=os.environ | many | {"READ_DATABASE_URLS": addresses, "METRICS_FOLDER": str(counted)},
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with contextlib.suppress(httpx.HTTPError):
                if (
                    httpx.get(f"{address}/readyz", timeout=10).json().get("standbys", [{"state": "ok"}])[0]["state"]
                    == "ok"
                ):
                    break
            time.sleep(0.1)
        else:
            raise RuntimeError("The web server did not come, or saw no standby, within a minute.")
        yield address, counted
    finally:
        process.terminate()
        process.wait(timeout=30)


if __name__ == "__main__":
    sys.exit(main())
