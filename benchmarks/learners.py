"""`python -m benchmarks.learners [PACKAGE] [--learners 1000]`: a thousand people take one course at the same time.

Makes a company of so many employees who all owe the course, with a personal link each, and runs web and worker as
`Procfile` does, beside PostgreSQL and Redis, on this machine. Every learner follows the link, comes in, looks at home
and at the course, reads page after page, plays films, answers (three of ten wrongly at first) and finishes. All of them
come within `--arrive` seconds, and nobody has finished when the last one comes.

A page is read for 30 to 70 seconds, as 200 words are at 240 words a minute; between other steps, and after an answer,
5 to 15 seconds pass. Films are not waited for. Prints the milliseconds of each step and what was lost; exit 1 when the
95th percentile of a step is over `--limit`, when anything failed, or when a completion is missing.
"""

import argparse
import asyncio
import contextlib
import os
import random
import resource
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from benchmarks.learner_browser import Browser, Page
from development.embedded import postgresql, servers

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "development/demo/packages/personal-data"
READING, LOOKING = (30.0, 70.0), (5.0, 15.0)
WRONG_AT_FIRST = 0.3
CAPTURED_WITHIN = 60.0


class Prepared(NamedTuple):
    """A company whose people each have a link, and the right choices for the questions of the course."""

    organization_id: uuid.UUID
    course_id: uuid.UUID
    links: list[str]
    key: str
    right: dict[str, frozenset[str]]


class Timed:
    """How long each request took, by step, and what failed."""

    def __init__(self) -> None:
        self.took: dict[str, list[float]] = defaultdict(list)
        self.failed: Counter[str] = Counter()
        self.here = self.most_here = 0

    def note(self, step: str, seconds: float, status: int) -> None:
        """Records one request."""
        self.took[step].append(seconds * 1000)
        if status not in (200, 302, 303):
            self.failed[f"{step}: {status or 'no answer'}"] += 1


