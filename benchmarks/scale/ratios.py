"""What a cluster costs where one server would do: a page, and an import, on both in turn.

Both run beside each other, so that the machine is the same for both; each has a process of its own that gets commands
on standard input. CITUS names the folder with PostgreSQL 18 and Citus; the one server is the PostgreSQL that all other
rows are measured on.
"""

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson

from benchmarks.scale.table import Row
from development.embedded import cluster, postgresql, servers

PAGE_BOUND, IMPORT_BOUND = 2.6, 0.7
PEOPLE, COURSES = 400, 10
"""Of the company that is imported each time; it has their product of records, half of them completed."""
PAGES = 40
"""How many pages of 200 records are read at a time."""
KINDS = ("one server", "cluster")


def measure(times: int) -> list[Row]:
    """Reads pages and imports a company `times` times on each in turn; returns two rows with the ratios of the medians."""
    taken: dict[str, dict[str, list[float]]] = {what: {kind: [] for kind in KINDS} for what in ("page", "import")}
    with contextlib.ExitStack() as stack:
        asked = {kind: stack.enter_context(_doing(kind)) for kind in KINDS}
        for number in range(times + 1):
            for what, found in taken.items():
                for kind in KINDS if number % 2 else reversed(KINDS):
                    seconds = asked[kind](what)
                    if number:  # the first finds cold caches
                        found[kind].append(seconds)
    page, imported = ({kind: statistics.median(each) for kind, each in taken[what].items()} for what in taken)
    longer = page["cluster"] / page["one server"]
    faster = imported["one server"] / imported["cluster"]
    facts = len(list(_facts(uuid.uuid4())))
    return [
        Row(
            "a page of 200, cluster / one server", times,
            f"{longer:.2f} ({page['cluster'] * 1000:.1f} ms, {page['one server'] * 1000:.1f} ms)",
            f"<= {PAGE_BOUND}", () if longer <= PAGE_BOUND else (f"{longer:.2f} > {PAGE_BOUND}",),
        ),
        Row(
            f"import and capture of {facts:,} facts, speed of cluster / one server", times,
            f"{faster:.2f} ({facts / imported['cluster']:,.0f} and {facts / imported['one server']:,.0f} facts a second)",
            f">= {IMPORT_BOUND}", () if faster >= IMPORT_BOUND else (f"{faster:.2f} < {IMPORT_BOUND}",),
        ),
    ]  # fmt: skip


