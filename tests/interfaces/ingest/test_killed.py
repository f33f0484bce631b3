"""Real processes: many posts at once while servers and workers are killed. Nothing is lost or doubled.

INGEST_KILLS is how often processes are killed, AT_ONCE how many posts come at the same time.
"""

import contextlib
import os
import random
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from compliance.access.models import Source
from compliance.access.sources import issue_source
from compliance.facts.ledger import queries as ledger
from compliance.facts.lines.kinds import KINDS
from compliance.history import actions
from compliance.history.verify import Verified, verify_history
from compliance.interfaces.serving import front
from compliance.tenancy import context
from development.embedded import ports
from tests.companies import make_company
from tests.facts.files import completed, course, joined, shared, take_in, team
from tests.interfaces.ingest.conftest import ADDRESS, ndjson
from tests.interfaces.serving.conftest import serving
from tests.operations.service import Process, wait_for
from tests.properties.test_every_way_in import read_after, registers

KILLS = int(os.environ.get("INGEST_KILLS", "2"))
AT_ONCE = int(os.environ.get("AT_ONCE", "80"))
PEOPLE = 120
LINES_A_POST = 25
UNLIMITED = {"RATE_LIMIT_SOURCE_PER_MINUTE": "1000000", "RATE_LIMIT_COMPANY_PER_MINUTE": "1000000"}
LOOPS_AND_POOLS = 30
"""Threads of a server besides those of its lanes."""


@pytest.fixture
def source(committed):
    """A company, and the token of a source that may send all kinds of fact."""
    organization_id = make_company("Killed", "Europe/Lisbon").organization_id
    token, _ = issue_source(
        organization_id=organization_id,
        name="HR",
        kinds=KINDS,
        environment="test",
        at=datetime.now(UTC),
        actor="a test",
    )
    yield organization_id, token
    Source.objects.filter(organization_id=organization_id).delete()


class Sender:
    """Sends facts until they are recorded, as a client does: again without an answer, or when it is asked to wait."""

    def __init__(self, port, token):
        self._address = f"http://127.0.0.1:{port}{ADDRESS}"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}
        self.answers: Counter[object] = Counter()
        self.recorded = 0

    def send(self, facts, patience=0.05):
        """Sends until there is an answer; facts that name something unknown are left for later."""
        with httpx.Client(timeout=60) as client:
            while True:
                try:
                    answer = client.post(self._address, content=ndjson(facts), headers=self._headers)
                except httpx.HTTPError:
                    self.answers["none"] += 1
                    time.sleep(patience)
                    continue
                self.answers[answer.status_code] += 1
                if answer.status_code == 200:
                    break
                assert "Retry-After" in answer.headers or answer.status_code == 503, answer.content
                time.sleep(patience)
        told = answer.json()
        self.recorded += told["recorded"]
        assert {each["code"] for each in told["refused"]} <= {"unresolved_reference"}, told
        return [facts[each["line"] - 1] for each in told["refused"]]

    def send_all(self, facts):
        """Sends all in parts, in four threads, until everything is recorded."""
        with ThreadPoolExecutor(4) as pool:
            while facts:
                parts = [facts[start : start + LINES_A_POST] for start in range(0, len(facts), LINES_A_POST)]
                facts = [each for left in pool.map(self.send, parts) for each in left]


def test_many_posts_at_once_lose_nothing_and_take_a_bounded_number_of_threads(source, process_environment):
    _, token = source
    facts = [team(f"team {number}") for number in range(AT_ONCE)]
    with serving("config.asgi:application", process_environment | UNLIMITED) as port:
        sender = Sender(port, token)
        together = threading.Barrier(AT_ONCE)

        def one(fact):
            together.wait()
            sender.send([fact], patience=0.1)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            sending = [pool.submit(one, fact) for fact in facts]
            most = 0
            while not all(each.done() for each in sending):
                most = max(most, _threads_of_servers(port))
                time.sleep(0.05)
            for each in sending:
                each.result()
    assert set(sender.answers) <= {200, 429}, sender.answers  # how many have to be repeated depends on the machine
    assert sender.recorded == AT_ONCE
    assert 0 < most <= front.SOURCE_THREADS + front.API_THREADS + front.PAGE_THREADS + LOOPS_AND_POOLS


def _threads_of_servers(port):
    """The most threads of a process that listens on the port."""
    most = 0
    for folder in Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_bytes().split(b"\0")
            if b"granian" in command and str(port).encode() in command:
                most = max(most, len(list((folder / "task").iterdir())))
        except (OSError, ValueError):
            continue
    return most


def story():
    """People who do a course, in any order."""
    people = [f"person {number}" for number in range(PEOPLE)]
    facts = [completed(name, "fire", 20) for name in people]
    facts += [joined(name, 1, account_email=f"{number}@example.org") for number, name in enumerate(people)]
    return [*facts, shared("fire", 2), *course("fire", 1), team("blue")]


@pytest.mark.timeout(900)
def test_killed_processes_change_no_byte_of_a_register(source, process_environment, tmp_path):
    organization_id, token = source
    facts = story()
    expected = read_after(organization_id, lambda: take_in(organization_id, facts, now=datetime.now(UTC)))
    chance = random.Random(11)
    chance.shuffle(facts)
    with _running(process_environment, tmp_path) as (processes, port):
        sender = Sender(port, token)
        with ThreadPoolExecutor(1) as pool:
            sending = pool.submit(sender.send_all, facts)
            for number in range(KILLS):
                time.sleep(chance.uniform(0.05, 0.6))
                process = processes[number % 2]
                process.kill()
                process.start()
                if number % 2 == 0:
                    wait_for(lambda: _answers(port), 60, "the server")
                if sending.done():
                    sending.result()
                    sending = pool.submit(sender.send_all, facts)  # all of it once more, during the next kills
            sending.result()
        wait_for(lambda: _decided(organization_id), 120, "the worker")
    assert sender.recorded <= len(facts)
    assert registers(organization_id) == expected
    assert isinstance(verify_history(organization_id), Verified)


def _decided(organization_id):
    """Whether nothing is pending; asks again for what a killed worker held, as the sweep does each minute."""
    with context.company(organization_id):
        left = sum(ledger.waiting(organization_id)[:2])
    if left:
        actions.capture_all(organization_id, datetime.now(UTC))
    return not left


def _answers(port):
    try:
        return httpx.get(f"http://127.0.0.1:{port}/livez", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


@contextlib.contextmanager
def _running(environment, folder):
    """A server and a worker with a broker of their own, and the server's port."""
    port = ports.free_port()
    address, _, _ = environment["REDIS_URL"].rpartition("/")
    environment = environment | UNLIMITED | {"REDIS_URL": f"{address}/7"}
    program = [sys.executable, "-m"]
    server = Process(
        "web",
        [*program, "granian", "--interface", "asginl", "--loop", "uvloop", "--host", "127.0.0.1", "--port", str(port),
         "--workers", "1", "--log-level", "error", "config.asgi:application"],
        environment, folder / "web.log",
    )  # fmt: skip
    worker = Process(
        "worker",
        [*program, "celery", "--app", "config", "worker", "--loglevel", "WARNING", "--concurrency", "1",
         "--without-gossip", "--without-mingle", "--without-heartbeat", "--pool", "solo"],
        environment, folder / "worker.log",
    )  # fmt: skip
    try:
        wait_for(lambda: _answers(port), 60, "the server")
        yield (server, worker), port
    finally:
        for process in (server, worker):
            process.kill()