def main() -> int:
    """Prepares, measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learners", description=__doc__)
    parser.add_argument("package", nargs="?", type=Path, default=PACKAGE)
    parser.add_argument("--learners", type=int, default=1000)
    parser.add_argument("--arrive", type=float, default=60.0, help="seconds within which all come")
    parser.add_argument("--hurry", type=float, default=1.0, help="how many times as fast as people they read")
    parser.add_argument("--limit", type=float, default=500.0, help="milliseconds of the 95th percentile of each step")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as folder, servers.running(Path(folder)) as values:
        os.environ |= values | {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "COMPLIANCE_FOLDER": folder,
            "RATE_LIMIT_ADDRESS_PER_MINUTE": "100000000",  # here all learners have the same address
        }
        return _measure(options)


def _measure(options: argparse.Namespace) -> int:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", database="owner", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    prepared = prepare(options.package, options.learners)
    timed = Timed()
    database = _database(Path(os.environ["COMPLIANCE_FOLDER"]))
    with _served() as (address, web), _capturing() as worker:
        parts = {"web": web, "worker": worker, "PostgreSQL": database, "learners": os.getpid()}
        before = {name: _processor_seconds(pid) for name, pid in parts.items()}
        began = time.monotonic()
        asyncio.run(_everybody(address, prepared, options, timed))
        took = time.monotonic() - began
        used = {name: _processor_seconds(pid) - before[name] for name, pid in parts.items()}
        completions, captured = _recorded(address, prepared)
    requests = sum(map(len, timed.took.values()))
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    _say(f"{requests:,} requests in {took:.0f} s; at most {timed.most_here} learners at once; load {load}\n")
    _say("| step | requests | p50, ms | p95 | p99 |\n| --- | --- | --- | --- | --- |")
    late = False
    for step, each in [*timed.took.items(), ("everything", list(chain.from_iterable(timed.took.values())))]:
        half, most, nearly_all = statistics.median(each), _share(each, 95), _share(each, 99)
        late |= most > options.limit
        _say(f"| {step} | {len(each):,} | {half:.0f} | {most:.0f} | {nearly_all:.0f} |")
    _say("processor, seconds: " + ", ".join(f"{name} {seconds:.0f}" for name, seconds in used.items()))
    serving = 1000 * sum(seconds for name, seconds in used.items() if name != "learners") / requests
    _say(f"that is {serving:.1f} ms a request for all that serves it")
    for what, number in timed.failed.items():
        _say(f"failed: {what}: {number}")
    lost = options.learners - completions
    _say(f"completions recorded: {completions}, lost: {lost}; in /v1: {captured}")
    return int(late or bool(timed.failed) or lost != 0 or captured != options.learners)


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _processor_seconds(pid: int) -> float:
    """The processor seconds of a process and all that it started, including those that have ended."""
    top = psutil.Process(pid)
    own = 0.0 if pid == os.getpid() else _used(top) + sum(map(_used, top.children(recursive=True)))
    return own or top.cpu_times().user + top.cpu_times().system


def _used(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.NoSuchProcess):
        times = process.cpu_times()
        return float(times.user + times.system + times.children_user + times.children_system)
    return 0.0


def _database(folder: Path) -> int:
    """The main process of PostgreSQL."""
    return int((postgresql.data_folder(folder) / "postmaster.pid").read_text().splitlines()[0])


def _share(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100)[percent - 1] if len(values) > 1 else values[0]


def prepare(package: Path, learners: int) -> Prepared:
    """Makes and captures a company whose employees all owe the course of a package."""
    from compliance.access.actions import issue_key
    from compliance.contentfile.package import check_package
    from compliance.facts.courses.publishing import publish_package
    from compliance.facts.lines import kinds
    from compliance.facts.recording import record
    from compliance.history.actions import capture_all, create_company
    from compliance.learning import courses, links
    from compliance.rules.vocabulary import Door, Requirement, Scope
    from compliance.tenancy import context

    now = datetime.now(UTC)
    before = now - timedelta(days=1)
    company = create_company(name="Meridian", time_zone="Europe/London", history_from=before.date(), now=before)
    organization_id = company.organization_id
    people = [
        kinds.EmployeeJoined(
            fact_id=uuid.uuid4(),
            at=before,
            person_id=uuid.uuid4(),
            learner_profile_id=uuid.uuid4(),
            person_name=f"Person {number:04d}",
            account_email=f"person.{number}@example.org",
        )
        for number in range(learners)
    ]
    record(organization_id, people, now=now)
    course = publish_package(organization_id=organization_id, package=check_package(package), at=before, now=now)
    share = kinds.CourseShared(
        fact_id=uuid.uuid4(),
        at=before,
        share_id=uuid.uuid4(),
        course_id=course.course_id,
        doors=(Door.EMPLOYEE,),
        audience=kinds.Audience(everyone=True),
        requirement=Requirement.REQUIRED,
        deadline=kinds.DaysAfterAdded(days=30),
    )
    record(organization_id, [share], now=now)
    capture_all(organization_id, now)
    with context.company(organization_id):
        made = [
            links.make(
                organization_id,
                now=now,
                life=links.IN_A_LETTER,
                learner_profile_id=each.learner_profile_id,
                leads_to="",
            )
            for each in people
        ]
        asked = courses.content(organization_id, course.course_release_id).outline.questions
    right = {name: question.right for name, (_, _, question) in asked.items()}
    key, _ = issue_key(
        organization_id=organization_id, scopes=(Scope.TRAINING_READ,), environment="test", at=now, actor="benchmark"
    )
    return Prepared(organization_id, course.course_id, made, key, right)


@contextlib.contextmanager
def _served() -> Iterator[tuple[str, int]]:
    """The web process of `Procfile`, with both of its workers; yields its address and its process."""
    import httpx

    from benchmarks.serving import free_port

    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with _process("web", PORT=str(port), BASE_URL=address) as pid:
        for _ in range(600):
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{address}/livez").status_code == 200:
                    break
            time.sleep(0.1)
        else:
            raise RuntimeError("The web server did not answer within a minute.")
        for _ in range(40):  # a worker loads its code at its first page, so each gets one before the learners come
            httpx.get(f"{address}/learn/")
        yield address, pid


def _capturing() -> contextlib.AbstractContextManager[int]:
    """Runs the worker of `Procfile`, which captures completions meanwhile."""
    return _process("worker")


@contextlib.contextmanager
def _process(name: str, **environment: str) -> Iterator[int]:
    """Runs a process of `Procfile` by the command there; yields its process id."""
    commands = dict(line.split(": ", 1) for line in (ROOT / "Procfile").read_text().splitlines() if ": " in line)
    command = commands[name].replace("python ", f"{shlex.quote(sys.executable)} ")
    process = subprocess.Popen(
        command, shell=True, cwd=ROOT, env=os.environ | environment, stderr=subprocess.DEVNULL, start_new_session=True
    )  # the log has a line for each request, which this benchmark discards
    try:
        yield process.pid
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=60)


async def _everybody(address: str, prepared: Prepared, options: argparse.Namespace, timed: Timed) -> None:
    chance = random.Random(1)
    learners = [
        Learner(Browser(address, timed.note), prepared, random.Random(number), options.hurry, timed)
        for number in range(len(prepared.links))
    ]
    comings = sorted(chance.uniform(0, options.arrive) for _ in learners)
    taken = [
        each.take(address, token, coming) for each, token, coming in zip(learners, prepared.links, comings, strict=True)
    ]
    for failed in await asyncio.gather(*taken, return_exceptions=True):
        if isinstance(failed, BaseException):
            timed.failed[f"{type(failed).__name__}: {str(failed)[:80]}"] += 1


class Learner:
    """One person who takes the course."""

    def __init__(self, browser: Browser, prepared: Prepared, chance: random.Random, hurry: float, timed: Timed) -> None:
        self.browser, self.prepared, self.chance, self.hurry, self.timed = browser, prepared, chance, hurry, timed

    async def take(self, address: str, token: str, coming: float) -> None:
        """Takes the course, from the link to the last page."""
        await asyncio.sleep(coming)
        self.timed.here += 1
        self.timed.most_here = max(self.timed.most_here, self.timed.here)
        try:
            page = await self.browser.open("link", f"{address}/learn/in/{token}")
            await self._pause(LOOKING)
            (form,) = [each for each in page.forms.values() if each.post and each.action.endswith(token)]
            await self.browser.send("come in", "home", form, [])
            await self._pause(LOOKING)
            page = await self.browser.open("course", f"{address}/learn/courses/{self.prepared.course_id}/")
            while not page.address.endswith("/finished/"):
                await self._pause(LOOKING if page.address.endswith("/") else READING)
                page = await self._go_on(page)
        finally:
            self.timed.here -= 1

    async def _go_on(self, page: Page) -> Page:
        """Plays the films of a page, answers its open questions, and goes to the next page."""
        while waiting := [each for each in page.forms.values() if each.choices]:
            page = await self.browser.send("answer", "page", waiting[0], self._answers(waiting[0]))
            await self._pause(LOOKING)
        for form in [each for each in page.forms.values() if each.reports_film]:
            film = dict(form.values)["film"]
            form.values = [(name, value) for name, value in form.values if name != "scene"]
            page = await self.browser.send("film", "page", form, [("scene", page.last_scene[film])])
        step = "finish" if page.buttons[-1].endswith("/finished/") else "page"
        return await self.browser.open(step, page.buttons[-1])

    def _answers(self, form: Any) -> list[tuple[str, str]]:
        sent = dict(form.values)
        found = []
        for name, offered in form.choices.items():
            question_id = name.removeprefix("answer-")
            right = self.prepared.right[question_id]
            first = sent.get(f"after-{question_id}", "0") == "0"
            wrong = [each for each in offered if each not in right]
            chosen = wrong[:1] if first and wrong and self.chance.random() < WRONG_AT_FIRST else sorted(right)
            found += [(name, each) for each in chosen]
        return found

    async def _pause(self, between: tuple[float, float]) -> None:
        self.browser.rest()
        await asyncio.sleep(self.chance.uniform(*between) / self.hurry)


def _recorded(address: str, prepared: Prepared) -> tuple[int, int]:
    """How many completions are recorded, and how many records `/v1` lists as completed once the worker has finished."""
    import httpx

    from compliance.tenancy import context, sql

    with context.company(prepared.organization_id):
        ((recorded,),) = sql.fetch(
            "SELECT count(DISTINCT learner_profile_id) FROM training_completion WHERE organization_id = %s",
            [prepared.organization_id],
        )
    end = time.monotonic() + CAPTURED_WITHIN
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {prepared.key}"}, timeout=60) as client:
        while True:
            listed, cursor = 0, ""
            while cursor is not None:
                answer = client.get(
                    "/v1/training-records", params={"limit": 200} | ({"cursor": cursor} if cursor else {})
                )
                page = answer.raise_for_status().json()
                listed += sum(row["outcome"].startswith("completed") for row in page["data"])
                cursor = page["next_cursor"]
            if listed >= recorded or time.monotonic() > end:
                return int(recorded), listed
            time.sleep(1)


if __name__ == "__main__":
    sys.exit(main())