@contextlib.contextmanager
def _doing(kind: str) -> Iterator[Callable[[str], float]]:
    """Starts servers of this kind and a process on them; yields a function that does one thing there, timed in seconds."""
    folder = Path(tempfile.mkdtemp(prefix="compliance-records-ratios-"))
    folder.chmod(0o755)  # PostgreSQL runs as somebody else
    environment = {name: value for name, value in os.environ.items() if name not in {"CITUS", "CLUSTER"}}
    try:
        values = _started(kind, folder)
        child = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.scale.ratios"], env=environment | values, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        with child, child.stdin as commands, child.stdout as heard:

            def ask(what: str) -> float:
                commands.write(f"{what}\n")
                commands.flush()
                return float(json.loads(heard.readline()))

            yield ask
    finally:
        servers.stop(folder)
        for each in (folder, *cluster.folders(folder)):
            shutil.rmtree(postgresql.data_folder(each), ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


def _started(kind: str, folder: Path) -> dict[str, str]:
    """Starts the servers: a cluster if the environment variable CITUS is set, otherwise one."""
    citus = os.environ["CITUS"]
    if kind == "one server":
        del os.environ["CITUS"]
    try:
        return servers.start(folder)
    finally:
        os.environ["CITUS"] = citus


def main() -> int:
    """The process on one kind of servers: reads lines that name what to do, and writes the seconds of each."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    for limit in ("KEY", "COMPANY", "ADDRESS"):
        os.environ[f"RATE_LIMIT_{limit}_PER_MINUTE"] = "100000000"
    django.setup()
    from django.core.management import call_command

    call_command("migrate", database="owner", verbosity=0)
    organization_id, _ = _imported()
    pull = _pages_of(organization_id)
    for line in sys.stdin:
        if line.strip() == "import":
            _, seconds = _imported()
        else:
            began = time.perf_counter()
            for _ in range(PAGES):
                pull()
            seconds = (time.perf_counter() - began) / PAGES
        sys.stdout.write(f"{json.dumps(seconds)}\n")
        sys.stdout.flush()
    return 0


def _imported() -> tuple[uuid.UUID, float]:
    """Imports a new company, from its facts to readable rows; returns it, and how many seconds that took."""
    from compliance.facts.importing import import_facts
    from compliance.history import actions

    now, organization_id = datetime.now(UTC), uuid.uuid4()
    actions.create_company(
        name="Ratios", time_zone="Europe/London", history_from=date(2024, 1, 1), now=now,
        organization_id=organization_id,
    )  # fmt: skip
    stream = BytesIO(b"".join(orjson.dumps(line) + b"\n" for line in _facts(organization_id)))
    began = time.perf_counter()
    report = import_facts(organization_id=organization_id, stream=stream, now=now, strict=True)
    actions.capture_all(organization_id, datetime.now(UTC))
    seconds = time.perf_counter() - began
    assert not report.errors, report.errors
    return organization_id, seconds


def _facts(organization_id: uuid.UUID) -> Iterator[dict[str, Any]]:
    began = datetime(2025, 1, 1, 9, tzinfo=UTC)

    def fact(kind: str, days: int, key: str, **fields: Any) -> dict[str, Any]:
        at = (began + timedelta(days=days)).isoformat()
        return {"fact": kind, "fact_id": identifier(f"{kind} {key}"), "at": at, **fields}

    def identifier(what: str) -> str:
        return str(uuid.uuid5(organization_id, what))

    for number in range(COURSES):
        course, release = identifier(f"course {number}"), identifier(f"release {number}")
        yield fact("course_created", 0, str(number), course_id=course, title=f"Course {number}")
        yield fact("release_published", 0, str(number), course_id=course, course_release_id=release, version=1,
                   lessons=[])  # fmt: skip
        yield fact("course_shared", 1, str(number), share_id=identifier(f"share {number}"), course_id=course,
                   doors=["employee"], audience={"everyone": True}, requirement="required",
                   deadline={"basis": "days_after_added", "days": 30})  # fmt: skip
    for person in range(PEOPLE):
        profile = identifier(f"profile {person}")
        yield fact("employee_joined", 2, str(person), person_id=identifier(f"person {person}"),
                   learner_profile_id=profile, person_name=f"Person {person}",
                   account_email=f"person{person}@example.org")  # fmt: skip
        for number in range(person % 2, COURSES, 2):
            yield fact("course_completed", 20, f"{person} {number}", learner_profile_id=profile,
                       completion_receipt_id=identifier(f"completion {person} {number}"),
                       course_release_id=identifier(f"release {number}"))  # fmt: skip


def _pages_of(organization_id: uuid.UUID) -> Callable[[], None]:
    """A function that reads one page of the training register after the other, again and again."""
    from django.test import Client

    from compliance.access.actions import issue_key
    from compliance.rules.vocabulary import Scope

    key, _ = issue_key(
        organization_id=organization_id, scopes=list(Scope), environment="test", at=datetime.now(UTC), actor="ratios"
    )
    client = Client(headers={"authorization": f"Bearer {key}"})
    cursor = None

    def page() -> None:
        nonlocal cursor
        values = {"cursor": cursor} if cursor else {"limit": "200"}
        answer = client.get(f"/v1/training-records?{urlencode(values)}")
        assert answer.status_code == 200, answer.content
        cursor = json.loads(answer.content)["next_cursor"]

    return page


if __name__ == "__main__":
    sys.exit(main())
